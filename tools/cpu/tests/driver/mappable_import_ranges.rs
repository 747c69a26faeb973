//! Which ranges of imported memory can be mapped, with the answers of an H100.

use super::invalid_usage::import_of_two_mib;
use super::*;

/// The claimed size of an import of 2 MiB, whether it is dedicated, an offset, a size, and the code: drawn from 17,496
/// that were measured with driver 580.159.04.
const ANSWERS: &str = "
    1 1 10000000000 ffffffffffffe000 1; 1000 0 100000 fff 1; 1000 0 1ff000 100000 1;
    1000 0 ffffffffffffffff 10000000000 1; 1fffff 0 1ff000 ffffffffffffffff 2;
    1fffff 0 1000000000000000 1000000000000000 1; 1fffff 0 7fffffffffffffff 2000 1;
    1fffff 0 8000000000000000 1fffff 1; 200001 0 200 ffffffffffffffff 2; 200001 0 100000 fffffffffffffffe 2;
    200001 0 8000000000000000 8000000000200000 1; 400000 0 201000 ffffffffffffe000 2;
    400000 0 3fffff fffffffffffffffe 2; 400000 1 7fffffffffffffff 100000 1; 10000000000 0 1ff000 1 0;
    10000000000 0 fffffffffffffffe ffffffffffffffff 1; 1000000000000000 0 0 1ff000 0;
    1000000000000000 0 10000000000 1000000000000000 1; 7fffffffffffffff 0 0 ffffffffffffffff 1;
    7fffffffffffffff 0 1 100000 0; 7fffffffffffffff 0 fff 7ffffffffffff000 2;
    7fffffffffffffff 0 201000 ffffffffffffffff 2; 7fffffffffffffff 0 3fffffffffffffff 201000 1;
    7fffffffffffffff 1 1ff000 400000 1; 7fffffffffffffff 1 ffffffffffdfffff 800000000000 1;
    8000000000000000 0 1ff000 ffffffffffffe000 2; 8000000000000000 0 1000000000000000 0 1;
    8000000000000000 1 0 2000 0; 8000000000000000 1 0 7fffffffffffffff 2;
    8000000000000000 1 1000000000000000 fffffffffffff000 1; fffffffffffff000 0 0 200001 1;
    fffffffffffff000 0 1ff000 1 0; fffffffffffff000 0 1ff000 7fffffffffffffff 2;
    fffffffffffff000 0 10000000000 0 1; fffffffffffff000 0 ffffffffffdfffff 1000 999;
    fffffffffffff000 0 ffffffffffffe000 1000 999; fffffffffffff000 0 ffffffffffffe000 201000 999;
    fffffffffffff000 0 ffffffffffffefff 201000 999; fffffffffffff000 1 0 100000 0;
    fffffffffffff000 1 0 800000000000 2; ffffffffffffffff 0 0 ffffffffffffffff 2;
    ffffffffffffffff 0 1 fffffffffffffffe 2; ffffffffffffffff 0 10000 1000000000000000 2;
    ffffffffffffffff 0 100000 1000 0; ffffffffffffffff 0 1ff000 ffffffffffffe000 2;
    ffffffffffffffff 0 1fffff 1 0; ffffffffffffffff 0 200001 800000000000 2;
    ffffffffffffffff 0 ffffffffffdfffff 201000 999; ffffffffffffffff 0 ffffffffffdfffff 400001 999;
    ffffffffffffffff 0 ffffffffffffe000 2000 999; ffffffffffffffff 0 fffffffffffff000 100000 999;
    ffffffffffffffff 0 fffffffffffff000 201000 999; ffffffffffffffff 0 fffffffffffffffe 1ff000 999;
    ffffffffffffffff 1 1000 fffffffffffffffe 1
";

#[test]
fn ranges_of_imported_memory_are_checked_as_on_a_gpu() {
    use_first_device();
    for row in ANSWERS.split(';') {
        let mut words = row.split_whitespace();
        let mut number = || u64::from_str_radix(words.next().unwrap(), 16).unwrap();
        let (claimed, dedicated, offset, size) = (number(), number() as u32, number(), number());
        let expected = words.next().unwrap().parse().unwrap();
        let memory = import_of_two_mib(claimed, dedicated);
        let (mut address, desc) =
            (0, CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, ..Default::default() });
        let code = unsafe { cuExternalMemoryGetMappedBuffer(&mut address, memory, &desc) };
        assert_eq!(code, CUresult(expected), "{row}");
        if code == CUDA_SUCCESS {
            assert_ok(unsafe { cuMemFree(address) });
        }
        assert_ok(unsafe { cuDestroyExternalMemory(memory) });
    }
}
