/* The work of work.rs, in C: function by function the same. */
#include <cuda.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* vkQueueSubmit. setups.rs fills in its arguments, so no header of Vulkan's is needed. */
typedef int32_t submit(void *queue, uint32_t count, const void *submits, void *fence);

struct work {
    int fd;
    uint64_t size;
    CUstream stream;
    CUdeviceptr from, to;
    CUmipmappedArray image;
    uint32_t levels, width, height, texel;
    CUexternalSemaphore to_vulkan, to_cuda;
    submit *submit;
    void *queue;
    const void *submission;
    uint64_t *value;
};

#define TRY(call)                                                                                        \
    do {                                                                                                 \
        CUresult code = call;                                                                            \
        if (code != CUDA_SUCCESS) return code;                                                           \
    } while (0)

CUresult import(struct work *work, uint64_t times) {
    for (; times > 0; times--) {
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC handle;
        memset(&handle, 0, sizeof handle);
        handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
        handle.handle.fd = dup(work->fd);
        handle.size = work->size;
        CUexternalMemory memory;
        TRY(cuImportExternalMemory(&memory, &handle));
        CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer;
        memset(&buffer, 0, sizeof buffer);
        buffer.size = work->size;
        CUdeviceptr address;
        TRY(cuExternalMemoryGetMappedBuffer(&address, memory, &buffer));
        TRY(cuMemFree(address));
        TRY(cuDestroyExternalMemory(memory));
    }
    return CUDA_SUCCESS;
}

CUresult copy(struct work *work, uint64_t times) {
    for (; times > 0; times--) TRY(cuMemcpyDtoDAsync(work->to, work->from, work->size, work->stream));
    return cuStreamSynchronize(work->stream);
}

CUresult copy_image(struct work *work, uint64_t times) {
    for (; times > 0; times--) {
        size_t offset = 0;
        for (uint32_t level = 0; level < work->levels; level++) {
            CUarray array;
            TRY(cuMipmappedArrayGetLevel(&array, work->image, level));
            CUDA_MEMCPY3D copy;
            memset(&copy, 0, sizeof copy);
            copy.WidthInBytes = (size_t)(work->width >> level) * work->texel;
            copy.Height = work->height >> level;
            copy.Depth = 1;
            copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
            copy.srcDevice = work->from + offset;
            copy.srcPitch = copy.WidthInBytes;
            copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
            copy.dstArray = array;
            TRY(cuMemcpy3DAsync(&copy, work->stream));
            copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
            copy.srcArray = array;
            copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
            copy.dstDevice = work->to + offset;
            copy.dstPitch = copy.WidthInBytes;
            TRY(cuMemcpy3DAsync(&copy, work->stream));
            offset += copy.WidthInBytes * copy.Height;
        }
    }
    return cuStreamSynchronize(work->stream);
}

static CUresult signal(struct work *work, CUexternalSemaphore semaphore) {
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS params;
    memset(&params, 0, sizeof params);
    params.params.fence.value = *work->value;
    return cuSignalExternalSemaphoresAsync(&semaphore, &params, 1, work->stream);
}

static CUresult wait(struct work *work, CUexternalSemaphore semaphore) {
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS params;
    memset(&params, 0, sizeof params);
    params.params.fence.value = *work->value;
    return cuWaitExternalSemaphoresAsync(&semaphore, &params, 1, work->stream);
}

/* CUDA signals, Vulkan waits and signals, CUDA waits. */
static CUresult hand_over(struct work *work) {
    ++*work->value;
    TRY(signal(work, work->to_vulkan));
    if (work->submit(work->queue, 1, work->submission, 0) != 0) return CUDA_ERROR_UNKNOWN;
    return wait(work, work->to_cuda);
}

CUresult hand_over_and_see(struct work *work, uint64_t times) {
    for (; times > 0; times--) {
        TRY(hand_over(work));
        TRY(cuStreamSynchronize(work->stream));
    }
    return CUDA_SUCCESS;
}

CUresult hand_over_all(struct work *work, uint64_t times) {
    for (; times > 0; times--) TRY(hand_over(work));
    return cuStreamSynchronize(work->stream);
}

/* Without Vulkan: what CUDA signals, CUDA waits for. */
CUresult signal_and_wait(struct work *work, uint64_t times) {
    for (; times > 0; times--) {
        ++*work->value;
        TRY(signal(work, work->to_vulkan));
        TRY(wait(work, work->to_vulkan));
    }
    return cuStreamSynchronize(work->stream);
}
