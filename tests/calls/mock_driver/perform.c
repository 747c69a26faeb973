/* What is performed: the functions that a program needs to share memory by file descriptor, on Linux. There is one
 * device with one context, a device address is an address of the process, and work is done when its call returns, but for
 * a copy from the host: the driver has then read the bytes, and may write them later.
 *
 * Memory is a memfd, so another process or API can hold the other end. Who closes a descriptor, and which code a
 * mistake has, is what docs/file-descriptors.md says of a real driver. */

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
#include <unistd.h>

#define GRANULARITY ((size_t)2 << 20)
#define OFFSET ((size_t)1 << 16)

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

static int reservations;
static CUexternalMemory imports;

/* A real driver does not report what was not destroyed. */
PERFORM(cuDevicePrimaryCtxRelease_v2, CUdevice dev) { return success_if(reservations == 0 && imports == NULL); }

PERFORM(cuCtxSetCurrent, CUcontext ctx) {
    current = ctx;
    return CUDA_SUCCESS;
}

/* The last copy from the host, which the device has not written yet. */
static struct {
    void *bytes;
    size_t size;
    CUdeviceptr to;
} staged;

static void write_staged(void) {
    if (staged.bytes != NULL)
        memcpy(at(staged.to), staged.bytes, staged.size);
    free(staged.bytes);
    staged.bytes = NULL;
}

PERFORM(cuCtxSynchronize, void) {
    write_staged();
    return current == NULL ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

PERFORM(cuMemcpyHtoD_v2, CUdeviceptr dst, const void *src, size_t size) {
    write_staged();
    staged.bytes = memcpy(malloc(size), src, size);
    staged.size = size;
    staged.to = dst;
    return CUDA_SUCCESS;
}

PERFORM(cuMemcpyDtoH_v2, void *dst, CUdeviceptr src, size_t size) {
    write_staged();
    memcpy(dst, at(src), size);
    return CUDA_SUCCESS;
}

/* What a memfd of Mesa's begins with, and one of this library's too. The memory follows at the offset, and the file ends
 * with room for another of these. */
struct extent {
    size_t file_size;
    size_t offset;
    unsigned char driver[20];
};

PERFORM(cuMemGetAllocationGranularity, size_t *granularity, const CUmemAllocationProp *prop,
        CUmemAllocationGranularity_flags option) {
    *granularity = GRANULARITY;
    return CUDA_SUCCESS;
}

/* A CUmemGenericAllocationHandle is the memfd's descriptor. */
PERFORM(cuMemCreate, CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
        unsigned long long flags) {
    struct extent extent = {OFFSET + size + sizeof extent, OFFSET, "mock driver"};
    int fd = memfd_create("cuda-mock-driver", MFD_CLOEXEC);
    *handle = (CUmemGenericAllocationHandle)fd;
    return success_if(prop->type == CU_MEM_ALLOCATION_TYPE_PINNED && prop->location.id == 0 && flags == 0 &&
                      prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE && size % GRANULARITY == 0 && size != 0 &&
                      ftruncate(fd, (off_t)extent.file_size) == 0 && write(fd, &extent, sizeof extent) > 0);
}

PERFORM(cuMemRelease, CUmemGenericAllocationHandle handle) { return success_if(close((int)handle) == 0); }

PERFORM(cuMemExportToShareableHandle, void *fd, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type,
        unsigned long long flags) {
    *(int *)fd = fcntl((int)handle, F_DUPFD_CLOEXEC, 0);
    return success_if(type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && flags == 0 && *(int *)fd >= 0);
}

/* The caller keeps the descriptor. */
PERFORM(cuMemImportFromShareableHandle, CUmemGenericAllocationHandle *handle, void *fd,
        CUmemAllocationHandleType type) {
    int copy = fcntl((int)(intptr_t)fd, F_DUPFD_CLOEXEC, 0);
    *handle = (CUmemGenericAllocationHandle)copy;
    return success_if(type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && copy >= 0);
}

/* Reserves a range of addresses, or takes what is mapped there away. */
static CUdeviceptr reserve(CUdeviceptr start, size_t size, int fixed) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed;
    return (CUdeviceptr)(uintptr_t)mmap(at(start), size, PROT_NONE, flags, -1, 0);
}

