"""Imports memory by NVIDIA's package cuda-bindings. With the argument `leak` it frees nothing."""

import sys

from cuda.bindings import driver as cuda

SIZE = 2 << 20


def ok(result):
    assert result[0] == cuda.CUresult.CUDA_SUCCESS, result
    return result[1] if len(result) == 2 else None


ok(cuda.cuInit(0))
ok(cuda.cuCtxSetCurrent(ok(cuda.cuDevicePrimaryCtxRetain(0))))
prop = cuda.CUmemAllocationProp()
prop.type = cuda.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
prop.location.type = cuda.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
kind = cuda.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
prop.requestedHandleTypes = kind
allocation = ok(cuda.cuMemCreate(SIZE, prop, 0))
fd = ok(cuda.cuMemExportToShareableHandle(allocation, kind, 0))
ok(cuda.cuMemRelease(allocation))

desc = cuda.CUDA_EXTERNAL_MEMORY_HANDLE_DESC()
desc.type = cuda.CUexternalMemoryHandleType.CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD
desc.handle.fd = int(fd)
desc.size = SIZE
memory = ok(cuda.cuImportExternalMemory(desc))
buffer = cuda.CUDA_EXTERNAL_MEMORY_BUFFER_DESC()
buffer.size = SIZE
address = ok(cuda.cuExternalMemoryGetMappedBuffer(memory, buffer))
ok(cuda.cuMemsetD8(address, 7, SIZE))
read = bytearray(SIZE)
ok(cuda.cuMemcpyDtoH(read, address, SIZE))
assert read == b"\x07" * SIZE
if sys.argv[1:] != ["leak"]:
    ok(cuda.cuMemFree(address))
    ok(cuda.cuDestroyExternalMemory(memory))
print("reached the end")
