/* bindgen reads this file: the user's cuda.h, declarations that cuda.h lacks, and assertions about layouts. */

/* With this macro cuda.h would rename functions. The names with `_ptsz` below are such names. */
#undef CUDA_API_PER_THREAD_DEFAULT_STREAM
/* With these macros cuda.h would declare the functions of older releases. */
#undef CUDA_FORCE_API_VERSION
#undef __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

/* The functions for the per-thread default stream. Their symbols take the first versions of the structs. */
CUresult CUDAAPI cuSignalExternalSemaphoresAsync_ptsz(
    const CUexternalSemaphore *extSemArray,
    const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1 *paramsArray,
    unsigned int numExtSems, CUstream stream);
CUresult CUDAAPI cuWaitExternalSemaphoresAsync_ptsz(
    const CUexternalSemaphore *extSemArray,
    const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1 *paramsArray,
    unsigned int numExtSems, CUstream stream);

/* Older functions, whose plain names mean newer ones in cuda.h. NVIDIA's driver exports both. */
CUresult CUDAAPI cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev);
#undef cuEventElapsedTime
CUresult CUDAAPI cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd);

/* Functions of cudaGL.h, which cannot be included without OpenGL's header. GLuint and GLenum are `unsigned int`. */
CUresult CUDAAPI cuGraphicsGLRegisterBuffer(CUgraphicsResource *pCudaResource, unsigned int buffer, unsigned int Flags);
CUresult CUDAAPI cuGraphicsGLRegisterImage(
    CUgraphicsResource *pCudaResource, unsigned int image, unsigned int target, unsigned int Flags);

