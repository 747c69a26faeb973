/* Imports memory and ends in the way that its argument names. Without cuda.h, so that it compiles anywhere.
 *
 * LINKED: the linker binds the driver. Otherwise it is opened, by the name in DRIVER where that is set, and the functions are
 * looked up by dlsym, or by cuGetProcAddress where the second argument is `resolved`. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct memory_desc {
    unsigned int type;
    union {
        int fd;
        void *handles[2];
    } handle;
    unsigned long long size;
    unsigned int flags;
    unsigned int reserved[16];
};

struct buffer_desc {
    unsigned long long offset, size;
    unsigned int flags;
    unsigned int reserved[16];
};

struct allocation {
    unsigned int type, handle_types;
    struct {
        unsigned int type;
        int id;
    } location;
    void *win32;
    unsigned char flags[8];
};

#define FUNCTIONS(each) \
    each(int, cuInit, (unsigned int flags)) \
    each(int, cuDevicePrimaryCtxRetain, (void **context, int device)) \
    each(int, cuCtxSetCurrent, (void *context)) \
    each(int, cuMemCreate, (unsigned long long *handle, size_t size, const struct allocation *, unsigned long long)) \
    each(int, cuMemExportToShareableHandle, (void *fd, unsigned long long handle, unsigned int, unsigned long long)) \
    each(int, cuMemRelease, (unsigned long long handle)) \
    each(int, cuImportExternalMemory, (void **memory, const struct memory_desc *)) \
    each(int, cuExternalMemoryGetMappedBuffer, (unsigned long long *address, void *memory, const struct buffer_desc *)) \
    each(int, cuMemFree_v2, (unsigned long long address)) \
    each(int, cuMemsetD8_v2, (unsigned long long address, unsigned char value, size_t bytes)) \
    each(int, cuStreamCreate, (void **stream, unsigned int flags)) \
    each(int, cuStreamSynchronize, (void *stream)) \
    each(int, cuMemsetD8Async, (unsigned long long address, unsigned char value, size_t bytes, void *stream)) \
    each(int, cuDestroyExternalMemory, (void *memory))

#ifdef LINKED
#define DECLARE(type, name, arguments) extern type name arguments;
FUNCTIONS(DECLARE)
static void find(int resolved) { (void)resolved; }
#else
#define DECLARE(type, name, arguments) static type (*name) arguments;
FUNCTIONS(DECLARE)
static void find(int resolved) {
    const char *named = getenv("DRIVER");
    void *driver = dlopen(named ? named : "libcuda.so.1", RTLD_NOW);
    if (driver == NULL) {
        printf("no driver: %s\n", dlerror());
        exit(3);
    }
    if (resolved) {
        int (*get)(const char *, void **, int, unsigned long long, void *) = NULL;
        *(void **)&get = dlsym(driver, "cuGetProcAddress_v2");
#define RESOLVE(type, name, arguments) \
    { \
        char plain[64]; \
        strcpy(plain, #name); \
        if (strlen(plain) > 3 && strcmp(plain + strlen(plain) - 3, "_v2") == 0) \
            plain[strlen(plain) - 3] = 0; \
        if (get(plain, (void **)&name, 12000, 0, NULL) != 0) \
            exit(4); \
    }
        FUNCTIONS(RESOLVE)
    } else {
#define LOOK_UP(type, name, arguments) *(void **)&name = dlsym(driver, #name);
        FUNCTIONS(LOOK_UP)
    }
}
#endif

#define SIZE (2u << 20)
#define OK(call) \
    do { \
        int code = (call); \
        if (code != 0) { \
            printf("%s: %d\n", #call, code); \
            exit(5); \
        } \
    } while (0)

static void *context;

static void *import(unsigned long long *address) {
    struct allocation allocation = {.type = 1, .handle_types = 1, .location = {1, 0}};
    unsigned long long handle;
    struct memory_desc desc = {.type = 1, .size = SIZE};
    struct buffer_desc buffer = {.size = SIZE};
    void *memory = NULL;
    OK(cuMemCreate(&handle, SIZE, &allocation, 0));
    OK(cuMemExportToShareableHandle(&desc.handle.fd, handle, 1, 0));
    OK(cuMemRelease(handle));
    OK(cuImportExternalMemory(&memory, &desc));
    OK(cuExternalMemoryGetMappedBuffer(address, memory, &buffer));
    OK(cuMemsetD8_v2(*address, 1, SIZE));
    return memory;
}

static void begin(void) {
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
}

static void all_in_order(void) {
    unsigned long long address;
    void *memory = import(&address);
    OK(cuMemFree_v2(address));
    OK(cuDestroyExternalMemory(memory));
}

static void *thread(void *unused) {
    OK(cuCtxSetCurrent(context));
    for (int round = 0; round < 200; round++)
        all_in_order();
    return unused;
}

static void in_threads(void) {
    pthread_t threads[8];
    for (int at = 0; at < 8; at++)
        pthread_create(&threads[at], NULL, thread, NULL);
    for (int at = 0; at < 8; at++)
        pthread_join(threads[at], NULL);
}

/* A child must neither report the parent's objects nor wait for its locks, and may close every descriptor. */
static void in_children(int then_exits) {
    unsigned long long address;
    void *memory = import(&address);
    for (int at = 0; at < 20; at++) {
        pid_t child = fork();
        if (child == 0) {
            for (int fd = 3; fd < 1024; fd++)
                close(fd);
            if (then_exits)
                exit(0);
            _exit(0);
        }
        int status = -1;
        waitpid(child, &status, 0);
        if (status != 0)
            exit(6);
    }
    OK(cuMemFree_v2(address));
    OK(cuDestroyExternalMemory(memory));
}

