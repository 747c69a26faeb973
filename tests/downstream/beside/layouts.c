#include <cuda.h>
#include <stddef.h>

/* Sizes and offsets as this compiler sees them, in the order of src/bin/layouts.rs. */
const size_t layout_of_cuda_h[4] = {
    CUDA_VERSION,
    sizeof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC),
    offsetof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, flags),
    offsetof(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, params.keyedMutex.timeoutMs),
};
