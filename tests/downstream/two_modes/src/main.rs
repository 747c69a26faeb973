//! Two crates want the driver bound in different ways; both call the same function, and `link` wins.

fn main() {
    println!("the linker's crate: {:?}", link_user::version());
    println!("the loader's crate: {:?}", load_user::version());
}
