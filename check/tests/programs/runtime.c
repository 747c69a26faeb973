/* The runtime API: memory that the driver API exports, imported by cudaImportExternalMemory. The runtime opens the driver
 * and looks every function up by itself. `runtime leak` frees nothing.
 *
 *     nvcc -o runtime runtime.c && cuda-external-check ./runtime */
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE (2u << 20)
#define OK(call) \
    do { \
        int code = (int)(call); \
        if (code != 0) { \
            printf("%s: %d\n", #call, code); \
            exit(1); \
        } \
    } while (0)

static void *driver(const char *name) {
    void *found = NULL;
    enum cudaDriverEntryPointQueryResult result;
    OK(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result));
    return found;
}

int main(int count, char **arguments) {
    unsigned char *bytes = malloc(SIZE);
    CUmemAllocationProp prop = {0};
    CUmemGenericAllocationHandle handle;
    struct cudaExternalMemoryHandleDesc desc = {0};
    struct cudaExternalMemoryBufferDesc buffer = {0};
    cudaExternalMemory_t memory;
    void *mapped;
    CUresult (*create)(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *, unsigned long long);
    CUresult (*export)(void *, CUmemGenericAllocationHandle, CUmemAllocationHandleType, unsigned long long);
    CUresult (*release)(CUmemGenericAllocationHandle);

    OK(cudaFree(NULL));
    *(void **)&create = driver("cuMemCreate");
    *(void **)&export = driver("cuMemExportToShareableHandle");
    *(void **)&release = driver("cuMemRelease");
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    OK(create(&handle, SIZE, &prop, 0));
    OK(export(&desc.handle.fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    OK(release(handle));

    desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
    desc.size = buffer.size = SIZE;
    OK(cudaImportExternalMemory(&memory, &desc));
    OK(cudaExternalMemoryGetMappedBuffer(&mapped, memory, &buffer));
    OK(cudaMemset(mapped, 7, SIZE));
    OK(cudaMemcpy(bytes, mapped, SIZE, cudaMemcpyDeviceToHost));
    for (size_t at = 0; at < SIZE; at++)
        if (bytes[at] != 7)
            return 2;
    if (count < 2 || strcmp(arguments[1], "leak") != 0) {
        OK(cudaFree(mapped));
        OK(cudaDestroyExternalMemory(memory));
    }
    printf("reached the end\n");
    return 0;
}
