/* The driver, its one device, its context and its streams. A stream is done when its call returns. */

#include "stand_in.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CUctx_st {
    int is_primary;
};

struct CUstream_st {
    unsigned int flags;
};

static atomic_int initialised;
static atomic_int retained;
static atomic_long live;
static struct CUctx_st primary = {1};
static _Thread_local CUcontext current;

EXPORT long stand_in_live(void) { return atomic_load(&live); }

void stand_in_born(void) { atomic_fetch_add(&live, 1); }

void stand_in_dead(void) { atomic_fetch_sub(&live, 1); }

CUresult stand_in_ready(void) {
    return atomic_load(&initialised) ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult stand_in_current(void) {
    if (stand_in_ready() != CUDA_SUCCESS)
        return stand_in_ready();
    if (current == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    return atomic_load(&retained) > 0 ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult WORK(cuInit)(unsigned int Flags) {
    if (Flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    atomic_store(&initialised, 1);
    return CUDA_SUCCESS;
}

CUresult WORK(cuDriverGetVersion)(int *driverVersion) {
    if (driverVersion == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *driverVersion = CUDA_VERSION;
    return CUDA_SUCCESS;
}

CUresult WORK(cuGetErrorName)(CUresult error, const char **pStr) {
    if (pStr == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *pStr = stand_in_code_name(error);
    return *pStr != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult WORK(cuGetErrorString)(CUresult error, const char **pStr) {
    return WORK(cuGetErrorName)(error, pStr);
}

static CUresult is_device(CUdevice dev) {
    if (stand_in_ready() != CUDA_SUCCESS)
        return stand_in_ready();
    return dev == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult WORK(cuDeviceGetCount)(int *count) {
    if (stand_in_ready() != CUDA_SUCCESS)
        return stand_in_ready();
    if (count == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *count = 1;
    return CUDA_SUCCESS;
}

CUresult WORK(cuDeviceGet)(CUdevice *device, int ordinal) {
    CUresult result = is_device(ordinal);
    if (result != CUDA_SUCCESS)
        return result;
    if (device == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult WORK(cuDeviceGetName)(char *name, int len, CUdevice dev) {
    CUresult result = is_device(dev);
    if (result != CUDA_SUCCESS)
        return result;
    if (name == NULL || len <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    snprintf(name, (size_t)len, "stand-in (no GPU)");
    return CUDA_SUCCESS;
}

/* Another API's device, where CUDA_STAND_IN_UUID names it by 32 hexadecimal digits. */
CUresult WORK(cuDeviceGetUuid_v2)(CUuuid *uuid, CUdevice dev) {
    CUresult result = is_device(dev);
    const char *digits = getenv("CUDA_STAND_IN_UUID");
    if (result != CUDA_SUCCESS)
        return result;
    if (uuid == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(uuid->bytes, "stand-in, no GPU", sizeof uuid->bytes);
    for (size_t at = 0; digits != NULL && at < sizeof uuid->bytes; at++) {
        unsigned int byte;
        while (*digits == '-')
            digits++;
        if (sscanf(digits, "%2x", &byte) != 1)
            return CUDA_ERROR_INVALID_VALUE;
        uuid->bytes[at] = (char)byte;
        digits += 2;
    }
    return CUDA_SUCCESS;
}

CUresult WORK(cuDeviceGetAttribute)(int *pi, CUdevice_attribute attrib, CUdevice dev) {
    CUresult result = is_device(dev);
    if (result != CUDA_SUCCESS)
        return result;
    if (pi == NULL || attrib <= 0 || attrib >= CU_DEVICE_ATTRIBUTE_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attrib) {
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
#ifdef __linux__
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
#endif
        *pi = 1;
        break;
    default:
        *pi = 0;
    }
    return CUDA_SUCCESS;
}

CUresult WORK(cuDevicePrimaryCtxRetain)(CUcontext *pctx, CUdevice dev) {
    CUresult result = is_device(dev);
    if (result != CUDA_SUCCESS)
        return result;
    if (pctx == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    atomic_fetch_add(&retained, 1);
    *pctx = &primary;
    return CUDA_SUCCESS;
}

CUresult WORK(cuDevicePrimaryCtxRelease_v2)(CUdevice dev) {
    CUresult result = is_device(dev);
    if (result != CUDA_SUCCESS)
        return result;
    if (atomic_fetch_sub(&retained, 1) <= 0) {
        atomic_fetch_add(&retained, 1);
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    return CUDA_SUCCESS;
}

CUresult WORK(cuCtxSetCurrent)(CUcontext ctx) {
    if (stand_in_ready() != CUDA_SUCCESS)
        return stand_in_ready();
    if (ctx != NULL && ctx != &primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    current = ctx;
    return CUDA_SUCCESS;
}

CUresult WORK(cuCtxGetCurrent)(CUcontext *pctx) {
    if (stand_in_ready() != CUDA_SUCCESS)
        return stand_in_ready();
    if (pctx == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *pctx = current;
    return CUDA_SUCCESS;
}

CUresult WORK(cuCtxSynchronize)(void) { return stand_in_current(); }

CUresult WORK(cuStreamCreate)(CUstream *phStream, unsigned int Flags) {
    CUresult result = stand_in_current();
    if (result != CUDA_SUCCESS)
        return result;
    if (phStream == NULL || Flags > CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    *phStream = malloc(sizeof **phStream);
    if (*phStream == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    (*phStream)->flags = Flags;
    stand_in_born();
    return CUDA_SUCCESS;
}

CUresult WORK(cuStreamQuery)(CUstream hStream) {
    (void)hStream;
    return stand_in_current();
}

CUresult WORK(cuStreamSynchronize)(CUstream hStream) {
    (void)hStream;
    return stand_in_current();
}

CUresult WORK(cuStreamDestroy_v2)(CUstream hStream) {
    if (hStream == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    free(hStream);
    stand_in_dead();
    return CUDA_SUCCESS;
}
