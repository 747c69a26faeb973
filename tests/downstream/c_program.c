/* A C program's test, linked with the driver: memory that is exported and imported is the same. Exits with 0, with 1 where a call or
   a byte is wrong, and with 77, which ctest and automake take for "skipped", where there is no device. */
#include <cuda.h>
#include <stdio.h>

#define SIZE ((size_t)2 << 20)
#define CHECK(call)                                                                                                                 \
    do {                                                                                                                            \
        CUresult code = call;                                                                                                       \
        if (code != CUDA_SUCCESS) {                                                                                                 \
            fprintf(stderr, "%s: %d\n", #call, code);                                                                               \
            return 1;                                                                                                               \
        }                                                                                                                           \
    } while (0)

int main(void) {
    if (cuInit(0) == CUDA_ERROR_NO_DEVICE) return 77;
    CUdevice device;
    CUcontext context;
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));

    CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR};
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CUmemGenericAllocationHandle allocation;
    CHECK(cuMemCreate(&allocation, SIZE, &properties, 0));
    CUexternalMemory imports[2];
    CUdeviceptr addresses[2];
    for (int i = 0; i < 2; i++) {
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC memory = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .size = SIZE};
        CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer = {.size = SIZE};
        CHECK(cuMemExportToShareableHandle(&memory.handle.fd, allocation, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
        CHECK(cuImportExternalMemory(&imports[i], &memory));
        CHECK(cuExternalMemoryGetMappedBuffer(&addresses[i], imports[i], &buffer));
    }
    unsigned char last = 0;
    CHECK(cuMemsetD8(addresses[0], 0x5a, SIZE));
    CHECK(cuMemcpyDtoH(&last, addresses[1] + SIZE - 1, 1));
    for (int i = 0; i < 2; i++) {
        CHECK(cuMemFree(addresses[i]));
        CHECK(cuDestroyExternalMemory(imports[i]));
    }
    CHECK(cuMemRelease(allocation));
    return last == 0x5a ? 0 : 1;
}
