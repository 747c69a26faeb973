/* What bindgen reads: the user's cuda.h, what it declares only behind a macro, and what the bindings rely on. */

/* It renames functions. The driver exports both names of the two that are declared below. */
#undef CUDA_API_PER_THREAD_DEFAULT_STREAM
/* They declare the functions of older releases. */
#undef CUDA_FORCE_API_VERSION
#undef __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

/* The per-thread default stream forms, by the versions of the structs that these symbols take. */
CUresult CUDAAPI cuSignalExternalSemaphoresAsync_ptsz(
    const CUexternalSemaphore *extSemArray,
    const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1 *paramsArray,
    unsigned int numExtSems, CUstream stream);
CUresult CUDAAPI cuWaitExternalSemaphoresAsync_ptsz(
    const CUexternalSemaphore *extSemArray,
    const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1 *paramsArray,
    unsigned int numExtSems, CUstream stream);

/* Older functions, of which newer ones have taken the name. A driver exports both. */
CUresult CUDAAPI cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev);
#undef cuEventElapsedTime
CUresult CUDAAPI cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd);

/* Those of cudaGL.h, which includes OpenGL's header. GLuint and GLenum are `unsigned int` there. */
CUresult CUDAAPI cuGraphicsGLRegisterBuffer(CUgraphicsResource *pCudaResource, unsigned int buffer, unsigned int Flags);
CUresult CUDAAPI cuGraphicsGLRegisterImage(
    CUgraphicsResource *pCudaResource, unsigned int image, unsigned int target, unsigned int Flags);

/* build/run_bindgen.rs shows these texts to the user. */
_Static_assert(sizeof(void *) == 8, "cuda-external-sys: CUDA has 64-bit targets only");
_Static_assert(sizeof(enum { CUDA_EXTERNAL_SYS_PROBE }) == sizeof(int), "cuda-external-sys: the clang arguments make enums short, as CUDA's ABI does not");
_Static_assert(sizeof(struct { char first; long long second; }) == 16, "cuda-external-sys: the clang arguments pack structs, as CUDA's ABI does not");
/* src/bindings/location.rs is written by hand. */
_Static_assert(
    sizeof(CUmemLocation) == 8 && _Alignof(CUmemLocation) == 4 &&
    __builtin_offsetof(CUmemLocation, type) == 0 && __builtin_offsetof(CUmemLocation, id) == 4 &&
    __builtin_types_compatible_p(__typeof__(((CUmemLocation *)0)->type), CUmemLocationType) &&
    __builtin_types_compatible_p(__typeof__(((CUmemLocation *)0)->id), int),
    "cuda-external-sys: CUmemLocation is not the struct that this version of the crate knows");
