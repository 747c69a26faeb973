/* The first call as C makes it: open, resolve, call. Prints the nanoseconds of that, of the next
 * function's first call (resolve, call) and of one more call. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef int function(void *const *semaphores, const void *params, unsigned count, void *stream);

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(void) {
    /* Uses the heap and the clock once, as a process that has run for a while has. */
    void *volatile used = malloc(100);
    free(used);
    now();
    long long start = now();
    void *library = dlopen("libcuda.so.1", RTLD_LAZY);
    if (!library) return 1;
    function *wait = (function *)dlsym(library, "cuWaitExternalSemaphoresAsync");
    if (!wait) return 1;
    int codes = wait(0, 0, 0, 0);
    long long first = now();
    function *signal = (function *)dlsym(library, "cuSignalExternalSemaphoresAsync");
    if (!signal) return 1;
    codes |= signal(0, 0, 0, 0);
    long long second = now();
    codes |= signal(0, 0, 0, 0);
    long long third = now();
    printf("%lld %lld %lld\n", first - start, second - first, third - second);
    return codes;
}
