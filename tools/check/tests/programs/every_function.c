/* Calls every function that the layer wraps, and compares a thread's signal mask and cancelability before and after
 * each call. With -DDRIVER this file is the driver: its functions, which functions.h lists, return the code in CODE and
 * look at the mask too. Otherwise it is the program, and the loader of Vulkan's layers:
 *
 *     every_function cuda NAME...
 *     every_function vulkan NAME... */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The function that the program calls. The driver has the program's. */
const char *called;

static int is_blocked(void) {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    return sigismember(&mask, SIGTERM) || sigismember(&mask, SIGALRM);
}

static void see(const char *name) {
    if (called != NULL && strcmp(name, called) == 0 && is_blocked())
        printf("%s: signals are blocked in the driver\n", name);
}

#ifdef DRIVER
static int run(const char *name) {
    const char *code = getenv("CODE");
    see(name);
    return code == NULL ? 0 : atoi(code);
}
#define FUNCTION(name) int name(void) { return run(#name); }
#include "functions.h"

#else
typedef uintptr_t word;
typedef word (*function)(word, word, word, word, word, word, word, word, word, word, word, word);

static unsigned compared;

static void compare(const char *name, const char *what) {
    int cancel, type, unused;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
    pthread_setcancelstate(cancel, &unused);
    pthread_setcanceltype(type, &unused);
    if (is_blocked())
        printf("%s: signals are blocked after %s\n", name, what);
    if (cancel != PTHREAD_CANCEL_ENABLE || type != PTHREAD_CANCEL_DEFERRED)
        printf("%s: the thread cannot be cancelled after %s\n", name, what);
    if (is_blocked()) { /* so that each function is judged by itself */
        sigset_t none;
        sigemptyset(&none);
        pthread_sigmask(SIG_SETMASK, &none, NULL);
    }
    compared++;
}

static void call(function run, const char *name, word first, word others) {
    called = name;
    run(first, others, others, others, others, others, others, others, others, others, others, others);
    called = NULL;
    compare(name, "it");
}

/* Vulkan: what the layer sees of the loader and of the next layer. */
struct link {
    struct link *next;
    void *get_instance_proc_addr, *get_device_proc_addr;
};
struct create_info {
    int type;
    const void *next;
    int what;
    struct link *link;
};
struct interface {
    int type;
    void *next;
    unsigned version;
    function (*get_instance_proc_addr)(void *, const char *), (*get_device_proc_addr)(void *, const char *);
    void *get_physical_device_proc_addr;
};
/* What a dispatchable handle points to begins with the loader's key. */
static word instance[2] = {1}, device[2] = {2};

static int create(void *first, void *info, void *allocator, void *out) {
    (void)allocator;
    *(void **)out = first == instance ? device : instance;
    (void)info;
    return 0;
}

static int create_instance(void *info, void *allocator, void *out) { return create(NULL, info, allocator, out); }

static int next_layer_function(void) {
    see(called == NULL ? "" : called);
    return 0;
}

static void *next_layer(void *of, const char *name) {
    (void)of;
    if (strcmp(name, "vkCreateInstance") == 0)
        return (void *)create_instance;
    return strcmp(name, "vkCreateDevice") == 0 ? (void *)create : (void *)next_layer_function;
}

static void vulkan(void *layer, char **names, word zeros) {
    struct interface interface = {.type = 1, .version = 2};
    int (*negotiate)(struct interface *) = NULL;
    *(void **)&negotiate = dlsym(layer, "vkNegotiateLoaderLayerInterfaceVersion");
    negotiate(&interface);
    compare("vkNegotiateLoaderLayerInterfaceVersion", "it");
    for (char **name = names; *name != NULL; name++) {
        interface.get_instance_proc_addr(NULL, *name);
        compare(*name, "an early look-up");
    }
    struct link links[2] = {{&links[1], (void *)next_layer, (void *)next_layer}, {0}};
    struct create_info info = {.type = 47, .link = links};
    struct {
        int type;
        const void *next;
        word rest[8];
    } of_program = {.next = &info};
    void *out = NULL;
    function run = interface.get_instance_proc_addr(NULL, "vkCreateInstance");
    run((word)&of_program, 0, (word)&out, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    compare("vkCreateInstance", "it");
    info = (struct create_info){.type = 48, .link = links};
    run = interface.get_instance_proc_addr(instance, "vkCreateDevice");
    run((word)instance, (word)&of_program, 0, (word)&out, 0, 0, 0, 0, 0, 0, 0, 0);
    compare("vkCreateDevice", "it");
    for (char **name = names; *name != NULL; name++) {
        run = interface.get_device_proc_addr(device, *name);
        compare(*name, "a look-up");
        if (strcmp(*name, "vkDestroyDevice") != 0)
            call(run, *name, (word)device, zeros);
    }
    call(interface.get_device_proc_addr(device, "vkDestroyDevice"), "vkDestroyDevice", (word)device, 0);
    call(interface.get_instance_proc_addr(instance, "vkDestroyInstance"), "vkDestroyInstance", (word)instance, 0);
}

int main(int count, char **arguments) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (count < 2 || driver == NULL)
        return 2;
    /* A pointer to zeros whose lower half is 0: as a number it is a count of nothing. */
    int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    void *zeros = mmap((void *)(1ul << 32), 1 << 16, PROT_READ | PROT_WRITE, kind, -1, 0);
    if (zeros != (void *)(1ul << 32))
        return 2;
    if (strcmp(arguments[1], "vulkan") == 0) {
        vulkan(driver, arguments + 2, (word)zeros);
    } else {
        for (char **name = arguments + 2; *name != NULL; name++) {
            function run = (function)dlsym(driver, *name);
            if (run == NULL)
                printf("%s: not there\n", *name);
            call(run, *name, 0, 0);
            call(run, *name, (word)zeros, (word)zeros);
            memset(zeros, 0, 1 << 16);
        }
    }
    printf("compared %u times; reached the end\n", compared);
}
#endif
