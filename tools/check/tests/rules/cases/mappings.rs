//! Cases about mapped buffers and images: how programs describe, use and free them.

use std::ptr::{null, null_mut};

use cuda_external_check::rules::Rule;
use cuda_external_sys::*;

use super::call_helpers::*;
use super::{RuleCase, named_case, rule_case};
use crate::support::follows_remedy;

pub const CASES: &[RuleCase] = &[
    rule_case(Rule::MAPPING_BEYOND_IMPORT, || {
        with_import(|memory| {
            for (offset, size) in [(0, SIZE + 1), (SIZE, 1), (0, 0), (u64::MAX, 1), (1, u64::MAX)] {
                assert!(try_map_buffer(memory, offset, size).is_err());
            }
        });
    }),
    rule_case(Rule::MAPPING_OVERLAP, || map_two_ranges((0, SIZE), (SIZE - 1, 1)))
        .with_options(&["--enable", "mapping-overlap"]),
    named_case("mapped-side-by-side", &[], || map_two_ranges((0, SIZE / 2), (SIZE / 2, SIZE / 2)))
        .with_options(&["--enable", "mapping-overlap"]),
    rule_case(Rule::MAPPING_DEDICATED_OFFSET, || {
        map_dedicated_at(if follows_remedy() { 0 } else { SIZE / 2 });
    })
    .with_remedy(),
    rule_case(Rule::ARRAY_NO_LEVELS, || map_image(ImageDesc { numLevels: 0, ..sized_image(64, 64, 0) })),
    rule_case(Rule::IMPORT_BEFORE_MAPPING, || destroy_import_before_mapping(0))
        .with_options(&["--enable", "import-before-mapping"]),
    named_case("fill-after-the-end-of-the-import", &[Rule::USE_AFTER_END], || {
        destroy_import_before_mapping(3);
    }),
    rule_case(Rule::USE_AFTER_END, || {
        with_freed_mapping(|address| assert_eq!(fill_byte(address + 8), CUDA_ERROR_INVALID_VALUE));
    }),
    rule_case(Rule::FREED_TWICE, || {
        with_freed_mapping(|address| assert_eq!(free_buffer(address), CUDA_ERROR_INVALID_VALUE));
    }),
    // Both the mapping and the import keep the memory allocated.
    rule_case(Rule::NOT_FREED, || {
        map_whole_import(import_memory());
    }),
];

pub const CASES_WITHOUT_GPU: &[RuleCase] = &[
    rule_case(Rule::ARRAY_TOO_LARGE, || map_image(sized_image(1024, 1024, 0))),
    rule_case(Rule::ARRAY_LEVELS, || {
        let levels = if follows_remedy() { 7 } else { 8 };
        map_image(ImageDesc { numLevels: levels, ..sized_image(64, 64, 0) });
    })
    .with_remedy(),
    rule_case(Rule::ARRAY_CHANNELS, || {
        let mut image = sized_image(64, 64, 0);
        image.arrayDesc.NumChannels = 3;
        map_image(image);
    }),
    rule_case(Rule::ARRAY_EXTENTS, || {
        let mut image = sized_image(64, 32, 6);
        image.arrayDesc.Flags = CUDA_ARRAY3D_CUBEMAP;
        map_image(image);
    }),
    named_case("graph-launched-after-the-end-of-a-filled-mapping", &[Rule::USE_AFTER_END], || {
        launch_graph_after_free(add_fill_node);
    }),
    named_case("graph-launched-after-the-end-of-a-copied-mapping", &[Rule::USE_AFTER_END], || {
        launch_graph_after_free(|graph, address| {
            let (from, to) = (CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST);
            let copy = CUDA_MEMCPY3D { srcMemoryType: from, srcDevice: address, dstMemoryType: to, ..ROW };
            add_copy_node(graph, copy)
        });
    }),
    named_case("graph-copies-into-an-array-that-has-ended", &[Rule::USE_AFTER_END], || {
        let (to, from) = (CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_HOST);
        around_array_end(
            |_| {},
            |level| {
                let into = CUDA_MEMCPY3D { srcMemoryType: from, dstMemoryType: to, dstArray: level, ..ROW };
                assert_eq!(add_copy_node(create_graph(), into), CUDA_ERROR_INVALID_HANDLE);
            },
        );
    }),
    named_case("surface-of-a-destroyed-array", &[Rule::USE_AFTER_END], || {
        around_array_end(
            |level| assert_ok(create_surface_object(level)),
            |level| assert_eq!(create_surface_object(level), CUDA_ERROR_INVALID_HANDLE),
        );
    }),
    named_case("address-of-a-mapping-given-to-another-allocation", &[], || {
        let mut mapped = 0;
        with_freed_mapping(|address| mapped = address);
        // One of the next allocations gets the address of the freed mapping.
        let contains = |start: &u64| (*start..start + SIZE).contains(&mapped);
        let mut found = (0..100).map(|_| {
            let mut address = 0;
            assert_ok(unsafe { cuMemAlloc(&mut address, SIZE as usize) });
            address
        });
        let address = found.find(contains).expect("an allocation has the address");
        assert_ok(fill_byte(mapped));
        assert_ok(free_buffer(address));
    }),
    named_case("an-end-that-the-driver-refused", &[], || {
        let memory = import_memory();
        assert_eq!(destroy_memory(memory), CUDA_ERROR_NOT_PERMITTED);
        assert_ok(destroy_memory(memory));
    })
    .with_driver_variable("CUDA_EXTERNAL_CPU_FAULTS", "cuDestroyExternalMemory:1=CUDA_ERROR_NOT_PERMITTED"),
];

