/* The kernels of examples/kernel.rs and of the tests, as functions of the host for the CUDA driver in software: each does what all
   threads of a launch do. scripts/on-cpu compiles them. */
#include <stdint.h>

static uint32_t threads(const unsigned grid[3], const unsigned block[3], uint32_t count) {
    uint64_t all = (uint64_t)grid[0] * block[0];
    return all < count ? (uint32_t)all : count;
}

void scale(const unsigned grid[3], const unsigned block[3], void **arguments) {
    uint32_t *words = *(uint32_t **)arguments[0], count = *(uint32_t *)arguments[1], factor = *(uint32_t *)arguments[2];
    for (uint32_t i = 0; i < threads(grid, block, count); i++) words[i] = words[i] * factor + i;
}

void increase(const unsigned grid[3], const unsigned block[3], void **arguments) {
    uint32_t *words = *(uint32_t **)arguments[0], count = *(uint32_t *)arguments[1], by = *(uint32_t *)arguments[2];
    for (uint32_t i = 0; i < threads(grid, block, count); i++) words[i] += by;
}
