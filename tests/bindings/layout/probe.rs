#![no_std]
#![allow(non_upper_case_globals, unused_unsafe)]

use core::mem::{offset_of, size_of};

use cuda_external_sys::*;

const fn size_of_field<Record, Field>(_: fn(*const Record) -> *const Field) -> u64 {
    size_of::<Field>() as u64
}

trait Sign {
    const IS_SIGNED: u64;
}

impl Sign for i32 {
    const IS_SIGNED: u64 = 1;
}

impl Sign for u32 {
    const IS_SIGNED: u64 = 0;
}

const fn sign<Enum, Integer: Sign>(_: fn(Enum) -> Integer) -> u64 {
    Integer::IS_SIGNED
}