/* Items of cudaEGL.h, which includes headers of EGL that no toolkit has. EGLImageKHR and EGLSyncKHR are `void *`. */
#define MAX_PLANES 3
typedef enum CUeglFrameType_enum { CU_EGL_FRAME_TYPE_ARRAY, CU_EGL_FRAME_TYPE_PITCH } CUeglFrameType;
typedef enum CUeglColorFormat_enum {
    CU_EGL_COLOR_FORMAT_YUV420_PLANAR, CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR, CU_EGL_COLOR_FORMAT_YUV422_PLANAR,
    CU_EGL_COLOR_FORMAT_YUV422_SEMIPLANAR, CU_EGL_COLOR_FORMAT_RGB, CU_EGL_COLOR_FORMAT_BGR, CU_EGL_COLOR_FORMAT_ARGB,
    CU_EGL_COLOR_FORMAT_RGBA, CU_EGL_COLOR_FORMAT_L, CU_EGL_COLOR_FORMAT_R, CU_EGL_COLOR_FORMAT_YUV444_PLANAR,
    CU_EGL_COLOR_FORMAT_YUV444_SEMIPLANAR, CU_EGL_COLOR_FORMAT_YUYV_422, CU_EGL_COLOR_FORMAT_UYVY_422,
    CU_EGL_COLOR_FORMAT_ABGR, CU_EGL_COLOR_FORMAT_BGRA, CU_EGL_COLOR_FORMAT_A, CU_EGL_COLOR_FORMAT_RG,
    CU_EGL_COLOR_FORMAT_AYUV, CU_EGL_COLOR_FORMAT_YVU444_SEMIPLANAR, CU_EGL_COLOR_FORMAT_YVU422_SEMIPLANAR,
    CU_EGL_COLOR_FORMAT_YVU420_SEMIPLANAR, CU_EGL_COLOR_FORMAT_Y10V10U10_444_SEMIPLANAR,
    CU_EGL_COLOR_FORMAT_Y10V10U10_420_SEMIPLANAR, CU_EGL_COLOR_FORMAT_Y12V12U12_444_SEMIPLANAR,
    CU_EGL_COLOR_FORMAT_Y12V12U12_420_SEMIPLANAR, CU_EGL_COLOR_FORMAT_VYUY_ER, CU_EGL_COLOR_FORMAT_UYVY_ER,
    CU_EGL_COLOR_FORMAT_YUYV_ER, CU_EGL_COLOR_FORMAT_YVYU_ER, CU_EGL_COLOR_FORMAT_YUV_ER, CU_EGL_COLOR_FORMAT_YUVA_ER,
    CU_EGL_COLOR_FORMAT_AYUV_ER, CU_EGL_COLOR_FORMAT_YUV444_PLANAR_ER, CU_EGL_COLOR_FORMAT_YUV422_PLANAR_ER,
    CU_EGL_COLOR_FORMAT_YUV420_PLANAR_ER, CU_EGL_COLOR_FORMAT_YUV444_SEMIPLANAR_ER,
    CU_EGL_COLOR_FORMAT_YUV422_SEMIPLANAR_ER, CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR_ER,
    CU_EGL_COLOR_FORMAT_YVU444_PLANAR_ER, CU_EGL_COLOR_FORMAT_YVU422_PLANAR_ER, CU_EGL_COLOR_FORMAT_YVU420_PLANAR_ER,
    CU_EGL_COLOR_FORMAT_YVU444_SEMIPLANAR_ER, CU_EGL_COLOR_FORMAT_YVU422_SEMIPLANAR_ER,
    CU_EGL_COLOR_FORMAT_YVU420_SEMIPLANAR_ER, CU_EGL_COLOR_FORMAT_BAYER_RGGB, CU_EGL_COLOR_FORMAT_BAYER_BGGR,
    CU_EGL_COLOR_FORMAT_BAYER_GRBG, CU_EGL_COLOR_FORMAT_BAYER_GBRG, CU_EGL_COLOR_FORMAT_BAYER10_RGGB,
    CU_EGL_COLOR_FORMAT_BAYER10_BGGR, CU_EGL_COLOR_FORMAT_BAYER10_GRBG, CU_EGL_COLOR_FORMAT_BAYER10_GBRG,
    CU_EGL_COLOR_FORMAT_BAYER12_RGGB, CU_EGL_COLOR_FORMAT_BAYER12_BGGR, CU_EGL_COLOR_FORMAT_BAYER12_GRBG,
    CU_EGL_COLOR_FORMAT_BAYER12_GBRG, CU_EGL_COLOR_FORMAT_BAYER14_RGGB, CU_EGL_COLOR_FORMAT_BAYER14_BGGR,
    CU_EGL_COLOR_FORMAT_BAYER14_GRBG, CU_EGL_COLOR_FORMAT_BAYER14_GBRG, CU_EGL_COLOR_FORMAT_BAYER20_RGGB,
    CU_EGL_COLOR_FORMAT_BAYER20_BGGR, CU_EGL_COLOR_FORMAT_BAYER20_GRBG, CU_EGL_COLOR_FORMAT_BAYER20_GBRG,
    CU_EGL_COLOR_FORMAT_YVU444_PLANAR, CU_EGL_COLOR_FORMAT_YVU422_PLANAR, CU_EGL_COLOR_FORMAT_YVU420_PLANAR,
    CU_EGL_COLOR_FORMAT_BAYER_ISP_RGGB, CU_EGL_COLOR_FORMAT_BAYER_ISP_BGGR, CU_EGL_COLOR_FORMAT_BAYER_ISP_GRBG,
    CU_EGL_COLOR_FORMAT_BAYER_ISP_GBRG, CU_EGL_COLOR_FORMAT_BAYER_BCCR, CU_EGL_COLOR_FORMAT_BAYER_RCCB,
    CU_EGL_COLOR_FORMAT_BAYER_CRBC, CU_EGL_COLOR_FORMAT_BAYER_CBRC, CU_EGL_COLOR_FORMAT_BAYER10_CCCC,
    CU_EGL_COLOR_FORMAT_BAYER12_BCCR, CU_EGL_COLOR_FORMAT_BAYER12_RCCB, CU_EGL_COLOR_FORMAT_BAYER12_CRBC,
    CU_EGL_COLOR_FORMAT_BAYER12_CBRC, CU_EGL_COLOR_FORMAT_BAYER12_CCCC, CU_EGL_COLOR_FORMAT_Y,
    CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR_2020, CU_EGL_COLOR_FORMAT_YVU420_SEMIPLANAR_2020,
    CU_EGL_COLOR_FORMAT_YUV420_PLANAR_2020, CU_EGL_COLOR_FORMAT_YVU420_PLANAR_2020,
    CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR_709, CU_EGL_COLOR_FORMAT_YVU420_SEMIPLANAR_709,
    CU_EGL_COLOR_FORMAT_YUV420_PLANAR_709, CU_EGL_COLOR_FORMAT_YVU420_PLANAR_709,
    CU_EGL_COLOR_FORMAT_Y10V10U10_420_SEMIPLANAR_709, CU_EGL_COLOR_FORMAT_Y10V10U10_420_SEMIPLANAR_2020,
    CU_EGL_COLOR_FORMAT_Y10V10U10_422_SEMIPLANAR_2020, CU_EGL_COLOR_FORMAT_Y10V10U10_422_SEMIPLANAR,
    CU_EGL_COLOR_FORMAT_Y10V10U10_422_SEMIPLANAR_709, CU_EGL_COLOR_FORMAT_Y_ER, CU_EGL_COLOR_FORMAT_Y_709_ER,
    CU_EGL_COLOR_FORMAT_Y10_ER, CU_EGL_COLOR_FORMAT_Y10_709_ER, CU_EGL_COLOR_FORMAT_Y12_ER,
    CU_EGL_COLOR_FORMAT_Y12_709_ER, CU_EGL_COLOR_FORMAT_YUVA, CU_EGL_COLOR_FORMAT_YUV, CU_EGL_COLOR_FORMAT_YVYU,
    CU_EGL_COLOR_FORMAT_VYUY, CU_EGL_COLOR_FORMAT_Y10V10U10_420_SEMIPLANAR_ER,
    CU_EGL_COLOR_FORMAT_Y10V10U10_420_SEMIPLANAR_709_ER, CU_EGL_COLOR_FORMAT_Y10V10U10_444_SEMIPLANAR_ER,
    CU_EGL_COLOR_FORMAT_Y10V10U10_444_SEMIPLANAR_709_ER, CU_EGL_COLOR_FORMAT_Y12V12U12_420_SEMIPLANAR_ER,
    CU_EGL_COLOR_FORMAT_Y12V12U12_420_SEMIPLANAR_709_ER, CU_EGL_COLOR_FORMAT_Y12V12U12_444_SEMIPLANAR_ER,
    CU_EGL_COLOR_FORMAT_Y12V12U12_444_SEMIPLANAR_709_ER, CU_EGL_COLOR_FORMAT_UYVY_709,
    CU_EGL_COLOR_FORMAT_UYVY_709_ER, CU_EGL_COLOR_FORMAT_UYVY_2020, CU_EGL_COLOR_FORMAT_MAX
} CUeglColorFormat;
typedef struct CUeglFrame_st {
    union {
        CUarray pArray[MAX_PLANES];
        void *pPitch[MAX_PLANES];
    } frame;
    unsigned int width, height, depth, pitch, planeCount, numChannels;
    CUeglFrameType frameType;
    CUeglColorFormat eglColorFormat;
    CUarray_format cuFormat;
} CUeglFrame_v1;
typedef CUeglFrame_v1 CUeglFrame;
CUresult CUDAAPI cuGraphicsEGLRegisterImage(CUgraphicsResource *pCudaResource, void *image, unsigned int flags);
CUresult CUDAAPI cuGraphicsResourceGetMappedEglFrame(
    CUeglFrame *eglFrame, CUgraphicsResource resource, unsigned int index, unsigned int mipLevel);
