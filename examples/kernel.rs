//! Vulkan fills a buffer, a CUDA kernel changes every 32-bit integer in it, and Vulkan copies the integers for the CPU.
//! All calls to CUDA and Vulkan are in this file. It uses no CUDA crate except cuda-external-sys, and no CUDA runtime.
//!
//! The documentation's page "vulkan_image" explains this file in its section about a buffer. Look at
//!
//! - the device, matched by UUID;
//! - the size of the allocation, and the two file descriptors, which the program gives up at the imports;
//! - the timeline semaphore, for which the GPU waits instead of the CPU: each signal is enqueued before its wait;
//! - the barriers to VK_QUEUE_FAMILY_EXTERNAL and back, on a queue without graphics and compute, if there is one;
//! - the kernel's PTX, which the driver compiles for the GPU.

example_support::example_main!(unix, "kernel.rs", example);

/// `words[i] = words[i] * factor + i` for each `i` below `count`. PTX for sm_75 runs on Turing and all later GPUs.
#[cfg(unix)]
const PTX: &std::ffi::CStr = c"
.version 6.3
.target sm_75
.address_size 64

.visible .entry scale(.param .u64 words, .param .u32 count, .param .u32 factor)
{
    .reg .pred %beyond;
    .reg .b32 %i, %threads, %block, %thread, %count, %factor, %word;
    .reg .b64 %words, %offset, %at;

    ld.param.u64 %words, [words];
    ld.param.u32 %count, [count];
    ld.param.u32 %factor, [factor];
    mov.u32 %block, %ctaid.x;
    mov.u32 %threads, %ntid.x;
    mov.u32 %thread, %tid.x;
    mad.lo.s32 %i, %block, %threads, %thread;
    setp.ge.u32 %beyond, %i, %count;
    @%beyond bra DONE;

    cvta.to.global.u64 %words, %words;
    mul.wide.u32 %offset, %i, 4;
    add.s64 %at, %words, %offset;
    ld.global.u32 %word, [%at];
    mad.lo.s32 %word, %word, %factor, %i;
    st.global.u32 [%at], %word;
DONE:
    ret;
}
";

