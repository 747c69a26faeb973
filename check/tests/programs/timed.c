/* The least time of each call of the family, of several rounds. */
#define FURTHER(each) \
    each(int, cuStreamCreate, (void **stream, unsigned int flags)) \
    each(int, cuStreamSynchronize, (void *stream)) \
    each(int, cuMemcpyDtoH_v2, (void *to, unsigned long long from, size_t bytes)) \
    each(int, cuMemsetD8Async, (unsigned long long address, unsigned char value, size_t bytes, void *stream)) \
    each(int, cuImportExternalSemaphore, (void **semaphore, const struct semaphore_desc *)) \
    each(int, cuSignalExternalSemaphoresAsync, (void *const *, const struct params *, unsigned int count, void *stream)) \
    each(int, cuWaitExternalSemaphoresAsync, (void *const *, const struct params *, unsigned int count, void *stream)) \
    each(int, cuDestroyExternalSemaphore, (void *semaphore))
#include <time.h>

struct semaphore_desc {
    unsigned int type;
    union {
        int fd;
        void *handles[2];
    } handle;
    unsigned int flags;
    unsigned int reserved[16];
};

struct params {
    unsigned long long value;
    unsigned int rest[34];
};

#include "driver.h"

#define ROUNDS 40
#define EACH 50

static double nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

static double least[16];
static const char *names[16];

/* A call for each of the objects. */
#define TIMED(number, name, call) \
    { \
        double began = nanoseconds(); \
        for (int at = 0; at < EACH; at++) \
            OK(call); \
        double took = (nanoseconds() - began) / EACH; \
        names[number] = name; \
        if (least[number] == 0 || took < least[number]) \
            least[number] = took; \
    }

static void memories(void *stream) {
    struct memory_desc descs[EACH];
    struct buffer_desc buffer = {.size = SIZE};
    void *memories[EACH];
    unsigned long long addresses[EACH];
    char byte;
    for (int at = 0; at < EACH; at++)
        descs[at] = exported();
    TIMED(0, "cuImportExternalMemory", cuImportExternalMemory(&memories[at], &descs[at]))
    TIMED(1, "cuExternalMemoryGetMappedBuffer", cuExternalMemoryGetMappedBuffer(&addresses[at], memories[at], &buffer))
    TIMED(2, "cuMemsetD8", cuMemsetD8_v2(addresses[at], 1, 1))
    TIMED(3, "cuMemcpyDtoH", cuMemcpyDtoH_v2(&byte, addresses[at], 1))
    TIMED(4, "cuMemsetD8Async", cuMemsetD8Async(addresses[at], 1, 1, stream))
    OK(cuStreamSynchronize(stream));
    TIMED(5, "cuMemFree", cuMemFree_v2(addresses[at]))
    TIMED(6, "cuDestroyExternalMemory", cuDestroyExternalMemory(memories[at]))
}

/* The fake driver takes any export. */
static void semaphores(void *stream) {
    struct semaphore_desc descs[EACH];
    void *semaphores[EACH];
    struct params params = {0};
    for (int at = 0; at < EACH; at++)
        descs[at] = (struct semaphore_desc){.type = 9, .handle.fd = exported().handle.fd};
    TIMED(7, "cuImportExternalSemaphore", cuImportExternalSemaphore(&semaphores[at], &descs[at]))
    params.value = 1;
    TIMED(8, "cuSignalExternalSemaphoresAsync", cuSignalExternalSemaphoresAsync(&semaphores[at], &params, 1, stream))
    TIMED(9, "cuWaitExternalSemaphoresAsync", cuWaitExternalSemaphoresAsync(&semaphores[at], &params, 1, stream))
    OK(cuStreamSynchronize(stream));
    TIMED(10, "cuDestroyExternalSemaphore", cuDestroyExternalSemaphore(semaphores[at]))
}

int main(int count, char **arguments) {
    void *stream = NULL;
    find(0);
    begin();
    OK(cuStreamCreate(&stream, 1));
    for (int round = 0; round < ROUNDS; round++) {
        memories(stream);
        if (count > 1 && strcmp(arguments[1], "semaphores") == 0)
            semaphores(stream);
    }
    for (int number = 0; number < 16; number++)
        if (names[number] != NULL)
            printf("%s %.0f ns\n", names[number], least[number]);
    printf("reached the end\n");
    return 0;
}
