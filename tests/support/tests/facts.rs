//! The list of facts: what is asked about one item of each kind, in C and in Rust.

use test_support::layout::comparison::{self, Compiled, InHeader, Problem};
use test_support::layout::{facts, releases};

/// The facts about these items and their fields, in order.
const EXPECTED: &str = r#"
size of CUarray: sizeof(CUarray) | size_of::<CUarray>()
align of CUarray: _Alignof(CUarray) | align_of::<CUarray>()
size of CUfilter_mode: sizeof(CUfilter_mode) | size_of::<CUfilter_mode>()
align of CUfilter_mode: _Alignof(CUfilter_mode) | align_of::<CUfilter_mode>()
size of CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC: sizeof(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) | size_of::<CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC>()
align of CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC: _Alignof(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) | align_of::<CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC>()
size of CUmemLocation: sizeof(CUmemLocation) | size_of::<CUmemLocation>()
align of CUmemLocation: _Alignof(CUmemLocation) | align_of::<CUmemLocation>()
type of CUarray: __builtin_types_compatible_p(__typeof__(CUarray), struct CUarray_st *) | 1
sign of CUfilter_mode: (CUfilter_mode)-1 < 0 | CUfilter_mode(!0).0 < 0
offset of CUmemLocation.type: __builtin_offsetof(CUmemLocation, type) | offset_of!(CUmemLocation, type_)
size of CUmemLocation.type: sizeof(((CUmemLocation *)0)->type) | size_of_val(unsafe { &zeroed::<CUmemLocation>().type_ })
align of CUmemLocation.type: __alignof__(((CUmemLocation *)0)->type) | align_of_val(unsafe { &zeroed::<CUmemLocation>().type_ })
type of CUmemLocation.type: __builtin_types_compatible_p(__typeof__(((CUmemLocation *)0)->type), CUmemLocationType) | 1
offset of CUmemLocation.id: __builtin_offsetof(CUmemLocation, id) | offset_of!(CUmemLocation, id)
size of CUmemLocation.id: sizeof(((CUmemLocation *)0)->id) | size_of_val(unsafe { &zeroed::<CUmemLocation>().id })
align of CUmemLocation.id: __alignof__(((CUmemLocation *)0)->id) | align_of_val(unsafe { &zeroed::<CUmemLocation>().id })
type of CUmemLocation.id: __builtin_types_compatible_p(__typeof__(((CUmemLocation *)0)->id), int) | 1
offset of CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.handle.win32: __builtin_offsetof(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, handle.win32) | offset_of!(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, handle.win32)
size of CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.handle.win32: sizeof(((CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *)0)->handle.win32) | size_of_val(unsafe { &zeroed::<CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC>().handle.win32 })
align of CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.handle.win32: __alignof__(((CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *)0)->handle.win32) | align_of_val(unsafe { &zeroed::<CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC>().handle.win32 })
offset of CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.handle.win32.name: __builtin_offsetof(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, handle.win32.name) | offset_of!(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, handle.win32.name)
size of CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.handle.win32.name: sizeof(((CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *)0)->handle.win32.name) | size_of_val(unsafe { &zeroed::<CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC>().handle.win32.name })
align of CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.handle.win32.name: __alignof__(((CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *)0)->handle.win32.name) | align_of_val(unsafe { &zeroed::<CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC>().handle.win32.name })
type of CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC.handle.win32.name: __builtin_types_compatible_p(__typeof__(((CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *)0)->handle.win32.name), void const *) | 1
value of CUDA_ARRAY3D_CUBEMAP: CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_CUBEMAP
value of CU_TR_FILTER_MODE_LINEAR: (unsigned int)(CU_TR_FILTER_MODE_LINEAR) | CU_TR_FILTER_MODE_LINEAR.0 as u32
signature of cuInit: __builtin_types_compatible_p(__typeof__(&cuInit), CUresult (CUDAAPI *)(unsigned int)) | { const _: unsafe extern "C" fn(c_uint) -> CUresult = cuInit; const _: PFN_cuInit = cuInit; 1 }
pointer of cuInit: POINTER_cuInit(CUresult (CUDAAPI *)(unsigned int)) | 1
signature of cuMemFree_v2: __builtin_types_compatible_p(__typeof__(&cuMemFree_v2), CUresult (CUDAAPI *)(CUdeviceptr)) | { const _: unsafe extern "C" fn(CUdeviceptr) -> CUresult = cuMemFree_v2; const _: PFN_cuMemFree_v2 = cuMemFree_v2; const _: unsafe extern "C" fn(CUdeviceptr) -> CUresult = cuMemFree; const _: PFN_cuMemFree = cuMemFree; 1 }
pointer of cuMemFree_v2: POINTER_cuMemFree_v2(CUresult (CUDAAPI *)(CUdeviceptr)) | 1
macroname of cuMemFree: __builtin_strcmp(SPELLED(cuMemFree), "cuMemFree_v2") == 0 | 1
"#;

#[test]
fn everything_is_asked_about_each_kind_of_item() {
    let bindings = comparison::read(releases::embedded());
    let items = ["CUarray", "CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC", "CUmemLocation", "CUfilter_mode"];
    let others = ["CU_TR_FILTER_MODE_LINEAR", "CUDA_ARRAY3D_CUBEMAP", "cuMemFree_v2", "cuMemFree", "cuInit"];
    let mut found = String::from("\n");
    for facts::Fact { kind, about, c, rust } in facts::facts(&bindings) {
        let about = about.to_string();
        let root = about.split('.').next().expect("a name");
        // Of the fields, one that C defines in place and one within it.
        let is_meant = root != "CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC"
            || !about.contains('.')
            || [".handle.win32", ".win32.name"].iter().any(|end| about.ends_with(end));
        if is_meant && (items.contains(&root) || others.contains(&root)) {
            found += &format!("{kind} of {about}: {c} | {rust}\n");
        }
    }
    assert_eq!(found, EXPECTED);
}

/// Otherwise a test with edited bindings would compare the unedited ones.
#[test]
#[should_panic = "the bindings have no pub type CUnothing"]
fn an_edit_of_what_is_not_there_panics() {
    releases::edited(releases::embedded(), &[("pub type CUnothing", "")]);
}

/// cudaTypedefs.h lacks some functions, and any other fact without an answer is a problem.
#[test]
fn what_the_header_does_not_have_is_a_problem() {
    let bindings = comparison::read(releases::embedded());
    let facts = facts::facts(&bindings);
    let compiled = Compiled { numbers: vec![1; facts.len()], bindings, facts };
    let header = InHeader { numbers: vec![None; compiled.facts.len()], missing: Vec::new() };
    let problems = compiled.problems(&compiled.numbers, &header);
    let asked = compiled.facts.iter().filter(|fact| fact.kind != facts::Kind::Pointer);
    let lacking: Vec<String> = asked.map(|fact| Problem::Added(fact.about.clone()).to_string()).collect();
    assert_eq!(problems.iter().map(ToString::to_string).collect::<Vec<_>>(), lacking);
}
