# Memory of Vulkan that vkgdr's C library imports into CUDA: what either side writes, the other one reads.
import numpy
import vkgdr
from cuda.bindings import driver as cuda

SIZE = 4097


def value(result):
    assert result[0] == cuda.CUresult.CUDA_SUCCESS, result
    return result[-1]


value(cuda.cuInit(0))
value(cuda.cuCtxSetCurrent(value(cuda.cuDevicePrimaryCtxRetain(0))))
memory = vkgdr.RawMemory(vkgdr.Vkgdr.open_current_context(), SIZE)
host, seen = numpy.asarray(memory).view(numpy.uint8), numpy.zeros(SIZE, numpy.uint8)
host[:] = numpy.random.default_rng(1).integers(0, 256, SIZE, numpy.uint8)
value(cuda.cuMemcpyDtoH(seen, memory.device_ptr, SIZE))
assert (seen == host).all()
value(cuda.cuMemsetD8(memory.device_ptr, 7, SIZE))
assert (host == 7).all()
memory.free()
print(f"{SIZE} bytes each way are equal")