static volatile int is_over;

static void *until_over(void *unused) {
    OK(cuCtxSetCurrent(context));
    while (!is_over)
        all_in_order();
    return unused;
}

/* A child is forked while other threads are in the layer, and makes a call with a mistake of its own. */
static void in_children_of_threads(void) {
    pthread_t threads[2];
    for (int at = 0; at < 2; at++)
        pthread_create(&threads[at], NULL, until_over, NULL);
    for (int at = 0; at < 50; at++) {
        pid_t child = fork();
        if (child == 0) {
            struct memory_desc desc = {.type = 1};
            void *memory;
            alarm(5);
            _exit(cuImportExternalMemory(&memory, &desc) == 1 ? 0 : 1);
        }
        int status = -1;
        waitpid(child, &status, 0);
        if (status != 0)
            exit(6);
    }
    is_over = 1;
    for (int at = 0; at < 2; at++)
        pthread_join(threads[at], NULL);
}

static double nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

/* The least time of a call, of several rounds: of a fill of mapped memory, and of one in a stream, for which the check
 * records an event; and of an import with its mapping and their ends. */
#define TIMED(name, calls, call) \
    { \
        double best = 1e12; \
        for (int round = 0; round < 10; round++) { \
            double began = nanoseconds(); \
            for (int at = 0; at < (calls); at++) \
                call; \
            double took = (nanoseconds() - began) / (calls); \
            best = took < best ? took : best; \
            OK(cuStreamSynchronize(stream)); \
        } \
        printf("%s %.1f ns\n", name, best); \
    }

static void timed(void) {
    unsigned long long address;
    void *stream = NULL, *memory = import(&address);
    OK(cuStreamCreate(&stream, 1));
    TIMED("fill", 1000, OK(cuMemsetD8_v2(address, 1, 1)))
    TIMED("fill-in-stream", 500, OK(cuMemsetD8Async(address, 1, 1, stream)))
    TIMED("import", 20, all_in_order())
    OK(cuMemFree_v2(address));
    OK(cuDestroyExternalMemory(memory));
}

#ifndef LINKED
/* Whether cuGetProcAddress hands out functions of the library that was opened, with each kind of default stream. */
static int is_first_librarys(void) {
    static const char *const names[] = {"cuImportExternalMemory", "cuSignalExternalSemaphoresAsync", "cuMemFree",
                                        "cuMemcpyHtoDAsync", "cuMemsetD8", "cuGraphLaunch", "cuStreamSynchronize",
                                        "cuDevicePrimaryCtxRelease", "cuGetProcAddress"};
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    int (*get)(const char *, void **, int, unsigned long long, void *) = NULL;
    int (*get_1)(const char *, void **, int, unsigned long long) = NULL;
    Dl_info library, found;
    if (driver == NULL || dladdr(dlsym(driver, "cuImportExternalMemory"), &library) == 0)
        return 8;
    *(void **)&get = dlsym(driver, "cuGetProcAddress_v2");
    *(void **)&get_1 = dlsym(driver, "cuGetProcAddress");
    for (size_t at = 0; at < sizeof names / sizeof *names; at++)
        for (int stream = 0; stream <= 2; stream += 2) {
            void *function = NULL;
            int code = get != NULL ? get(names[at], &function, 12000, stream, NULL) : -1;
            if (code != 0) /* A driver before 12.0, or one that lacks it in this release. */
                code = get_1(names[at], &function, 11040, stream);
            if (code != 0 || dladdr(function, &found) == 0 || found.dli_fbase != library.dli_fbase) {
                printf("%s with %d: %d, of %s and not of %s\n", names[at], stream, code, found.dli_fname, library.dli_fname);
                return 9;
            }
        }
    printf("reached the end\n");
    return 0;
}
#endif

int main(int count, char **arguments) {
#ifndef LINKED
    if (count > 1 && strcmp(arguments[1], "resolve") == 0)
        return is_first_librarys();
#endif
    const char *what = count > 1 ? arguments[1] : "";
    unsigned long long address;
    find(count > 2 && strcmp(arguments[2], "resolved") == 0);
    begin();
    if (strcmp(what, "whole") == 0)
        all_in_order();
    else if (strcmp(what, "threads") == 0)
        in_threads();
    else if (strcmp(what, "children") == 0)
        in_children(0);
    else if (strcmp(what, "exiting-children") == 0)
        in_children(1);
    else if (strcmp(what, "children-of-threads") == 0)
        in_children_of_threads();
    else if (strcmp(what, "slow") == 0)
        sleep(1);
    else if (strcmp(what, "timed") == 0)
        timed();
    else if (strcmp(what, "leak") == 0)
        import(&address);
    else if (strcmp(what, "failing") == 0) {
        import(&address);
        return 7;
    } else if (strcmp(what, "_exit") == 0) {
        import(&address);
        _exit(0);
    } else if (strcmp(what, "killed") == 0) {
        import(&address);
        raise(SIGKILL);
    } else if (strcmp(what, "twice") == 0) {
        void *memory = import(&address);
        OK(cuMemFree_v2(address));
        OK(cuDestroyExternalMemory(memory));
        printf("second: %d\n", cuDestroyExternalMemory(memory));
    } else if (strcmp(what, "closed-all") == 0) {
        /* As a daemon does: nobody's mistake. */
        void *memory = import(&address);
        for (int fd = 3; fd < 2048; fd++)
            close(fd);
        OK(cuMemFree_v2(address));
        OK(cuDestroyExternalMemory(memory));
    } else if (strcmp(what, "many") == 0) {
        for (int at = 0; at < 30; at++)
            import(&address);
    } else
        return 7;
    printf("reached the end\n");
    return 0;
}
