/* The driver's functions that the programs call, and an import with its mapping. Without cuda.h, so that it compiles anywhere.
 *
 * LINKED: the linker binds the driver. Otherwise it is opened, by the name in DRIVER where that is set, and the functions are
 * looked up by dlsym, or by cuGetProcAddress where the second argument is `resolved`. FURTHER has more functions. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef FURTHER
#define FURTHER(each)
#endif

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
    each(int, cuDestroyExternalMemory, (void *memory)) \
    FURTHER(each)

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

/* A description of memory that CUDA exports here. */
static struct memory_desc exported(void) {
    struct allocation allocation = {.type = 1, .handle_types = 1, .location = {1, 0}};
    unsigned long long handle;
    struct memory_desc desc = {.type = 1, .size = SIZE};
    OK(cuMemCreate(&handle, SIZE, &allocation, 0));
    OK(cuMemExportToShareableHandle(&desc.handle.fd, handle, 1, 0));
    OK(cuMemRelease(handle));
    return desc;
}

static inline void *import(unsigned long long *address) {
    struct memory_desc desc = exported();
    struct buffer_desc buffer = {.size = SIZE};
    void *memory = NULL;
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
