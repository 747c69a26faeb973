/* What bindgen reads: the user's cuda.h, and what it declares only behind a macro. */
#include <cuda.h>

/* The per-thread default stream forms. cuda.h gives their names only to a program that defines
 * CUDA_API_PER_THREAD_DEFAULT_STREAM, which then loses the plain ones; the driver exports both. */
CUresult CUDAAPI cuSignalExternalSemaphoresAsync_ptsz(
    const CUexternalSemaphore *extSemArray,
    const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *paramsArray,
    unsigned int numExtSems, CUstream stream);
CUresult CUDAAPI cuWaitExternalSemaphoresAsync_ptsz(
    const CUexternalSemaphore *extSemArray,
    const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *paramsArray,
    unsigned int numExtSems, CUstream stream);