fn map_two_ranges(first: (u64, u64), second: (u64, u64)) {
    with_import(|memory| {
        let map = |(offset, size)| try_map_buffer(memory, offset, size).expect("the mapping");
        // The second mapping is alive when the first one has ended.
        [first, second].map(map).into_iter().for_each(fill_and_free_mapping);
        // A new mapping may get the address of a freed one.
        fill_and_free_mapping(map_whole_import(memory));
    });
}

fn fill_and_free_mapping(address: CUdeviceptr) {
    assert_ok(fill_byte(address));
    assert_ok(free_buffer(address));
}

/// Destroys an import, fills the import's mapping `fills` times, and frees the mapping.
fn destroy_import_before_mapping(fills: usize) {
    let memory = import_memory();
    let address = map_whole_import(memory);
    assert_ok(destroy_memory(memory));
    (0..fills).for_each(|_| assert_ok(fill_byte(address)));
    assert_ok(free_buffer(address));
}

fn map_dedicated_at(offset: u64) {
    let flags = CUDA_EXTERNAL_MEMORY_DEDICATED;
    let description = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { flags, ..desc_of_fd(export_memory()) };
    let memory = try_import(&description).expect("the import");
    match try_map_buffer(memory, offset, SIZE / 2) {
        Ok(address) => assert_ok(free_buffer(address)),
        Err(code) => assert_eq!((code, offset > 0), (CUDA_ERROR_INVALID_VALUE, true)),
    }
    assert_ok(destroy_memory(memory));
}

/// Maps an image. Ignores errors: for a wrong description, a driver may return an error or map the image anyway.
fn map_image(image: ImageDesc) {
    with_import(|memory| {
        try_map_array(memory, &image).into_iter().for_each(|array| assert_ok(destroy_array(array)));
    });
}

fn with_freed_mapping(run: impl FnOnce(CUdeviceptr)) {
    with_import(|memory| {
        let address = map_whole_import(memory);
        assert_ok(free_buffer(address));
        run(address);
    });
}

/// Launches a graph whose node uses a mapping that was freed before the launch. The driver may return an error.
fn launch_graph_after_free(add_node: fn(CUgraph, CUdeviceptr) -> CUresult) {
    let (memory, graph, mut instance) = (import_memory(), create_graph(), null_mut());
    let address = map_whole_import(memory);
    assert_ok(add_node(graph, address));
    assert_ok(free_buffer(address));
    assert_ok(destroy_memory(memory));
    unsafe {
        assert_ok(cuGraphInstantiateWithFlags(&mut instance, graph, 0));
        _ = cuGraphLaunch(instance, null_mut());
        _ = cuCtxSynchronize();
    }
}

/// Calls `before` with a level of an array, destroys the array, and calls `after` with the level.
fn around_array_end(before: impl FnOnce(CUarray), after: impl FnOnce(CUarray)) {
    with_import(|memory| {
        let (array, mut level) = (map_array(memory), null_mut());
        assert_ok(unsafe { cuMipmappedArrayGetLevel(&mut level, array, 0) });
        before(level);
        assert_ok(destroy_array(array));
        after(level);
    });
}

fn add_fill_node(graph: CUgraph, address: CUdeviceptr) -> CUresult {
    let params =
        CUDA_MEMSET_NODE_PARAMS { dst: address, elementSize: 1, width: 1, height: 1, ..Default::default() };
    unsafe { cuGraphAddMemsetNode(&mut null_mut(), graph, null(), 0, &params, null_mut()) }
}

/// A copy of one row. SAFETY: the struct has integers and pointers, for which zeros are valid.
const ROW: CUDA_MEMCPY3D = CUDA_MEMCPY3D {
    srcMemoryType: CU_MEMORYTYPE_ARRAY,
    dstMemoryType: CU_MEMORYTYPE_HOST,
    WidthInBytes: 64,
    Height: 1,
    Depth: 1,
    ..unsafe { std::mem::zeroed() }
};

fn add_copy_node(graph: CUgraph, copy: CUDA_MEMCPY3D) -> CUresult {
    let host = Box::leak(Box::new([0_u8; 64])).as_mut_ptr().cast();
    let mut params = CUgraphNodeParams { type_: CU_GRAPH_NODE_TYPE_MEMCPY, ..Default::default() };
    params.params.memcpy.copyParams = CUDA_MEMCPY3D { srcHost: host, dstHost: host, ..copy };
    unsafe { cuGraphAddNode_v2(&mut null_mut(), graph, null(), null(), 0, &mut params) }
}

fn create_surface_object(level: CUarray) -> CUresult {
    let mut resource = CUDA_RESOURCE_DESC { resType: CU_RESOURCE_TYPE_ARRAY, ..Default::default() };
    resource.res.array.hArray = level;
    unsafe { cuSurfObjectCreate(&mut 0, &resource) }
}
