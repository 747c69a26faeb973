// The libraries of the broken machines. Each is compiled from this file, with -DNAME for one of the names below.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(STUB) // the stub library of a CUDA toolkit
int cuDriverGetVersion(int *version) { return 34; }
int cuInit(unsigned flags) { return 34; }
#elif defined(OTHER) // not a driver of CUDA's
int cuInit(unsigned flags) { return 0; }
#elif defined(CRASH)
__attribute__((constructor)) static void crash(void) { abort(); }
#elif defined(HANG)
int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
int cuInit(unsigned flags) { for (;;) pause(); }
#elif defined(DENY) // preloaded: a cgroup that does not allow NVIDIA's devices
#include <errno.h>
int openat(int, const char *, int, ...);
int open64(const char *path, int flags, int mode) {
    if (!strncmp(path, "/dev/nvidia", 11))
        return errno = EPERM, -1;
    return openat(-100, path, flags, mode);
}
#elif defined(NEEDED) // a library that others are linked to, and that is removed afterwards
int needed(void) { return 0; }
#elif defined(ICD) // another vendor's Vulkan driver, which has no device, or one that needs a library
void *vk_icdGetInstanceProcAddr(void *instance, const char *name) { return 0; }
#elif defined(EGL) // NVIDIA's EGL with one device, CUDA's 0; without one (SHIM_EGL=none); broken (SHIM_EGL=fails)
static long zero(void) { return 0; }
static long one(void) { return 1; }
static int is(const char *what) { return getenv("SHIM_EGL") && !strcmp(getenv("SHIM_EGL"), what); }
static const char *text(void) { return "EGL_EXT_device_base EGL_EXT_platform_device"; }
static int devices(int most, void **devices, int *count) {
    *count = !is("none");
    if (devices && *count)
        *devices = one;
    return 1;
}
static void *find(const char *name) {
    if (!strcmp(name, "eglQueryString"))
        return text;
    if (!strcmp(name, "eglQueryDevicesEXT"))
        return devices;
    return strncmp(name, "egl", 3) || !strcmp(name, "eglInitialize") && is("fails") ? zero : one;
}
int __egl_Main(unsigned version, void *exports, void *vendor, void **imports) {
    // glvnd's functions: a display's platform, support of an API, look-up, dispatch, and its index.
    imports[0] = imports[1] = one, imports[3] = find, imports[4] = imports[5] = zero;
    return 1;
}
#elif defined(SHIM) // calls the driver in software, but with other names and UUIDs, without a copy, or with a crash
typedef int Uuid(char *, int);
typedef int Name(char *, int, int);
void *dlsym(void *, const char *);
#define NEXT(type, name) ((type *)dlsym((void *)-1l, name))
int cuDeviceGetUuid_v2(char *uuid, int device) {
    int code = NEXT(Uuid, "cuDeviceGetUuid_v2")(uuid, device);
    const char *hex = getenv("SHIM_UUID"), *last = getenv("SHIM_LAST");
    if (last)
        uuid[15] += atoi(last);
    for (int i = 0; hex && i < 16; i++) {
        char byte[3] = {hex[2 * i], hex[2 * i + 1], 0};
        uuid[i] = (char)strtol(byte, 0, 16);
    }
    return code;
}
int cuDeviceGetName(char *name, int length, int device) {
    const char *other = getenv("SHIM_NAME");
    if (!other)
        return NEXT(Name, "cuDeviceGetName")(name, length, device);
    strncpy(name, other, length);
    return 0;
}
int cuMemcpyDtoHAsync_v2(void *to, unsigned long from, unsigned long size, void *stream) {
    typedef int Copy(void *, unsigned long, unsigned long, void *);
    return getenv("SHIM_NO_COPY") ? 0 : NEXT(Copy, "cuMemcpyDtoHAsync_v2")(to, from, size, stream);
}
int cuImportExternalSemaphore(void *semaphore, const void *desc) {
    typedef int Import(void *, const void *);
    if (getenv("SHIM_CRASH"))
        abort();
    return NEXT(Import, "cuImportExternalSemaphore")(semaphore, desc);
}
#endif
