// The kernels of this example. kernels.ptx beside it is made from this file; README.md has the command.

// words[i] = words[i] * factor + i
extern "C" __global__ void scale(unsigned *words, unsigned count, unsigned factor)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        words[i] = words[i] * factor + i;
}

// A level of an image from the level above it: every second texel of every second row. Surfaces address bytes in x, and
// texels in y.
extern "C" __global__ void halve(cudaSurfaceObject_t above, cudaSurfaceObject_t level, unsigned width, unsigned height)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        surf2Dwrite(surf2Dread<uchar4>(above, 2 * x * sizeof(uchar4), 2 * y), level, x * sizeof(uchar4), y);
}

// Copies a mip level texel by texel, as a texture object shows it. Coordinates are normalized: with a mipmapped array
// they must be. The middle of a texel is half a texel from its edge.
extern "C" __global__ void fetch(cudaTextureObject_t texture, float level, unsigned width, unsigned height,
                                 uchar4 *texels)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        texels[y * width + x] = tex2DLod<uchar4>(texture, (x + 0.5f) / width, (y + 0.5f) / height, level);
}
