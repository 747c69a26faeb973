#include <cuda.h>
#include <stddef.h>

/* Sizes and offsets as this compiler sees them, in the order of src/lib.rs. */
const size_t layout_of_cuda_h[] = {
    CUDA_VERSION,
    sizeof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC),
    offsetof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, handle),
    offsetof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, size),
    offsetof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, flags),
    sizeof(CUDA_EXTERNAL_MEMORY_BUFFER_DESC),
    offsetof(CUDA_EXTERNAL_MEMORY_BUFFER_DESC, size),
    sizeof(CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC),
    offsetof(CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC, numLevels),
    sizeof(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC),
    offsetof(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, flags),
    sizeof(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS),
    offsetof(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, params.keyedMutex),
    sizeof(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS),
    offsetof(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, params.keyedMutex.timeoutMs),
};
const size_t layout_count = sizeof(layout_of_cuda_h) / sizeof(layout_of_cuda_h[0]);
