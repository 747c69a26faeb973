use super::*;

fn object(kind: Kind, handle: u64, size: u64, import: u32) -> Object {
    Object { handle, about: About::import(kind, 1, None, size, false), import, ..Object::default() }
}

#[test]
fn a_handle_that_comes_again_is_the_new_object() {
    let mut objects = Objects::default();
    let first = objects.add(object(Kind::Memory, 0x10, 8, 0));
    objects.end(first, How::Freed, Site::default());
    assert_eq!(objects.by_handle(0x10), Found::Ended(first));
    let second = objects.add(object(Kind::Memory, 0x10, 8, 0));
    assert_eq!(objects.by_handle(0x10), Found::Alive(second));
}

#[test]
fn an_address_is_of_the_buffer_that_it_lies_in() {
    let mut objects = Objects::default();
    let import = objects.add(object(Kind::Memory, 0x10, 8, 0));
    let buffer = objects.add(object(Kind::Buffer, 0x1000, 0x100, import));
    assert_eq!(objects.by_address(0xfff), Found::Unknown);
    assert_eq!(objects.by_address(0x1000), Found::Alive(buffer));
    assert_eq!(objects.by_address(0x10ff), Found::Alive(buffer));
    assert_eq!(objects.by_address(0x1100), Found::Unknown);
    assert_eq!(objects.get(import).unwrap().mappings, [buffer].into());
    objects.end(buffer, How::Freed, Site::default());
    assert_eq!(objects.by_address(0x1080), Found::Ended(buffer));
    assert!(objects.get(import).unwrap().mappings.is_empty());
    objects.forget_addresses(0x1080, 1);
    assert_eq!(objects.by_address(0x1080), Found::Unknown);
}

#[test]
fn ended_objects_are_forgotten_in_time() {
    let mut objects = Objects::default();
    for handle in 1..=2 * REMEMBERED as u64 {
        let number = objects.add(object(Kind::Semaphore, handle, 0, 0));
        objects.end(number, How::Freed, Site::default());
    }
    assert_eq!(objects.by_handle(1), Found::Unknown);
    assert!(matches!(objects.by_handle(2 * REMEMBERED as u64), Found::Ended(_)));
    assert_eq!(objects.all.len(), REMEMBERED);
}
