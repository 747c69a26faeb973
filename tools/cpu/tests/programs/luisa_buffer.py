"""Kernels of LuisaCompute: numbers in a buffer, and texels of an image."""

import luisa
import numpy
from luisa.mathtypes import *

COUNT = 1024
luisa.init("cuda")
numbers = luisa.Buffer.empty(COUNT, dtype=float)
image = luisa.Image2D.empty(64, 32, 4, float)


@luisa.func
def write_numbers():
    place = dispatch_id().x
    numbers.write(place, sqrt(float(place)) + 0.5)


@luisa.func
def write_texels():
    place = dispatch_id().xy
    image.write(place, float4(float(place.x), float(place.y), 1.0, 2.0))


write_numbers(dispatch_size=COUNT)
write_texels(dispatch_size=(64, 32, 1))
rows, columns = numpy.mgrid[0:32, 0:64].astype(numpy.float32)
texels = numpy.stack([columns, rows, numpy.ones_like(rows), numpy.full_like(rows, 2)], axis=2)
assert numpy.allclose(numbers.numpy(), numpy.sqrt(numpy.arange(COUNT, dtype=numpy.float32)) + 0.5, rtol=1e-6)
assert (image.numpy() == texels).all()
print("the numbers and numpy's are equal")
