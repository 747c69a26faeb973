/* The loops of work.rs, in C: function by function the same. */
#include <cuda.h>
#include <stdint.h>
#include <string.h>

/* vkQueueSubmit, which needs no header of Vulkan's: the bench has filled in what it takes. */
typedef int32_t submit_function(void *queue, uint32_t count, const void *submits, void *fence);
typedef CUresult launch_function(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 CUstream, void **, void **);

struct step {
    void *queue;
    const void *submission;
};

struct work {
    CUstream stream;
    CUexternalSemaphore to_vulkan, to_cuda;
    submit_function *submit;
    const struct step *steps;
    uint32_t step_count, job;
    uint64_t *value, *late;
    CUdeviceptr to, from;
    uint64_t size;
    launch_function *launch;
    CUfunction kernel;
};

#define TRY(call)                                                                                        \
    do {                                                                                                 \
        CUresult code = call;                                                                            \
        if (code != CUDA_SUCCESS) return code;                                                           \
    } while (0)

static CUresult signal(const struct work *work) {
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS params;
    memset(&params, 0, sizeof params);
    params.params.fence.value = *work->value;
    return cuSignalExternalSemaphoresAsync(&work->to_vulkan, &params, 1, work->stream);
}

static CUresult wait(const struct work *work) {
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS params;
    memset(&params, 0, sizeof params);
    params.params.fence.value = *work->value;
    return cuWaitExternalSemaphoresAsync(&work->to_cuda, &params, 1, work->stream);
}

static CUresult submit(const struct work *work) {
    for (uint32_t at = 0; at < work->step_count; at++) {
        const struct step *step = &work->steps[at];
        if (work->submit(step->queue, 1, step->submission, 0) != 0) return CUDA_ERROR_UNKNOWN;
    }
    return CUDA_SUCCESS;
}

static CUresult cuda_job(const struct work *work) {
    uint32_t value = (uint32_t)*work->value, count = (uint32_t)(work->size / 4);
    CUdeviceptr to = work->to;
    void *parameters[] = {&to, &value, &count};
    switch (work->job) {
    case 0: return CUDA_SUCCESS;
    case 1: return cuMemsetD32Async(to, value, count, work->stream);
    case 2: return cuMemcpyDtoDAsync(to, work->from + value % 8 * work->size, work->size, work->stream);
    default: return work->launch(work->kernel, count / 256, 1, 1, 256, 1, 1, 0, work->stream, parameters, 0);
    }
}

static CUresult turn(const struct work *work) {
    ++*work->value;
    TRY(cuda_job(work));
    TRY(signal(work));
    TRY(submit(work));
    return wait(work);
}

CUresult one_at_a_time(const struct work *work, uint64_t times) {
    for (; times > 0; times--) {
        TRY(turn(work));
        TRY(cuStreamSynchronize(work->stream));
    }
    return CUDA_SUCCESS;
}

CUresult queued(const struct work *work, uint64_t times) {
    for (; times > 0; times--) TRY(turn(work));
    return cuStreamSynchronize(work->stream);
}

CUresult frames(const struct work *work, uint64_t times) {
    for (; times > 0; times--) {
        ++*work->value;
        *work->late = *work->value < 2 ? 0 : *work->value - 2;
        TRY(submit(work));
        TRY(wait(work));
        TRY(cuda_job(work));
        TRY(signal(work));
    }
    return cuStreamSynchronize(work->stream);
}
