"""Imports memory by ctypes, and leaves it where the argument says so."""

import ctypes
import sys

cuda = ctypes.CDLL("libcuda.so.1")
SIZE = 2 << 20


class MemoryDesc(ctypes.Structure):
    class Handle(ctypes.Union):
        _fields_ = [("fd", ctypes.c_int), ("handles", ctypes.c_void_p * 2)]

    _fields_ = [("type", ctypes.c_uint), ("handle", Handle), ("size", ctypes.c_ulonglong), ("flags", ctypes.c_uint),
                ("reserved", ctypes.c_uint * 16)]


class Allocation(ctypes.Structure):
    _fields_ = [("type", ctypes.c_uint), ("handle_types", ctypes.c_uint), ("location_type", ctypes.c_uint),
                ("device", ctypes.c_int), ("win32", ctypes.c_void_p), ("flags", ctypes.c_ubyte * 8)]


def ok(code):
    assert code == 0, code


context, handle, memory = ctypes.c_void_p(), ctypes.c_ulonglong(), ctypes.c_void_p()
desc = MemoryDesc(type=1, size=SIZE)
ok(cuda.cuInit(0))
ok(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
ok(cuda.cuCtxSetCurrent(context))
allocation = Allocation(type=1, handle_types=1, location_type=1)
ok(cuda.cuMemCreate(ctypes.byref(handle), ctypes.c_size_t(SIZE), ctypes.byref(allocation), ctypes.c_ulonglong(0)))
fd = ctypes.c_int()
ok(cuda.cuMemExportToShareableHandle(ctypes.byref(fd), handle, 1, ctypes.c_ulonglong(0)))
ok(cuda.cuMemRelease(handle))
desc.handle.fd = fd.value
ok(cuda.cuImportExternalMemory(ctypes.byref(memory), ctypes.byref(desc)))
if sys.argv[1:] != ["leak"]:
    ok(cuda.cuDestroyExternalMemory(memory))
print("reached the end")
