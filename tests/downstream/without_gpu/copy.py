"""A Python script's test: a copy to the device and back, and an allocation that fails where the fault says so."""
import ctypes
import sys

cuda = ctypes.CDLL("libcuda.so.1")


def check(code, expected=0):
    if code != expected:
        sys.exit(f"the code is {code}, not {expected}")


context, address = ctypes.c_void_p(), ctypes.c_uint64()
check(cuda.cuInit(0))
check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
check(cuda.cuCtxSetCurrent(context))
check(cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(1 << 20)))
sent, back = bytes(range(256)), ctypes.create_string_buffer(256)
check(cuda.cuMemcpyHtoD_v2(address, sent, ctypes.c_size_t(256)))
check(cuda.cuMemcpyDtoH_v2(back, address, ctypes.c_size_t(256)))
if back.raw != sent:
    sys.exit("other bytes")
check(cuda.cuMemFree_v2(address))
# Started with --fault cuMemAlloc:2=CUDA_ERROR_OUT_OF_MEMORY.
check(cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(1 << 20)), expected=2)
