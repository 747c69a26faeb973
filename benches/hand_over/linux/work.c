/* The work of work.rs, in C: function by function the same. */
#include <cuda.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* vkQueueSubmit. c_and_rust.rs fills in its arguments, so no Vulkan header is needed. */
typedef int32_t submit(void *queue, uint32_t count, const void *submits, void *fence);

struct work {
    int fd;
    uint64_t size;
    CUstream stream;
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

CUresult hand_over(struct work *work, uint64_t times) {
    for (; times > 0; times--) {
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal;
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait;
        memset(&signal, 0, sizeof signal);
        memset(&wait, 0, sizeof wait);
        signal.params.fence.value = wait.params.fence.value = ++*work->value;
        TRY(cuSignalExternalSemaphoresAsync(&work->to_vulkan, &signal, 1, work->stream));
        if (work->submit(work->queue, 1, work->submission, 0) != 0) return CUDA_ERROR_UNKNOWN;
        TRY(cuWaitExternalSemaphoresAsync(&work->to_cuda, &wait, 1, work->stream));
    }
    return cuStreamSynchronize(work->stream);
}
