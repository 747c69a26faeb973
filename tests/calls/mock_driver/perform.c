/* What is performed: the functions that a program needs to share memory by file descriptor, on Linux. There is one device
 * with one context, a device address is an address of the process, and work is done when its call returns.
 *
 * Memory is a memfd, so another process or API can hold the other end. Who closes a descriptor when, and which code a
 * mistake has, is as docs/fd-ownership.md has it of a real driver. */

#define _GNU_SOURCE
#include "mock.h"

PERFORM(cuInit, unsigned int Flags) { return Flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

PERFORM(cuDriverGetVersion, int *driverVersion) {
    *driverVersion = CUDA_VERSION;
    return CUDA_SUCCESS;
}

#ifdef __linux__

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define GRANULARITY ((size_t)2 << 20)

static CUcontext const primary = (CUcontext)&primary;
static _Thread_local CUcontext current;

static CUresult success_if(int condition) { return condition ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

static void *at(CUdeviceptr address) { return (void *)(uintptr_t)address; }

PERFORM(cuDeviceGetCount, int *count) {
    *count = 1;
    return CUDA_SUCCESS;
}

PERFORM(cuDeviceGet, CUdevice *device, int ordinal) {
    *device = ordinal;
    return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

PERFORM(cuDeviceGetName, char *name, int len, CUdevice dev) {
    snprintf(name, (size_t)len, "mock driver (no GPU)");
    return CUDA_SUCCESS;
}

PERFORM(cuDeviceGetUuid_v2, CUuuid *uuid, CUdevice dev) {
    memcpy(uuid->bytes, "mock driver, no ", sizeof uuid->bytes);
    return CUDA_SUCCESS;
}

PERFORM(cuDeviceGetAttribute, int *pi, CUdevice_attribute attrib, CUdevice dev) {
    *pi = attrib == CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED;
    return CUDA_SUCCESS;
}

PERFORM(cuDevicePrimaryCtxRetain, CUcontext *pctx, CUdevice dev) {
    *pctx = primary;
    return CUDA_SUCCESS;
}

PERFORM(cuDevicePrimaryCtxRelease_v2, CUdevice dev) { return CUDA_SUCCESS; }

PERFORM(cuCtxSetCurrent, CUcontext ctx) {
    current = ctx;
    return CUDA_SUCCESS;
}

PERFORM(cuCtxSynchronize, void) { return current == NULL ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS; }

PERFORM(cuMemcpyHtoD_v2, CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount) {
    memcpy(at(dstDevice), srcHost, ByteCount);
    return CUDA_SUCCESS;
}

PERFORM(cuMemcpyDtoH_v2, void *dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
    memcpy(dstHost, at(srcDevice), ByteCount);
    return CUDA_SUCCESS;
}

/* What a memfd of Mesa's begins with, and one of this library's too. The memory follows at the offset, and the file ends
 * with room for another of these. */
struct extent {
    size_t file_size;
    size_t offset;
    unsigned char driver[20];
};

#define OFFSET ((size_t)1 << 16)

/* A CUmemGenericAllocationHandle is the memfd's descriptor. */
PERFORM(cuMemCreate, CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
        unsigned long long flags) {
    if (prop->type != CU_MEM_ALLOCATION_TYPE_PINNED || prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
        prop->location.id != 0 || size == 0 || size % GRANULARITY != 0 || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct extent extent = {OFFSET + size + sizeof extent, OFFSET, "mock driver"};
    int fd = memfd_create("cuda-mock-driver", MFD_CLOEXEC);
    *handle = (CUmemGenericAllocationHandle)fd;
    return success_if(ftruncate(fd, (off_t)extent.file_size) == 0 && write(fd, &extent, sizeof extent) > 0);
}

PERFORM(cuMemRelease, CUmemGenericAllocationHandle handle) { return success_if(close((int)handle) == 0); }

PERFORM(cuMemGetAllocationGranularity, size_t *granularity, const CUmemAllocationProp *prop,
        CUmemAllocationGranularity_flags option) {
    *granularity = GRANULARITY;
    return CUDA_SUCCESS;
}

PERFORM(cuMemExportToShareableHandle, void *shareableHandle, CUmemGenericAllocationHandle handle,
        CUmemAllocationHandleType handleType, unsigned long long flags) {
    int *fd = shareableHandle;
    if (handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    *fd = fcntl((int)handle, F_DUPFD_CLOEXEC, 0);
    return success_if(*fd >= 0);
}

/* The caller keeps the descriptor. */
PERFORM(cuMemImportFromShareableHandle, CUmemGenericAllocationHandle *handle, void *osHandle,
        CUmemAllocationHandleType shHandleType) {
    int fd = fcntl((int)(intptr_t)osHandle, F_DUPFD_CLOEXEC, 0);
    *handle = (CUmemGenericAllocationHandle)fd;
    return success_if(shHandleType == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && fd >= 0);
}

PERFORM(cuMemAddressReserve, CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
        unsigned long long flags) {
    void *range = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *ptr = (CUdeviceptr)(uintptr_t)range;
    return success_if(range != MAP_FAILED);
}

PERFORM(cuMemAddressFree, CUdeviceptr ptr, size_t size) { return success_if(munmap(at(ptr), size) == 0); }

/* Without access until cuMemSetAccess. */
PERFORM(cuMemMap, CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
        unsigned long long flags) {
    if (offset != 0 || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    return success_if(mmap(at(ptr), size, PROT_NONE, MAP_SHARED | MAP_FIXED, (int)handle, OFFSET) != MAP_FAILED);
}

PERFORM(cuMemUnmap, CUdeviceptr ptr, size_t size) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    return success_if(mmap(at(ptr), size, PROT_NONE, flags, -1, 0) != MAP_FAILED);
}

PERFORM(cuMemSetAccess, CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count) {
    if (count != 1 || desc->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
        return CUDA_ERROR_INVALID_VALUE;
    return success_if(mprotect(at(ptr), size, PROT_READ | PROT_WRITE) == 0);
}

struct CUextMemory_st {
    char *map;
    struct extent extent;
    size_t size;
    int is_dedicated;
};

/* Maps the whole file, if it is memory of this library or of Mesa. */
static CUresult map(CUexternalMemory memory, int fd) {
    struct extent *extent = &memory->extent;
    struct stat file;
    if (fstat(fd, &file) != 0 || pread(fd, extent, sizeof *extent, 0) != (ssize_t)sizeof *extent ||
        extent->file_size != (size_t)file.st_size || extent->offset >= extent->file_size - sizeof *extent)
        return CUDA_ERROR_UNKNOWN;
    memory->size = extent->file_size - sizeof *extent - extent->offset;
    memory->map = mmap(NULL, extent->file_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return memory->map != MAP_FAILED ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

PERFORM(cuImportExternalMemory, CUexternalMemory *extMem_out, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc) {
    static const unsigned int reserved[sizeof memHandleDesc->reserved / sizeof *memHandleDesc->reserved];
    if (current == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (memHandleDesc->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD || memHandleDesc->size == 0 ||
        (memHandleDesc->flags & ~(unsigned int)CUDA_EXTERNAL_MEMORY_DEDICATED) != 0 ||
        memcmp(memHandleDesc->reserved, reserved, sizeof reserved) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUexternalMemory memory = calloc(1, sizeof *memory);
    CUresult result = map(memory, memHandleDesc->handle.fd);
    /* Once the driver has looked at the descriptor it closes it, also where it refuses the memory. */
    close(memHandleDesc->handle.fd);
    if (result != CUDA_SUCCESS) {
        free(memory);
        return result;
    }
    memory->is_dedicated = memHandleDesc->flags == CUDA_EXTERNAL_MEMORY_DEDICATED;
    /* A size beyond the memory's is noticed only when that is mapped; of a smaller one, no more is mapped. */
    if (memHandleDesc->size < memory->size)
        memory->size = (size_t)memHandleDesc->size;
    *extMem_out = memory;
    return CUDA_SUCCESS;
}

PERFORM(cuExternalMemoryGetMappedBuffer, CUdeviceptr *devPtr, CUexternalMemory extMem,
        const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc) {
    if (bufferDesc->flags != 0 || bufferDesc->size == 0 || bufferDesc->offset > extMem->size ||
        (extMem->is_dedicated && bufferDesc->offset != 0) || bufferDesc->size > extMem->size - bufferDesc->offset)
        return CUDA_ERROR_INVALID_VALUE;
    *devPtr = (CUdeviceptr)(uintptr_t)(extMem->map + extMem->extent.offset + bufferDesc->offset);
    return CUDA_SUCCESS;
}

/* Of a mapped buffer, whose memory is the import's. */
PERFORM(cuMemFree_v2, CUdeviceptr dptr) { return success_if(dptr != 0); }

PERFORM(cuDestroyExternalMemory, CUexternalMemory extMem) {
    munmap(extMem->map, extMem->extent.file_size);
    free(extMem);
    return CUDA_SUCCESS;
}

#endif
