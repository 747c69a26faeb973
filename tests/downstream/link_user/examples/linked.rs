//! A program that the linker binds to the driver.

fn main() {
    println!("{:?}", link_user::version());
}
