/* Memory, and copies and fills of it. A device address is an address of this process. */

#include "stand_in.h"

#include <stdlib.h>
#include <string.h>

static void *at(CUdeviceptr address) { return (void *)(size_t)address; }

CUresult WORK(cuMemAlloc_v2)(CUdeviceptr *dptr, size_t bytesize) {
    CUresult result = stand_in_current();
    if (result != CUDA_SUCCESS)
        return result;
    if (dptr == NULL || bytesize == 0)
        return CUDA_ERROR_INVALID_VALUE;
    void *memory = malloc(bytesize);
    if (memory == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *dptr = (CUdeviceptr)(size_t)memory;
    stand_in_born();
    return CUDA_SUCCESS;
}

CUresult WORK(cuMemFree_v2)(CUdeviceptr dptr) {
    CUresult result = stand_in_current();
    if (result != CUDA_SUCCESS)
        return result;
    if (dptr == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (!stand_in_unmap_buffer(dptr))
        free(at(dptr));
    stand_in_dead();
    return CUDA_SUCCESS;
}

CUresult WORK(cuMemGetInfo_v2)(size_t *free, size_t *total) {
    CUresult result = stand_in_current();
    if (result != CUDA_SUCCESS)
        return result;
    if (free == NULL || total == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *free = *total = (size_t)1 << 30;
    return CUDA_SUCCESS;
}

static CUresult copy(void *to, const void *from, size_t size) {
    CUresult result = stand_in_current();
    if (result != CUDA_SUCCESS)
        return result;
    if (size != 0 && (to == NULL || from == NULL))
        return CUDA_ERROR_INVALID_VALUE;
    if (size != 0)
        memmove(to, from, size);
    return CUDA_SUCCESS;
}

CUresult WORK(cuMemcpyHtoD_v2)(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount) {
    return copy(at(dstDevice), srcHost, ByteCount);
}

CUresult WORK(cuMemcpyDtoH_v2)(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
    return copy(dstHost, at(srcDevice), ByteCount);
}

CUresult WORK(cuMemcpyDtoD_v2)(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
    return copy(at(dstDevice), at(srcDevice), ByteCount);
}

CUresult WORK(cuMemcpyHtoDAsync_v2)(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
                                    CUstream hStream) {
    (void)hStream;
    return copy(at(dstDevice), srcHost, ByteCount);
}

CUresult WORK(cuMemcpyDtoHAsync_v2)(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                                    CUstream hStream) {
    (void)hStream;
    return copy(dstHost, at(srcDevice), ByteCount);
}

CUresult WORK(cuMemcpyDtoDAsync_v2)(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                                    CUstream hStream) {
    (void)hStream;
    return copy(at(dstDevice), at(srcDevice), ByteCount);
}

/* The start of one side of a 3D copy, or null where it is no linear memory. */
static char *side(CUmemorytype type, const void *host, CUdeviceptr device) {
    switch (type) {
    case CU_MEMORYTYPE_HOST:
        return (char *)host;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
        return at(device);
    default:
        return NULL;
    }
}

CUresult WORK(cuMemcpy3D_v2)(const CUDA_MEMCPY3D *pCopy) {
    CUresult result = stand_in_current();
    if (result != CUDA_SUCCESS)
        return result;
    if (pCopy == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_MEMCPY3D c = *pCopy;
    char *to = side(c.dstMemoryType, c.dstHost, c.dstDevice);
    const char *from = side(c.srcMemoryType, c.srcHost, c.srcDevice);
    if (to == NULL || from == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    /* A pitch of 0 is a row's width, a height of 0 the copy's. */
    size_t to_pitch = c.dstPitch ? c.dstPitch : c.dstXInBytes + c.WidthInBytes;
    size_t from_pitch = c.srcPitch ? c.srcPitch : c.srcXInBytes + c.WidthInBytes;
    size_t to_slice = to_pitch * (c.dstHeight ? c.dstHeight : c.dstY + c.Height);
    size_t from_slice = from_pitch * (c.srcHeight ? c.srcHeight : c.srcY + c.Height);
    for (size_t z = 0; z < c.Depth; z++)
        for (size_t y = 0; y < c.Height; y++)
            memmove(to + (c.dstZ + z) * to_slice + (c.dstY + y) * to_pitch + c.dstXInBytes,
                    from + (c.srcZ + z) * from_slice + (c.srcY + y) * from_pitch + c.srcXInBytes,
                    c.WidthInBytes);
    return CUDA_SUCCESS;
}

CUresult WORK(cuMemcpy3DAsync_v2)(const CUDA_MEMCPY3D *pCopy, CUstream hStream) {
    (void)hStream;
    return WORK(cuMemcpy3D_v2)(pCopy);
}

CUresult WORK(cuMemsetD8_v2)(CUdeviceptr dstDevice, unsigned char uc, size_t N) {
    CUresult result = stand_in_current();
    if (result != CUDA_SUCCESS)
        return result;
    if (dstDevice == 0)
        return CUDA_ERROR_INVALID_VALUE;
    memset(at(dstDevice), uc, N);
    return CUDA_SUCCESS;
}

CUresult WORK(cuMemsetD32_v2)(CUdeviceptr dstDevice, unsigned int ui, size_t N) {
    CUresult result = stand_in_current();
    if (result != CUDA_SUCCESS)
        return result;
    if (dstDevice == 0 || dstDevice % sizeof ui != 0)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t index = 0; index < N; index++)
        memcpy((char *)at(dstDevice) + index * sizeof ui, &ui, sizeof ui);
    return CUDA_SUCCESS;
}

CUresult WORK(cuMemsetD8Async)(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream) {
    (void)hStream;
    return WORK(cuMemsetD8_v2)(dstDevice, uc, N);
}

CUresult WORK(cuMemsetD32Async)(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream) {
    (void)hStream;
    return WORK(cuMemsetD32_v2)(dstDevice, ui, N);
}
