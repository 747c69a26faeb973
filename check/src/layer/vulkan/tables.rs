//! The next layer's functions, and which device a handle belongs to.

use std::collections::HashMap;
use std::ffi::CStr;
use std::mem::transmute;
use std::sync::{Arc, PoisonError, RwLock};

use ash::vk;

/// A table of functions, each by its name or by that of the extension that it came from.
macro_rules! table {
    ($(#[$doc:meta])* $table:ident { $($field:ident: $pfn:ident = $name:literal $(or $extension:literal)?,)* }) => {
        $(#[$doc])*
        pub struct $table {
            $(pub $field: Option<vk::$pfn>,)*
        }

        impl $table {
            /// # Safety
            ///
            /// `find` returns the functions of these names, or null.
            pub unsafe fn load(find: impl Fn(&CStr) -> vk::PFN_vkVoidFunction) -> Self {
                // SAFETY: a function of this name has this type.
                unsafe { Self { $($field: transmute::<vk::PFN_vkVoidFunction, Option<vk::$pfn>>(
                    find($name)$(.or_else(|| find($extension)))?
                ),)* } }
            }
        }
    };
}

table! {
    /// Of an instance.
    InstanceTable {
        destroy_instance: PFN_vkDestroyInstance = c"vkDestroyInstance",
        get_properties: PFN_vkGetPhysicalDeviceProperties2
            = c"vkGetPhysicalDeviceProperties2" or c"vkGetPhysicalDeviceProperties2KHR",
    }
}

table! {
    /// Of a device.
    DeviceTable {
        destroy_device: PFN_vkDestroyDevice = c"vkDestroyDevice",
        device_wait_idle: PFN_vkDeviceWaitIdle = c"vkDeviceWaitIdle",
        queue_wait_idle: PFN_vkQueueWaitIdle = c"vkQueueWaitIdle",
        queue_submit: PFN_vkQueueSubmit = c"vkQueueSubmit",
        queue_submit2: PFN_vkQueueSubmit2 = c"vkQueueSubmit2" or c"vkQueueSubmit2KHR",
        wait_for_fences: PFN_vkWaitForFences = c"vkWaitForFences",
        get_fence_status: PFN_vkGetFenceStatus = c"vkGetFenceStatus",
        allocate_memory: PFN_vkAllocateMemory = c"vkAllocateMemory",
        free_memory: PFN_vkFreeMemory = c"vkFreeMemory",
        bind_buffer: PFN_vkBindBufferMemory = c"vkBindBufferMemory",
        bind_buffers: PFN_vkBindBufferMemory2 = c"vkBindBufferMemory2" or c"vkBindBufferMemory2KHR",
        destroy_buffer: PFN_vkDestroyBuffer = c"vkDestroyBuffer",
        create_image: PFN_vkCreateImage = c"vkCreateImage",
        destroy_image: PFN_vkDestroyImage = c"vkDestroyImage",
        bind_image: PFN_vkBindImageMemory = c"vkBindImageMemory",
        bind_images: PFN_vkBindImageMemory2 = c"vkBindImageMemory2" or c"vkBindImageMemory2KHR",
        create_semaphore: PFN_vkCreateSemaphore = c"vkCreateSemaphore",
        destroy_semaphore: PFN_vkDestroySemaphore = c"vkDestroySemaphore",
        signal_semaphore: PFN_vkSignalSemaphore = c"vkSignalSemaphore" or c"vkSignalSemaphoreKHR",
        wait_semaphores: PFN_vkWaitSemaphores = c"vkWaitSemaphores" or c"vkWaitSemaphoresKHR",
        get_counter: PFN_vkGetSemaphoreCounterValue
            = c"vkGetSemaphoreCounterValue" or c"vkGetSemaphoreCounterValueKHR",
        get_memory_fd: PFN_vkGetMemoryFdKHR = c"vkGetMemoryFdKHR",
        get_semaphore_fd: PFN_vkGetSemaphoreFdKHR = c"vkGetSemaphoreFdKHR",
        import_semaphore_fd: PFN_vkImportSemaphoreFdKHR = c"vkImportSemaphoreFdKHR",
        begin_commands: PFN_vkBeginCommandBuffer = c"vkBeginCommandBuffer",
        free_commands: PFN_vkFreeCommandBuffers = c"vkFreeCommandBuffers",
        execute_commands: PFN_vkCmdExecuteCommands = c"vkCmdExecuteCommands",
        barrier: PFN_vkCmdPipelineBarrier = c"vkCmdPipelineBarrier",
        barrier2: PFN_vkCmdPipelineBarrier2 = c"vkCmdPipelineBarrier2" or c"vkCmdPipelineBarrier2KHR",
        copy_buffer: PFN_vkCmdCopyBuffer = c"vkCmdCopyBuffer",
        copy_image: PFN_vkCmdCopyImage = c"vkCmdCopyImage",
        blit_image: PFN_vkCmdBlitImage = c"vkCmdBlitImage",
        copy_buffer_to_image: PFN_vkCmdCopyBufferToImage = c"vkCmdCopyBufferToImage",
        copy_image_to_buffer: PFN_vkCmdCopyImageToBuffer = c"vkCmdCopyImageToBuffer",
        fill_buffer: PFN_vkCmdFillBuffer = c"vkCmdFillBuffer",
        update_buffer: PFN_vkCmdUpdateBuffer = c"vkCmdUpdateBuffer",
        clear_image: PFN_vkCmdClearColorImage = c"vkCmdClearColorImage",
    }
}

pub struct Instance {
    pub table: InstanceTable,
    pub get_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    pub handle: vk::Instance,
}

pub struct Device {
    pub table: DeviceTable,
    pub get_proc_addr: vk::PFN_vkGetDeviceProcAddr,
    pub handle: vk::Device,
    /// The physical device's, where Vulkan tells it.
    pub uuid: Option<[u8; 16]>,
}

/// The instances and devices that are alive, by what their handles point to first: the loader gives it to a device's queues and
/// command buffers too.
pub struct Tables<T>(RwLock<Option<HashMap<usize, Arc<T>>>>);

pub static INSTANCES: Tables<Instance> = Tables(RwLock::new(None));
pub static DEVICES: Tables<Device> = Tables(RwLock::new(None));

/// # Safety
///
/// The handle is of an instance, a physical device, a device, a queue or a command buffer.
unsafe fn key(handle: impl vk::Handle) -> usize {
    // SAFETY: such a handle points to the loader's table.
    unsafe { *(handle.as_raw() as *const usize) }
}

impl<T> Tables<T> {
    /// # Safety
    ///
    /// As for `key`.
    pub unsafe fn add(&self, handle: impl vk::Handle, new: T) {
        let mut tables = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the caller's promise.
        tables.get_or_insert_default().insert(unsafe { key(handle) }, Arc::new(new));
    }

    /// # Safety
    ///
    /// As for `key`.
    pub unsafe fn get(&self, handle: impl vk::Handle) -> Option<Arc<T>> {
        let tables = self.0.read().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the caller's promise.
        tables.as_ref()?.get(&unsafe { key(handle) }).cloned()
    }

    /// # Safety
    ///
    /// As for `key`.
    pub unsafe fn remove(&self, handle: impl vk::Handle) -> Option<Arc<T>> {
        let mut tables = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the caller's promise.
        tables.as_mut()?.remove(&unsafe { key(handle) })
    }
}