#[cfg(unix)]
fn example() -> example_support::Result<()> {
    use std::ptr::null_mut;

    use ash::{khr, vk};
    use cuda_external_sys::*;
    use example_support::Error;

    const COUNT: u32 = 1_000_000;
    const FIRST: u32 = 7;
    const FACTOR: u32 = 3;
    const SIZE: u64 = 4 * COUNT as u64;
    const OPAQUE_FD: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
    /// The timeline's values: Vulkan has filled the buffer, CUDA has changed it.
    const FILLED: u64 = 1;
    const CHANGED: u64 = 2;

    // SAFETY: each pointer is null where allowed, or valid for its type. No handle is used after its destruction.
    unsafe {
        // Opens CUDA's device, and makes its primary context current in this thread.
        match cuInit(0) {
            code @ (CUDA_ERROR_NO_DEVICE
            | CUDA_ERROR_STUB_LIBRARY
            | CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
            | CUDA_ERROR_SHARED_OBJECT_INIT_FAILED) => return Err(Error::Missing(format!("cuInit: {code}"))),
            code => code.result()?,
        }
        let (mut device, mut uuid, mut context) = (0, CUuuid::default(), null_mut());
        cuDeviceGet(&mut device, 0).result()?;
        cuDeviceGetUuid(&mut uuid, device).result()?;
        cuDevicePrimaryCtxRetain(&mut context, device).result()?;
        cuCtxSetCurrent(context).result()?;

        // Finds the same device in Vulkan.
        let entry = ash::Entry::load().map_err(|error| Error::Missing(error.to_string()))?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        let instance = entry
            .create_instance(&info, None)
            .map_err(|code| Error::Missing(format!("Vulkan has no driver: {code:?}")))?;
        let is_same = |&physical: &vk::PhysicalDevice| {
            let mut id = vk::PhysicalDeviceIDProperties::default();
            let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut id);
            instance.get_physical_device_properties2(physical, &mut properties);
            id.device_uuid == uuid.to_bytes()
        };
        let physical = instance.enumerate_physical_devices()?.into_iter().find(is_same);
        let physical = physical.ok_or_else(|| Error::Missing(format!("Vulkan does not have {uuid}")))?;

        // Chooses a queue family that copies, without graphics and compute if there is one.
        let families = instance.get_physical_device_queue_family_properties(physical);
        let flags = |family: u32| families[family as usize].queue_flags;
        let can_copy = vk::QueueFlags::TRANSFER | vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
        let family = (0..families.len() as u32)
            .filter(|&family| flags(family).intersects(can_copy))
            .min_by_key(|&family| (flags(family) & can_copy).as_raw().count_ones())
            .ok_or_else(|| Error::Missing("a queue that copies".to_owned()))?;
        println!("{uuid}, queue family {family}: {:?}", flags(family));
        let queues =
            [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
        let extensions = [khr::external_memory_fd::NAME.as_ptr(), khr::external_semaphore_fd::NAME.as_ptr()];
        let mut timelines = vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true);
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&extensions)
            .push_next(&mut timelines);
        let vulkan = instance.create_device(physical, &info, None)?;
        let queue = vulkan.get_device_queue(family, 0);
        let memories = instance.get_physical_device_memory_properties(physical);
        let memory_type = |bits: u32, flags| {
            let is_one = |i: &u32| {
                bits & 1 << i != 0 && memories.memory_types[*i as usize].property_flags.contains(flags)
            };
            (0..memories.memory_type_count)
                .find(is_one)
                .ok_or_else(|| Error::Missing(format!("{flags:?} memory")))
        };

        // Creates an exportable buffer and its memory. The allocation is dedicated if Vulkan prefers that.
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(OPAQUE_FD);
        let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let info = vk::BufferCreateInfo::default().size(SIZE).usage(usage);
        let buffer = vulkan.create_buffer(&info.push_next(&mut external), None)?;
        let mut wants = vk::MemoryDedicatedRequirements::default();
        let mut needs = vk::MemoryRequirements2::default().push_next(&mut wants);
        let of_buffer = vk::BufferMemoryRequirementsInfo2::default().buffer(buffer);
        vulkan.get_buffer_memory_requirements2(&of_buffer, &mut needs);
        let needs = needs.memory_requirements;
        let is_dedicated = wants.prefers_dedicated_allocation == vk::TRUE; // or requires it
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(OPAQUE_FD);
        let mut dedicated = vk::MemoryDedicatedAllocateInfo::default().buffer(buffer);
        let mut info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(memory_type(needs.memory_type_bits, vk::MemoryPropertyFlags::DEVICE_LOCAL)?)
            .push_next(&mut export);
        if is_dedicated {
            info = info.push_next(&mut dedicated);
        }
        let memory = vulkan.allocate_memory(&info, None)?;
        vulkan.bind_buffer_memory(buffer, memory, 0)?;
        let info = vk::MemoryGetFdInfoKHR::default().memory(memory).handle_type(OPAQUE_FD);
        let memory_fd = khr::external_memory_fd::Device::new(&instance, &vulkan).get_memory_fd(&info)?;

        // Creates a buffer that the CPU reads.
        let info = vk::BufferCreateInfo::default().size(SIZE).usage(vk::BufferUsageFlags::TRANSFER_DST);
        let host_buffer = vulkan.create_buffer(&info, None)?;
        let host_needs = vulkan.get_buffer_memory_requirements(host_buffer);
        let host_flags = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(host_needs.size)
            .memory_type_index(memory_type(host_needs.memory_type_bits, host_flags)?);
        let host_memory = vulkan.allocate_memory(&info, None)?;
        vulkan.bind_buffer_memory(host_buffer, host_memory, 0)?;

        // Creates a timeline semaphore, and exports it.
        let handle_type = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(handle_type);
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut export).push_next(&mut kind);
        let semaphore = vulkan.create_semaphore(&info, None)?;
        let info = vk::SemaphoreGetFdInfoKHR::default().semaphore(semaphore).handle_type(handle_type);
        let semaphore_fd =
            khr::external_semaphore_fd::Device::new(&instance, &vulkan).get_semaphore_fd(&info)?;

        // CUDA imports the memory and the semaphore. The program gives the descriptors up here, and never closes them.
        let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
            type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
            size: needs.size,
            flags: if is_dedicated { CUDA_EXTERNAL_MEMORY_DEDICATED } else { 0 },
            ..Default::default()
        };
        desc.handle.fd = memory_fd;
        let mut imported = null_mut();
        cuImportExternalMemory(&mut imported, &desc).result()?;
        let range = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { size: SIZE, ..Default::default() };
        let mut address: CUdeviceptr = 0;
        cuExternalMemoryGetMappedBuffer(&mut address, imported, &range).result()?;
        let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
            type_: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
            ..Default::default()
        };
        desc.handle.fd = semaphore_fd;
        let mut timeline = null_mut();
        cuImportExternalSemaphore(&mut timeline, &desc).result()?;

        let (mut module, mut kernel, mut stream) = (null_mut(), null_mut(), null_mut());
        cuModuleLoadData(&mut module, PTX.as_ptr().cast()).result()?;
        let found = cuModuleGetFunction(&mut kernel, module, c"scale".as_ptr());
        if found == CUDA_ERROR_NOT_SUPPORTED {
            return Err(Error::Missing("a driver that compiles PTX".to_owned())); // cuda-external-cpu
        }
        found.result()?;
        cuStreamCreate(&mut stream, CU_STREAM_NON_BLOCKING.into()).result()?;

        // Records Vulkan's commands before and after CUDA's work. Barriers release the buffer to CUDA and acquire it.
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        let pool = vulkan.create_command_pool(&info, None)?;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(2);
        let commands = vulkan.allocate_command_buffers(&info)?;
        let once = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        let (copy, end) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::BOTTOM_OF_PIPE);
        let barrier = |from: u32, to: u32| {
            vk::BufferMemoryBarrier::default()
                .buffer(buffer)
                .size(vk::WHOLE_SIZE)
                .src_queue_family_index(from)
                .dst_queue_family_index(to)
        };
        vulkan.begin_command_buffer(commands[0], &once)?;
        vulkan.cmd_fill_buffer(commands[0], buffer, 0, SIZE, FIRST);
        let release =
            barrier(family, vk::QUEUE_FAMILY_EXTERNAL).src_access_mask(vk::AccessFlags::TRANSFER_WRITE);
        vulkan.cmd_pipeline_barrier(commands[0], copy, end, Default::default(), &[], &[release], &[]);
        vulkan.end_command_buffer(commands[0])?;
        // The source stage of `acquire` is the stage at which the submission waits for CUDA's signal.
        vulkan.begin_command_buffer(commands[1], &once)?;
        let acquire =
            barrier(vk::QUEUE_FAMILY_EXTERNAL, family).dst_access_mask(vk::AccessFlags::TRANSFER_READ);
        vulkan.cmd_pipeline_barrier(commands[1], copy, copy, Default::default(), &[], &[acquire], &[]);
        vulkan.cmd_copy_buffer(commands[1], buffer, host_buffer, &[vk::BufferCopy::default().size(SIZE)]);
        let to_host = vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ);
        let host = vk::PipelineStageFlags::HOST;
        vulkan.cmd_pipeline_barrier(commands[1], copy, host, Default::default(), &[to_host], &[], &[]);
        vulkan.end_command_buffer(commands[1])?;

        // Everything is enqueued at once, each signal before its wait. First Vulkan signals FILLED.
        let filled = [FILLED];
        let mut values = vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&filled);
        let info = vk::SubmitInfo::default()
            .command_buffers(&commands[..1])
            .signal_semaphores(std::slice::from_ref(&semaphore))
            .push_next(&mut values);
        vulkan.queue_submit(queue, &[info], vk::Fence::null())?;

        // CUDA waits for FILLED, runs the kernel, and signals CHANGED.
        let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
        wait.params.fence.value = FILLED;
        cuWaitExternalSemaphoresAsync(&timeline, &wait, 1, stream).result()?;
        let (mut count, mut factor) = (COUNT, FACTOR);
        let mut arguments = [(&raw mut address).cast(), (&raw mut count).cast(), (&raw mut factor).cast()];
        let blocks = COUNT.div_ceil(256);
        cuLaunchKernel(kernel, blocks, 1, 1, 256, 1, 1, 0, stream, arguments.as_mut_ptr(), null_mut())
            .result()?;
        let mut signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
        signal.params.fence.value = CHANGED;
        cuSignalExternalSemaphoresAsync(&timeline, &signal, 1, stream).result()?;

        // Vulkan waits for CHANGED at the stage of its copy, and signals a fence.
        let changed = [CHANGED];
        let mut values = vk::TimelineSemaphoreSubmitInfo::default().wait_semaphore_values(&changed);
        let info = vk::SubmitInfo::default()
            .wait_semaphores(std::slice::from_ref(&semaphore))
            .wait_dst_stage_mask(std::slice::from_ref(&copy))
            .command_buffers(&commands[1..])
            .push_next(&mut values);
        let copied = vulkan.create_fence(&vk::FenceCreateInfo::default(), None)?;
        vulkan.queue_submit(queue, &[info], copied)?;

        // The CPU waits only here, for the fence.
        vulkan.wait_for_fences(&[copied], true, 10_000_000_000)?;
        let words = vulkan.map_memory(host_memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())?;
        let words = std::slice::from_raw_parts(words.cast::<u32>().cast_const(), COUNT as usize);
        let wrong = (0..COUNT).zip(words).filter(|(i, word)| **word != FIRST * FACTOR + i).count();
        println!(
            "{COUNT} 32-bit integers filled by Vulkan, changed by a kernel and read by Vulkan: {wrong} of them wrong"
        );

        // Teardown: CUDA's mapping, imports, module, stream and context, then Vulkan's objects.
        cuStreamSynchronize(stream).result()?;
        cuMemFree(address).result()?;
        cuDestroyExternalMemory(imported).result()?;
        cuDestroyExternalSemaphore(timeline).result()?;
        cuModuleUnload(module).result()?;
        cuStreamDestroy(stream).result()?;
        cuDevicePrimaryCtxRelease(device).result()?;
        vulkan.destroy_fence(copied, None);
        vulkan.destroy_command_pool(pool, None);
        vulkan.destroy_semaphore(semaphore, None);
        for (buffer, memory) in [(host_buffer, host_memory), (buffer, memory)] {
            vulkan.destroy_buffer(buffer, None);
            vulkan.free_memory(memory, None);
        }
        vulkan.destroy_device(None);
        instance.destroy_instance(None);
        match wrong {
            0 => Ok(()),
            wrong => Err(Error::Failed(format!("{wrong} 32-bit integers are wrong"))),
        }
    }
}
