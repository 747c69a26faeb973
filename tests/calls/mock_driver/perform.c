/* What is performed: the functions that a program needs to share memory by file descriptor, on Linux. There is one device
 * with one context, a device address is an address of the process, and work is done when its call returns.
 *
 * Memory is a memfd, so another process or API can hold the other end. Who closes a descriptor when, and which code a
 * mistake has, is as docs/fd-ownership.md has it of a real driver. */

#include "mock.h"

CUresult PERFORM(cuInit)(unsigned int Flags) { return Flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

CUresult PERFORM(cuDriverGetVersion)(int *driverVersion) {
    *driverVersion = CUDA_VERSION;
    return CUDA_SUCCESS;
}

#ifdef __linux__

#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAME "cuda-mock-driver"
#define GRANULARITY ((size_t)2 << 20)

static CUcontext const primary = (CUcontext)&primary;
static _Thread_local CUcontext current;

static void *at(CUdeviceptr address) { return (void *)(uintptr_t)address; }

static CUresult is_current(void) { return current != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; }

CUresult PERFORM(cuDeviceGet)(CUdevice *device, int ordinal) {
    *device = ordinal;
    return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult PERFORM(cuDeviceGetCount)(int *count) {
    *count = 1;
    return CUDA_SUCCESS;
}

CUresult PERFORM(cuDeviceGetName)(char *name, int len, CUdevice dev) {
    (void)dev;
    snprintf(name, (size_t)len, "mock driver (no GPU)");
    return CUDA_SUCCESS;
}

CUresult PERFORM(cuDeviceGetUuid_v2)(CUuuid *uuid, CUdevice dev) {
    (void)dev;
    memcpy(uuid->bytes, "mock driver, no ", sizeof uuid->bytes);
    return CUDA_SUCCESS;
}

CUresult PERFORM(cuDeviceGetAttribute)(int *pi, CUdevice_attribute attrib, CUdevice dev) {
    (void)dev;
    *pi = attrib == CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING ||
          attrib == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED ||
          attrib == CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED;
    return CUDA_SUCCESS;
}

CUresult PERFORM(cuDevicePrimaryCtxRetain)(CUcontext *pctx, CUdevice dev) {
    (void)dev;
    *pctx = primary;
    return CUDA_SUCCESS;
}

CUresult PERFORM(cuDevicePrimaryCtxRelease_v2)(CUdevice dev) {
    (void)dev;
    return CUDA_SUCCESS;
}

CUresult PERFORM(cuCtxSetCurrent)(CUcontext ctx) {
    current = ctx;
    return CUDA_SUCCESS;
}

CUresult PERFORM(cuCtxSynchronize)(void) { return is_current(); }

CUresult PERFORM(cuMemGetInfo_v2)(size_t *free, size_t *total) {
    *free = *total = (size_t)1 << 30;
    return CUDA_SUCCESS;
}

CUresult PERFORM(cuMemcpyHtoD_v2)(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount) {
    memcpy(at(dstDevice), srcHost, ByteCount);
    return CUDA_SUCCESS;
}

CUresult PERFORM(cuMemcpyDtoH_v2)(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
    memcpy(dstHost, at(srcDevice), ByteCount);
    return CUDA_SUCCESS;
}

/* A CUmemGenericAllocationHandle is the memfd's descriptor. */
CUresult PERFORM(cuMemGetAllocationGranularity)(size_t *granularity, const CUmemAllocationProp *prop,
                                                CUmemAllocationGranularity_flags option) {
    (void)prop, (void)option;
    *granularity = GRANULARITY;
    return CUDA_SUCCESS;
}

CUresult PERFORM(cuMemCreate)(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
                              unsigned long long flags) {
    if (prop->type != CU_MEM_ALLOCATION_TYPE_PINNED || prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
        prop->location.id != 0 || size == 0 || size % GRANULARITY != 0 || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    int fd = (int)syscall(SYS_memfd_create, NAME, 1u /* close on exec */);
    if (fd < 0 || ftruncate(fd, (off_t)size) != 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *handle = (CUmemGenericAllocationHandle)fd;
    return CUDA_SUCCESS;
}

CUresult PERFORM(cuMemRelease)(CUmemGenericAllocationHandle handle) {
    return close((int)handle) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult PERFORM(cuMemExportToShareableHandle)(void *shareableHandle, CUmemGenericAllocationHandle handle,
                                               CUmemAllocationHandleType handleType, unsigned long long flags) {
    if (handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    int fd = fcntl((int)handle, F_DUPFD_CLOEXEC, 0);
    memcpy(shareableHandle, &fd, sizeof fd);
    return fd >= 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The caller keeps the descriptor. */
CUresult PERFORM(cuMemImportFromShareableHandle)(CUmemGenericAllocationHandle *handle, void *osHandle,
                                                 CUmemAllocationHandleType shHandleType) {
    if (shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_INVALID_VALUE;
    int fd = fcntl((int)(intptr_t)osHandle, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return CUDA_ERROR_INVALID_VALUE;
    *handle = (CUmemGenericAllocationHandle)fd;
    return CUDA_SUCCESS;
}

CUresult PERFORM(cuMemAddressReserve)(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
                                      unsigned long long flags) {
    (void)alignment, (void)addr, (void)flags;
    void *range = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *ptr = (CUdeviceptr)(uintptr_t)range;
    return range != MAP_FAILED ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult PERFORM(cuMemAddressFree)(CUdeviceptr ptr, size_t size) {
    return munmap(at(ptr), size) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Without access until cuMemSetAccess. */
CUresult PERFORM(cuMemMap)(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                           unsigned long long flags) {
    if (offset != 0 || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    void *map = mmap(at(ptr), size, PROT_NONE, MAP_SHARED | MAP_FIXED, (int)handle, 0);
    return map != MAP_FAILED ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult PERFORM(cuMemUnmap)(CUdeviceptr ptr, size_t size) {
    void *map = mmap(at(ptr), size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    return map != MAP_FAILED ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult PERFORM(cuMemSetAccess)(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count) {
    if (count != 1 || desc->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
        return CUDA_ERROR_INVALID_VALUE;
    return mprotect(at(ptr), size, PROT_READ | PROT_WRITE) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

struct CUextMemory_st {
    char *map;
    size_t map_size;
    /* Where the exporter's memory is in the file. */
    char *start;
    size_t size;
    int is_dedicated;
};

/* What Mesa's memory begins with. The file has room for it, and for the alignment of what follows. */
struct mesa {
    size_t file_size;
    size_t offset;
    unsigned char driver[20];
};

/* Whether the file is memory of this library or of Mesa, and where in it. */
static int extent(int fd, size_t file_size, size_t *offset, size_t *size) {
    char path[64], name[64] = "";
    struct mesa mesa;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (readlink(path, name, sizeof name - 1) < 0 || strncmp(name, "/memfd:", 7) != 0)
        return 0;
    if (strncmp(name + 7, NAME, strlen(NAME)) == 0) {
        *offset = 0;
        *size = file_size;
        return 1;
    }
    if (pread(fd, &mesa, sizeof mesa, 0) != (ssize_t)sizeof mesa || mesa.file_size != file_size ||
        mesa.offset < sizeof mesa || mesa.offset >= file_size - sizeof mesa)
        return 0;
    *offset = mesa.offset;
    *size = file_size - sizeof mesa - mesa.offset;
    return 1;
}

static CUresult import(CUexternalMemory made, int fd) {
    struct stat file;
    size_t offset = 0;
    if (fstat(fd, &file) != 0 || !extent(fd, (size_t)file.st_size, &offset, &made->size))
        return CUDA_ERROR_UNKNOWN;
    made->map_size = (size_t)file.st_size;
    made->map = mmap(NULL, made->map_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    made->start = made->map + offset;
    return made->map != MAP_FAILED ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

CUresult PERFORM(cuImportExternalMemory)(CUexternalMemory *extMem_out,
                                         const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc) {
    if (is_current() != CUDA_SUCCESS)
        return is_current();
    if (memHandleDesc->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD || memHandleDesc->size == 0 ||
        (memHandleDesc->flags & ~(unsigned int)CUDA_EXTERNAL_MEMORY_DEDICATED) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t at = 0; at < sizeof memHandleDesc->reserved / sizeof *memHandleDesc->reserved; at++)
        if (memHandleDesc->reserved[at] != 0)
            return CUDA_ERROR_INVALID_VALUE;
    CUexternalMemory made = calloc(1, sizeof *made);
    if (made == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = import(made, memHandleDesc->handle.fd);
    /* Once the driver has looked at the descriptor it closes it, also where it refuses the memory. */
    close(memHandleDesc->handle.fd);
    if (result != CUDA_SUCCESS) {
        free(made);
        return result;
    }
    made->is_dedicated = (memHandleDesc->flags & CUDA_EXTERNAL_MEMORY_DEDICATED) != 0;
    /* A size beyond the memory's is noticed only when that is mapped; of a smaller one, no more is mapped. */
    if (memHandleDesc->size < made->size)
        made->size = (size_t)memHandleDesc->size;
    *extMem_out = made;
    return CUDA_SUCCESS;
}

CUresult PERFORM(cuExternalMemoryGetMappedBuffer)(CUdeviceptr *devPtr, CUexternalMemory extMem,
                                                  const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc) {
    if (bufferDesc->flags != 0 || bufferDesc->size == 0 || bufferDesc->offset > extMem->size ||
        (extMem->is_dedicated && bufferDesc->offset != 0) || bufferDesc->size > extMem->size - bufferDesc->offset)
        return CUDA_ERROR_INVALID_VALUE;
    *devPtr = (CUdeviceptr)(uintptr_t)(extMem->start + bufferDesc->offset);
    return CUDA_SUCCESS;
}

/* Of a mapped buffer, whose memory is the import's. */
CUresult PERFORM(cuMemFree_v2)(CUdeviceptr dptr) { return dptr != 0 ? is_current() : CUDA_ERROR_INVALID_VALUE; }

CUresult PERFORM(cuDestroyExternalMemory)(CUexternalMemory extMem) {
    munmap(extMem->map, extMem->map_size);
    free(extMem);
    return CUDA_SUCCESS;
}

#endif
