// words[i] = words[i] * factor + i. README.md has the command that makes scale.ptx.
extern "C" __global__ void scale(unsigned *words, unsigned count, unsigned factor)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        words[i] = words[i] * factor + i;
}
