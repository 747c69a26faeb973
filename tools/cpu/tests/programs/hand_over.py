# Vulkan fills a buffer and signals a timeline. CUDA waits for it, reads the bytes and signals back.
import vulkan as vk
from cuda.bindings import driver as cuda

SIZE = 65536
OPAQUE_FD, TIMELINE_FD = 1, 9


def value(result):
    assert result[0] == cuda.CUresult.CUDA_SUCCESS, result
    return result[-1]


value(cuda.cuInit(0))
value(cuda.cuCtxSetCurrent(value(cuda.cuDevicePrimaryCtxRetain(0))))
version = vk.VkApplicationInfo(apiVersion=vk.VK_MAKE_VERSION(1, 2, 0))
instance = vk.vkCreateInstance(vk.VkInstanceCreateInfo(pApplicationInfo=version), None)
extensions = ["VK_KHR_external_memory_fd", "VK_KHR_external_semaphore_fd"]
queue = vk.VkDeviceQueueCreateInfo(queueFamilyIndex=0, pQueuePriorities=[1])
features = vk.VkPhysicalDeviceVulkan12Features(timelineSemaphore=1)
info = vk.VkDeviceCreateInfo(pNext=features, pQueueCreateInfos=[queue], ppEnabledExtensionNames=extensions)
device = vk.vkCreateDevice(vk.vkEnumeratePhysicalDevices(instance)[0], info, None)


def exported(name, info):
    return vk.vkGetDeviceProcAddr(device, name)(device, info)


usage = vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT
external = vk.VkExternalMemoryBufferCreateInfo(handleTypes=OPAQUE_FD)
buffer = vk.vkCreateBuffer(device, vk.VkBufferCreateInfo(pNext=external, size=SIZE, usage=usage), None)
export = vk.VkExportMemoryAllocateInfo(handleTypes=OPAQUE_FD)
info = vk.VkMemoryAllocateInfo(pNext=export, allocationSize=SIZE, memoryTypeIndex=0)
memory = vk.vkAllocateMemory(device, info, None)
vk.vkBindBufferMemory(device, buffer, memory, 0)
export = vk.VkExportSemaphoreCreateInfo(handleTypes=OPAQUE_FD)
kind = vk.VkSemaphoreTypeCreateInfo(pNext=export, semaphoreType=vk.VK_SEMAPHORE_TYPE_TIMELINE)
semaphore = vk.vkCreateSemaphore(device, vk.VkSemaphoreCreateInfo(pNext=kind), None)

desc = cuda.CUDA_EXTERNAL_MEMORY_HANDLE_DESC()
desc.type, desc.size = cuda.CUexternalMemoryHandleType(OPAQUE_FD), SIZE
info = vk.VkMemoryGetFdInfoKHR(memory=memory, handleType=OPAQUE_FD)
desc.handle.fd = exported("vkGetMemoryFdKHR", info)
imported = value(cuda.cuImportExternalMemory(desc))
desc = cuda.CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC()
desc.type = cuda.CUexternalSemaphoreHandleType(TIMELINE_FD)
info = vk.VkSemaphoreGetFdInfoKHR(semaphore=semaphore, handleType=OPAQUE_FD)
desc.handle.fd = exported("vkGetSemaphoreFdKHR", info)
timeline = value(cuda.cuImportExternalSemaphore(desc))
desc = cuda.CUDA_EXTERNAL_MEMORY_BUFFER_DESC()
desc.size = SIZE
address = value(cuda.cuExternalMemoryGetMappedBuffer(imported, desc))

pool = vk.vkCreateCommandPool(device, vk.VkCommandPoolCreateInfo(queueFamilyIndex=0), None)
info = vk.VkCommandBufferAllocateInfo(commandPool=pool, commandBufferCount=1)
commands = vk.vkAllocateCommandBuffers(device, info)[0]
vk.vkBeginCommandBuffer(commands, vk.VkCommandBufferBeginInfo())
vk.vkCmdFillBuffer(commands, buffer, 0, SIZE, 0x01020304)
stage = vk.VK_PIPELINE_STAGE_TRANSFER_BIT
external = vk.VkBufferMemoryBarrier(
    srcAccessMask=vk.VK_ACCESS_TRANSFER_WRITE_BIT,
    srcQueueFamilyIndex=0,
    dstQueueFamilyIndex=vk.VK_QUEUE_FAMILY_EXTERNAL,
    buffer=buffer,
    size=SIZE,
)
vk.vkCmdPipelineBarrier(commands, stage, stage, 0, 0, None, 1, [external], 0, None)
vk.vkEndCommandBuffer(commands)
values = vk.VkTimelineSemaphoreSubmitInfo(pSignalSemaphoreValues=[1])
submit = vk.VkSubmitInfo(pNext=values, pCommandBuffers=[commands], pSignalSemaphores=[semaphore])
vk.vkQueueSubmit(vk.vkGetDeviceQueue(device, 0, 0), 1, [submit], None)
wait, signal = cuda.CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS(), cuda.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS()
wait.params.fence.value, signal.params.fence.value = 1, 2
stream, seen = value(cuda.cuStreamCreate(1)), bytearray(SIZE)
value(cuda.cuWaitExternalSemaphoresAsync([timeline], [wait], 1, stream))
value(cuda.cuMemcpyDtoHAsync(seen, address, SIZE, stream))
value(cuda.cuSignalExternalSemaphoresAsync([timeline], [signal], 1, stream))
vk.vkWaitSemaphores(device, vk.VkSemaphoreWaitInfo(pSemaphores=[semaphore], pValues=[2]), 10**10)
assert seen == bytes([4, 3, 2, 1]) * (SIZE // 4)
value(cuda.cuMemFree(address))
value(cuda.cuDestroyExternalMemory(imported))
value(cuda.cuDestroyExternalSemaphore(timeline))
print(f"{SIZE} bytes are equal")
