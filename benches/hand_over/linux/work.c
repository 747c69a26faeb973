/* The work of work.rs, in C, call by call the same. */
#include <cuda.h>
#include <stdint.h>
#include <string.h>

/* vkQueueSubmit. c_and_rust.rs fills in its arguments, so no Vulkan header is needed. */
typedef int32_t submit(void *queue, uint32_t count, const void *submits, void *fence);

struct work {
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
