//! Two crates want the driver bound in different ways. Both call the same function, and `load` wins.

fn main() {
    println!("the linker's crate: {:?}", link_user::version());
    println!("the loader's crate: {:?}", load_user::version());
}
