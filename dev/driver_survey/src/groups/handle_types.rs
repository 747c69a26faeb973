//! Which handle types CUDA takes on this machine.

use std::fmt::Debug;
use std::ptr::null_mut;

use cuda_external_sys::*;
use example_support::Result;

use super::fixtures::opened_devices::cuda;
use super::fixtures::question::{Question, QuestionGroup, answer_code, write_answer};
use super::invalid_memory::not_a_handle;

/// Returns a type's name without the prefix of its kind, or the number of a type that has no name.
fn name_without_prefix(type_: impl Debug, prefix: &str, number: u32) -> String {
    format!("{type_:?}").strip_prefix(prefix).map_or(number.to_string(), str::to_owned)
}

pub fn group() -> QuestionGroup {
    let mut questions = Vec::new();
    // Every type but those of file descriptors, and numbers that are not types.
    for number in (2..=8).chain([0, 10, 77]) {
        let type_ = CUexternalMemoryHandleType(number);
        let name = name_without_prefix(type_, "CU_EXTERNAL_MEMORY_HANDLE_TYPE_", number);
        questions
            .push(Question::new(format!("cuImportExternalMemory, {name}"), move || import_memory(type_)));
    }
    for number in (2..=8).chain([10, 0, 11, 77]) {
        let type_ = CUexternalSemaphoreHandleType(number);
        let name = name_without_prefix(type_, "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_", number);
        questions.push(Question::new(format!("cuImportExternalSemaphore, {name}"), move || {
            import_semaphore(type_)
        }));
    }
    for number in [0, 1, 2, 4, 8] {
        let type_ = CUmemAllocationHandleType(number);
        let name = name_without_prefix(type_, "CU_MEM_HANDLE_TYPE_", number);
        let name = format!("cuMemCreate and cuMemExportToShareableHandle, {name}");
        questions.push(Question::new(name, move || create_and_export(type_)));
    }
    let dma_buf = || super::fixtures::descriptors::dma_buf().map(|_| answer_code(CUDA_SUCCESS));
    questions.push(Question::new("cuMemGetHandleForAddressRange, DMA_BUF_FD", dma_buf));
    QuestionGroup::new("handle-types", questions)
}

fn import_memory(type_: CUexternalMemoryHandleType) -> Result<()> {
    cuda(0)?;
    let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { type_, size: 1 << 21, ..Default::default() };
    desc.handle.win32.handle = not_a_handle();
    // Resources are always dedicated, which the flag must state.
    if matches!(
        type_,
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE
            | CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE
            | CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT
    ) {
        desc.flags = CUDA_EXTERNAL_MEMORY_DEDICATED;
    }
    answer_code(unsafe { cuImportExternalMemory(&mut null_mut(), &desc) });
    Ok(())
}

fn import_semaphore(type_: CUexternalSemaphoreHandleType) -> Result<()> {
    cuda(0)?;
    let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_, ..Default::default() };
    desc.handle.win32.handle = not_a_handle();
    answer_code(unsafe { cuImportExternalSemaphore(&mut null_mut(), &desc) });
    Ok(())
}

fn create_and_export(type_: CUmemAllocationHandleType) -> Result<()> {
    let properties = CUmemAllocationProp {
        type_: CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: type_,
        location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: cuda(0)?.device },
        ..Default::default()
    };
    let (mut handle, mut exported) = (0, [0_u64; 8]);
    unsafe {
        match cuMemCreate(&mut handle, 2 << 20, &properties, 0) {
            CUDA_SUCCESS => {
                answer_code(cuMemExportToShareableHandle(exported.as_mut_ptr().cast(), handle, type_, 0));
            }
            code => write_answer(format!("{code:?} of cuMemCreate")),
        }
    }
    Ok(())
}
