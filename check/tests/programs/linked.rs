//! How the layer is linked, as the loader sees it.

use std::fs;

use object::elf::{DF_1_NODELETE, DT_FLAGS_1, DT_NEEDED, DT_RPATH, DT_RUNPATH, DT_SONAME, FileHeader64};
use object::read::elf::{Dyn as _, FileHeader as _};
use object::{Endianness, StringTable};

/// It stands in the driver's place, finds the driver beside itself, and stays: the driver keeps addresses of its functions.
pub fn the_layer_is_linked_as_it_must_be() {
    let path = concat!(env!("CUDA_EXTERNAL_CHECK_OUT"), "/libcuda.so.1");
    let bytes = fs::read(path).expect("the build script made it");
    let header = FileHeader64::<Endianness>::parse(&*bytes).expect("an ELF file");
    let endian = header.endian().expect("it is this machine's");
    let sections = header.sections(endian, &*bytes).expect("sections");
    let (entries, strings) = sections.dynamic(endian, &*bytes).expect("entries").expect("it is a library");
    let strings: StringTable = sections.strings(endian, &*bytes, strings).expect("names");
    let of = |tag: u32| {
        let entries = entries.iter().filter(move |entry| entry.tag32(endian) == Some(tag));
        let names = entries.map(|entry| entry.string(endian, strings).expect("a name"));
        Vec::from_iter(names.map(|name| String::from_utf8_lossy(name).into_owned()))
    };
    assert_eq!(of(DT_SONAME), ["libcuda.so.1"]);
    assert!(of(DT_NEEDED).iter().any(|name| name == "libcuda_real.so"), "{:?}", of(DT_NEEDED));
    assert_eq!([of(DT_RPATH), of(DT_RUNPATH)].concat(), ["$ORIGIN"]);
    let flags = entries.iter().find(|entry| entry.tag32(endian) == Some(DT_FLAGS_1)).expect("flags");
    assert!(flags.d_val(endian) & u64::from(DF_1_NODELETE) != 0, "{:#x}", flags.d_val(endian));
}
