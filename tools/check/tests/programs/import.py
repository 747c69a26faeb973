"""Imports memory by ctypes, and does not destroy the import if the first argument is `leak`. The second argument names
the library of the runtime API, which looks up the driver's functions by itself."""

import ctypes
import sys

cuda = ctypes.CDLL("libcuda.so.1")
SIZE = 2 << 20


def ok(code):
    assert code == 0, code


context, handle, memory = ctypes.c_void_p(), ctypes.c_ulonglong(), ctypes.c_void_p()
ok(cuda.cuInit(0))
ok(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
ok(cuda.cuCtxSetCurrent(context))
# CUmemAllocationProp: the type, the handle types, and the location's type and device.
allocation = (ctypes.c_uint * 8)(1, 1, 1, 0)
ok(cuda.cuMemCreate(ctypes.byref(handle), ctypes.c_size_t(SIZE), allocation, ctypes.c_ulonglong(0)))
fd = ctypes.c_int()
ok(cuda.cuMemExportToShareableHandle(ctypes.byref(fd), handle, 1, ctypes.c_ulonglong(0)))
ok(cuda.cuMemRelease(handle))
# CUDA_EXTERNAL_MEMORY_HANDLE_DESC: the type, the descriptor in a union of 16 bytes from byte 8 on, and the size.
desc = (ctypes.c_uint * 26)(1, 0, fd.value, 0, 0, 0, SIZE)
if sys.argv[2:]:
    ok(ctypes.CDLL(sys.argv[2]).cudaImportExternalMemory(ctypes.byref(memory), desc))
else:
    ok(cuda.cuImportExternalMemory(ctypes.byref(memory), desc))
if sys.argv[1:2] != ["leak"]:
    ok(cuda.cuDestroyExternalMemory(memory))
print("reached the end")
