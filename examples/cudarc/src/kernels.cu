// The kernels of this example. kernels.ptx beside it is made from this file; README.md has the command.

// words[i] = words[i] * factor + i
extern "C" __global__ void scale(unsigned *words, unsigned count, unsigned factor)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        words[i] = words[i] * factor + i;
}

// A level of an image from the level above it: each texel is the rounded mean of two by two. Surfaces address bytes
// in x, and texels in y. Where a level is one texel wide or high, that texel counts twice.
extern "C" __global__ void halve(cudaSurfaceObject_t above, unsigned above_width, unsigned above_height,
                                 cudaSurfaceObject_t level, unsigned width, unsigned height)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int left = min(2 * x, above_width - 1) * sizeof(uchar4), right = min(2 * x + 1, above_width - 1) * sizeof(uchar4);
    int upper = min(2 * y, above_height - 1), lower = min(2 * y + 1, above_height - 1);
    uchar4 a = surf2Dread<uchar4>(above, left, upper), b = surf2Dread<uchar4>(above, right, upper);
    uchar4 c = surf2Dread<uchar4>(above, left, lower), d = surf2Dread<uchar4>(above, right, lower);
    uchar4 mean = make_uchar4((a.x + b.x + c.x + d.x + 2) / 4, (a.y + b.y + c.y + d.y + 2) / 4,
                              (a.z + b.z + c.z + d.z + 2) / 4, (a.w + b.w + c.w + d.w + 2) / 4);
    surf2Dwrite(mean, level, x * sizeof(uchar4), y);
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