CUresult CUDAAPI cuEventCreateFromEGLSync(CUevent *phEvent, void *eglSync, unsigned int flags);

/* Items of cudaD3D11.h, which only toolkits for Windows have. Direct3D's interfaces are declared as `void` here. */
typedef enum CUd3d11DeviceList_enum {
    CU_D3D11_DEVICE_LIST_ALL = 1, CU_D3D11_DEVICE_LIST_CURRENT_FRAME, CU_D3D11_DEVICE_LIST_NEXT_FRAME
} CUd3d11DeviceList;
CUresult CUDAAPI cuD3D11GetDevice(CUdevice *pCudaDevice, void *pAdapter);
CUresult CUDAAPI cuD3D11GetDevices(
    unsigned int *pCudaDeviceCount, CUdevice *pCudaDevices, unsigned int cudaDeviceCount, void *pD3D11Device,
    CUd3d11DeviceList deviceList);
CUresult CUDAAPI cuGraphicsD3D11RegisterResource(
    CUgraphicsResource *pCudaResource, void *pD3DResource, unsigned int Flags);

/* If an assertion fails, build/run_bindgen.rs shows the assertion's text to the user. */
_Static_assert(sizeof(void *) == 8, "cuda-external-sys: CUDA has 64-bit targets only");
_Static_assert(sizeof(enum { CUDA_EXTERNAL_SYS_PROBE }) == sizeof(int), "cuda-external-sys: the clang arguments make enums short, as CUDA's ABI does not");
_Static_assert(sizeof(struct { char first; long long second; }) == 16, "cuda-external-sys: the clang arguments pack structs, as CUDA's ABI does not");
/* src/bindings.rs declares CUmemLocation by hand. */
_Static_assert(
    sizeof(CUmemLocation) == 8 && _Alignof(CUmemLocation) == 4 &&
    __builtin_offsetof(CUmemLocation, type) == 0 && __builtin_offsetof(CUmemLocation, id) == 4 &&
    __builtin_types_compatible_p(__typeof__(((CUmemLocation *)0)->type), CUmemLocationType) &&
    __builtin_types_compatible_p(__typeof__(((CUmemLocation *)0)->id), int),
    "cuda-external-sys: CUmemLocation is not the struct that this version of the crate knows");
