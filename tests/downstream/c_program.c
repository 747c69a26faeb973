/* A test in C, linked with the driver. Exits with 0, with 1 if a call fails or a byte is wrong, and with 77 if there is
   no device. For ctest and automake, 77 means "skipped". */
#include <cuda.h>

#define CHECK(call) if ((call) != CUDA_SUCCESS) return 1

int main(void) {
    CUdevice device;
    CUcontext context;
    CUdeviceptr address;
    unsigned char byte = 0;
    if (cuInit(0) == CUDA_ERROR_NO_DEVICE) return 77;
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuMemAlloc(&address, 1));
    CHECK(cuMemsetD8(address, 0x5a, 1));
    CHECK(cuMemcpyDtoH(&byte, address, 1));
    CHECK(cuMemFree(address));
    return byte == 0x5a ? 0 : 1;
}
