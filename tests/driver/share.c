/* Memory that is shared by file descriptor, on Linux: what CUDA exports, and what it imports.
 *
 * Who closes a descriptor when, and which code answers which mistake, is as docs/fd-ownership.md has
 * it of a real driver. Memory is a memfd, so another process or API can hold the other end. */

#include "stand_in.h"

#ifndef __linux__

int stand_in_unmap_buffer(CUdeviceptr address) {
    (void)address;
    return 0;
}

#else

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

#define NAME "cuda-stand-in"
#define GRANULARITY ((size_t)2 << 20)

/* What a CUmemGenericAllocationHandle points to. */
struct allocation {
    int fd;
    size_t size;
};

struct CUextMemory_st {
    char *map;
    size_t map_size;
    /* Where the exporter's memory is in the file. */
    char *start;
    size_t size;
    int is_dedicated;
};

/* Buffers mapped from external memory, which cuMemFree is also for. */
struct buffer {
    CUdeviceptr address;
    struct buffer *next;
};
static struct buffer *buffers;
static atomic_flag lock = ATOMIC_FLAG_INIT;

static void take(void) {
    while (atomic_flag_test_and_set(&lock)) {
    }
}

static void release(void) { atomic_flag_clear(&lock); }

static CUresult is_good(const CUmemAllocationProp *prop) {
    if (stand_in_ready() != CUDA_SUCCESS)
        return stand_in_ready();
    if (prop == NULL || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
        prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    return prop->location.id == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult WORK(cuMemGetAllocationGranularity)(size_t *granularity, const CUmemAllocationProp *prop,
                                             CUmemAllocationGranularity_flags option) {
    (void)option;
    if (granularity == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *granularity = GRANULARITY;
    return is_good(prop);
}

CUresult WORK(cuMemCreate)(CUmemGenericAllocationHandle *handle, size_t size,
                           const CUmemAllocationProp *prop, unsigned long long flags) {
    CUresult result = is_good(prop);
    if (result != CUDA_SUCCESS)
        return result;
    if (handle == NULL || size == 0 || size % GRANULARITY != 0 || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct allocation *made = malloc(sizeof *made);
    int fd = (int)syscall(SYS_memfd_create, NAME, 1u /* close on exec */);
    if (made == NULL || fd < 0 || ftruncate(fd, (off_t)size) != 0) {
        free(made);
        if (fd >= 0)
            close(fd);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *made = (struct allocation){fd, size};
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)made;
    stand_in_born();
    return CUDA_SUCCESS;
}

static struct allocation *allocation(CUmemGenericAllocationHandle handle) {
    return (struct allocation *)(uintptr_t)handle;
}

CUresult WORK(cuMemRelease)(CUmemGenericAllocationHandle handle) {
    if (handle == 0)
        return CUDA_ERROR_INVALID_VALUE;
    close(allocation(handle)->fd);
    free(allocation(handle));
    stand_in_dead();
    return CUDA_SUCCESS;
}

CUresult WORK(cuMemExportToShareableHandle)(void *shareableHandle, CUmemGenericAllocationHandle handle,
                                            CUmemAllocationHandleType handleType,
                                            unsigned long long flags) {
    if (shareableHandle == NULL || handle == 0 || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_NOT_SUPPORTED;
    int fd = fcntl(allocation(handle)->fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return CUDA_ERROR_OPERATING_SYSTEM;
    memcpy(shareableHandle, &fd, sizeof fd);
    return CUDA_SUCCESS;
}

/* The caller keeps the descriptor. */
CUresult WORK(cuMemImportFromShareableHandle)(CUmemGenericAllocationHandle *handle, void *osHandle,
                                              CUmemAllocationHandleType shHandleType) {
    struct stat status;
    int from = (int)(intptr_t)osHandle;
    if (handle == NULL || shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || fstat(from, &status) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct allocation *made = malloc(sizeof *made);
    int fd = fcntl(from, F_DUPFD_CLOEXEC, 0);
    if (made == NULL || fd < 0) {
        free(made);
        if (fd >= 0)
            close(fd);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *made = (struct allocation){fd, (size_t)status.st_size};
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)made;
    stand_in_born();
    return CUDA_SUCCESS;
}

CUresult WORK(cuMemAddressReserve)(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
                                   unsigned long long flags) {
    (void)addr;
    if (ptr == NULL || size == 0 || size % GRANULARITY != 0 || flags != 0 || alignment > GRANULARITY)
        return CUDA_ERROR_INVALID_VALUE;
    void *range = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *ptr = (CUdeviceptr)(uintptr_t)range;
    stand_in_born();
    return CUDA_SUCCESS;
}

CUresult WORK(cuMemAddressFree)(CUdeviceptr ptr, size_t size) {
    if (ptr == 0 || munmap((void *)(uintptr_t)ptr, size) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    stand_in_dead();
    return CUDA_SUCCESS;
}

CUresult WORK(cuMemMap)(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                        unsigned long long flags) {
    if (ptr == 0 || handle == 0 || offset != 0 || flags != 0 || size > allocation(handle)->size)
        return CUDA_ERROR_INVALID_VALUE;
    /* Without access until cuMemSetAccess. */
    void *map = mmap((void *)(uintptr_t)ptr, size, PROT_NONE, MAP_SHARED | MAP_FIXED,
                     allocation(handle)->fd, 0);
    return map == MAP_FAILED ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult WORK(cuMemUnmap)(CUdeviceptr ptr, size_t size) {
    void *map = mmap((void *)(uintptr_t)ptr, size, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    return ptr == 0 || map == MAP_FAILED ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult WORK(cuMemSetAccess)(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count) {
    int protection = PROT_NONE;
    if (ptr == 0 || desc == NULL || count != 1 || desc->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    if (desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READ)
        protection = PROT_READ;
    else if (desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
        protection = PROT_READ | PROT_WRITE;
    return mprotect((void *)(uintptr_t)ptr, size, protection) == 0 ? CUDA_SUCCESS
                                                                  : CUDA_ERROR_INVALID_VALUE;
}

/* What Mesa's memory begins with. The file has room for it, and for the alignment of what follows. */
struct mesa {
    size_t file_size;
    size_t offset;
    unsigned char driver[20];
};

/* Whether the file is somebody's memory, and where in it: ours is all of a memfd. */
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

CUresult WORK(cuImportExternalMemory)(CUexternalMemory *extMem_out,
                                      const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc) {
    CUresult result = stand_in_current();
    if (result != CUDA_SUCCESS)
        return result;
    if (extMem_out == NULL || memHandleDesc == NULL || memHandleDesc->size == 0 ||
        (memHandleDesc->flags & ~(unsigned int)CUDA_EXTERNAL_MEMORY_DEDICATED) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t at = 0; at < sizeof memHandleDesc->reserved / sizeof *memHandleDesc->reserved; at++)
        if (memHandleDesc->reserved[at] != 0)
            return CUDA_ERROR_INVALID_VALUE;
    if (memHandleDesc->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD)
        return memHandleDesc->type >= 1 && memHandleDesc->type <= 9 ? CUDA_ERROR_NOT_SUPPORTED
                                                                   : CUDA_ERROR_INVALID_VALUE;
    CUexternalMemory made = malloc(sizeof *made);
    if (made == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    result = import(made, memHandleDesc->handle.fd);
    /* Once it was looked at it is closed, whatever came of it. */
    close(memHandleDesc->handle.fd);
    if (result != CUDA_SUCCESS) {
        free(made);
        return result;
    }
    made->is_dedicated = (memHandleDesc->flags & CUDA_EXTERNAL_MEMORY_DEDICATED) != 0;
    /* A size beyond the memory's is noticed only when that is mapped; of a smaller one, no more is. */
    if (memHandleDesc->size < made->size)
        made->size = (size_t)memHandleDesc->size;
    *extMem_out = made;
    stand_in_born();
    return CUDA_SUCCESS;
}

CUresult WORK(cuExternalMemoryGetMappedBuffer)(CUdeviceptr *devPtr, CUexternalMemory extMem,
                                               const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc) {
    CUresult result = stand_in_current();
    if (result != CUDA_SUCCESS)
        return result;
    if (devPtr == NULL || extMem == NULL || bufferDesc == NULL || bufferDesc->flags != 0 ||
        bufferDesc->size == 0 || bufferDesc->offset > extMem->size ||
        (extMem->is_dedicated && bufferDesc->offset != 0) ||
        bufferDesc->size > extMem->size - bufferDesc->offset)
        return CUDA_ERROR_INVALID_VALUE;
    struct buffer *buffer = malloc(sizeof *buffer);
    if (buffer == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    buffer->address = (CUdeviceptr)(uintptr_t)(extMem->start + bufferDesc->offset);
    take();
    buffer->next = buffers;
    buffers = buffer;
    release();
    *devPtr = buffer->address;
    stand_in_born();
    return CUDA_SUCCESS;
}

int stand_in_unmap_buffer(CUdeviceptr address) {
    take();
    struct buffer **link = &buffers;
    while (*link != NULL && (*link)->address != address)
        link = &(*link)->next;
    struct buffer *found = *link;
    if (found != NULL)
        *link = found->next;
    release();
    free(found);
    return found != NULL;
}

CUresult WORK(cuDestroyExternalMemory)(CUexternalMemory extMem) {
    CUresult result = stand_in_current();
    if (result != CUDA_SUCCESS)
        return result;
    if (extMem == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    munmap(extMem->map, extMem->map_size);
    free(extMem);
    stand_in_dead();
    return CUDA_SUCCESS;
}

#endif