PERFORM(cuMemAddressReserve, CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
        unsigned long long flags) {
    *ptr = reserve(addr, size, 0);
    reservations++;
    return success_if(at(*ptr) != MAP_FAILED);
}

PERFORM(cuMemAddressFree, CUdeviceptr ptr, size_t size) {
    reservations--;
    return success_if(munmap(at(ptr), size) == 0);
}

/* Without access until cuMemSetAccess. */
PERFORM(cuMemMap, CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
        unsigned long long flags) {
    void *map = mmap(at(ptr), size, PROT_NONE, MAP_SHARED | MAP_FIXED, (int)handle, OFFSET);
    return success_if(map != MAP_FAILED && offset == 0 && flags == 0);
}

PERFORM(cuMemUnmap, CUdeviceptr ptr, size_t size) {
    write_staged();
    return success_if(reserve(ptr, size, MAP_FIXED) == ptr);
}

PERFORM(cuMemSetAccess, CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count) {
    return success_if(count == 1 && desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE &&
                      mprotect(at(ptr), size, PROT_READ | PROT_WRITE) == 0);
}

struct CUextMemory_st {
    struct extent *map;
    size_t size;
    unsigned int flags;
    int mappings;
    CUexternalMemory next;
};

PERFORM(cuImportExternalMemory, CUexternalMemory *memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *desc) {
    static const CUDA_EXTERNAL_MEMORY_HANDLE_DESC zero;
    if (current == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (desc->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD || desc->size == 0 ||
        (desc->flags & ~(unsigned int)CUDA_EXTERNAL_MEMORY_DEDICATED) != 0 ||
        memcmp(desc->reserved, zero.reserved, sizeof zero.reserved) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    int fd = desc->handle.fd;
    struct extent extent;
    int is_memory = pread(fd, &extent, sizeof extent, 0) == (ssize_t)sizeof extent &&
                    lseek(fd, 0, SEEK_END) == (off_t)extent.file_size &&
                    extent.offset < extent.file_size - sizeof extent;
    void *map = is_memory ? mmap(NULL, extent.file_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    /* Once the driver has looked at the descriptor it closes it, also where it refuses the memory. */
    close(fd);
    if (map == MAP_FAILED)
        return CUDA_ERROR_UNKNOWN;
    /* A size beyond the memory's is noticed only when that is mapped; of a smaller one, no more is mapped. */
    size_t size = extent.file_size - sizeof extent - extent.offset;
    *memory = malloc(sizeof **memory);
    **memory = (struct CUextMemory_st){map, desc->size < size ? (size_t)desc->size : size, desc->flags, 0, imports};
    imports = *memory;
    return CUDA_SUCCESS;
}

PERFORM(cuExternalMemoryGetMappedBuffer, CUdeviceptr *address, CUexternalMemory memory,
        const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *desc) {
    int may_map = desc->offset == 0 || memory->flags != CUDA_EXTERNAL_MEMORY_DEDICATED;
    *address = (CUdeviceptr)(uintptr_t)memory->map + memory->map->offset + desc->offset;
    int is_right = may_map && desc->flags == 0 && desc->size != 0 && desc->offset <= memory->size &&
                   desc->size <= memory->size - desc->offset;
    memory->mappings += is_right;
    return success_if(is_right);
}

/* Of a mapped buffer, whose memory is the import's. */
PERFORM(cuMemFree_v2, CUdeviceptr dptr) {
    write_staged();
    for (CUexternalMemory import = imports; import != NULL; import = import->next)
        if (dptr - (CUdeviceptr)(uintptr_t)import->map < import->map->file_size)
            return success_if(import->mappings-- > 0);
    return CUDA_ERROR_INVALID_VALUE;
}

/* A real driver does not report a mapping that was not freed, and keeps the memory. This one returns an error. */
PERFORM(cuDestroyExternalMemory, CUexternalMemory extMem) {
    CUexternalMemory *link = &imports;
    while (*link != extMem)
        link = &(*link)->next;
    *link = extMem->next;
    CUresult result = success_if(extMem->mappings == 0);
    munmap(extMem->map, extMem->map->file_size);
    free(extMem);
    return result;
}

#endif
