/* Imports memory and ends in the way that its first argument names; see MODES. It needs no cuda.h, so that it compiles
 * on any machine.
 *
 * With LINKED the linker binds the driver. Otherwise the program opens the driver, by the name in DRIVER if that is
 * set, and finds the functions by dlsym, or by cuGetProcAddress if the second argument is `resolved`. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* CUDA_EXTERNAL_MEMORY_HANDLE_DESC. */
struct memory_desc {
    unsigned long long type;
    int fd, other_handles[3];
    unsigned long long size;
    unsigned int flags, reserved[17];
};

#define FUNCTIONS(each) \
    each(cuInit, (unsigned int flags)) \
    each(cuDevicePrimaryCtxRetain, (void **context, int device)) \
    each(cuCtxSetCurrent, (void *context)) \
    each(cuMemCreate, (unsigned long long *handle, size_t size, const void *allocation, unsigned long long)) \
    each(cuMemExportToShareableHandle, (void *fd, unsigned long long handle, unsigned int, unsigned long long)) \
    each(cuMemRelease, (unsigned long long handle)) \
    each(cuImportExternalMemory, (void **memory, const struct memory_desc *)) \
    each(cuExternalMemoryGetMappedBuffer, (unsigned long long *address, void *memory, const void *range)) \
    each(cuMemFree_v2, (unsigned long long address)) \
    each(cuMemsetD8_v2, (unsigned long long address, unsigned char value, size_t bytes)) \
    each(cuDestroyExternalMemory, (void *memory))

static int (*get_proc_address)(const char *, void **, int, unsigned long long, void *);

static void *open_driver(void) {
    const char *named = getenv("DRIVER");
    void *driver = dlopen(named ? named : "libcuda.so.1", RTLD_NOW);
    if (driver == NULL) {
        printf("no driver: %s\n", dlerror());
        exit(3);
    }
    *(void **)&get_proc_address = dlsym(driver, "cuGetProcAddress_v2");
    return driver;
}

#ifdef LINKED
#define DECLARE(name, arguments) extern int name arguments;
FUNCTIONS(DECLARE)
static void find(int resolved) { (void)resolved; }
#else
#define DECLARE(name, arguments) static int (*name) arguments;
FUNCTIONS(DECLARE)

static void look_up(void *driver, const char *name, void *function, int resolved) {
    char plain[64] = "";
    char *version = strstr(strncpy(plain, name, sizeof plain - 1), "_v2");
    if (version != NULL)
        *version = 0;
    if (!resolved)
        *(void **)function = dlsym(driver, name);
    else if (get_proc_address(plain, (void **)function, 12000, 0, NULL) != 0)
        exit(4);
}

static void find(int resolved) {
    void *driver = open_driver();
#define LOOK_UP(name, arguments) look_up(driver, #name, &name, resolved);
    FUNCTIONS(LOOK_UP)
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

/* CUDA_EXTERNAL_MEMORY_BUFFER_DESC: the offset and the size. */
static const unsigned long long range[11] = {0, SIZE};
static void *context;

static void begin(void) {
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
}

/* Returns the description of new memory that CUDA exports. */
static struct memory_desc exported(void) {
    /* CUmemAllocationProp: the type, the handle types, and the type and the number of the device. */
    unsigned int allocation[8] = {1, 1, 1, 0};
    unsigned long long handle;
    struct memory_desc desc = {.type = 1, .size = SIZE};
    OK(cuMemCreate(&handle, SIZE, allocation, 0));
    OK(cuMemExportToShareableHandle(&desc.fd, handle, 1, 0));
    OK(cuMemRelease(handle));
    return desc;
}

static void *import_exported(struct memory_desc desc, unsigned long long *address) {
    void *memory = NULL;
    OK(cuImportExternalMemory(&memory, &desc));
    OK(cuExternalMemoryGetMappedBuffer(address, memory, range));
    return memory;
}

static void *import(unsigned long long *address) {
    void *memory = import_exported(exported(), address);
    OK(cuMemsetD8_v2(*address, 1, 1));
    return memory;
}

static void end(void *memory, unsigned long long address) {
    OK(cuMemFree_v2(address));
    OK(cuDestroyExternalMemory(memory));
}

static void whole(void) {
    unsigned long long address;
    void *memory = import(&address);
    end(memory, address);
}

static void leak(void) {
    unsigned long long address;
    import(&address);
}

static void many(void) {
    for (int at = 0; at < 30; at++)
        leak();
}

/* Two mistakes: no size, and no descriptor. */
static int wrong_import(void) {
    struct memory_desc desc = {.type = 1, .fd = -1};
    void *memory;
    return cuImportExternalMemory(&memory, &desc);
}

static void failing(void) {
    leak();
    exit(7);
}

static void without_exit_handlers(void) {
    leak();
    _exit(0);
}

static void killed(void) {
    leak();
    raise(SIGKILL);
}

static void twice(void) {
    unsigned long long address;
    void *memory = import(&address);
    end(memory, address);
    cuDestroyExternalMemory(memory); /* This call returns to the next line. */
    printf("ended twice\n");
}

static void *hundred_times(void *unused) {
    OK(cuCtxSetCurrent(context));
    for (int round = 0; round < 100; round++)
        whole();
    return unused;
}

/* ThreadSanitizer makes each round slow, and needs fewer rounds to see a race. */
#ifdef __SANITIZE_THREAD__
#define MAP_ROUNDS 1000
#else
#define MAP_ROUNDS 10000
#endif

/* Mappings of one import by several threads have separate addresses. */
static void *map_often(void *memory) {
    unsigned long long address;
    OK(cuCtxSetCurrent(context));
    for (int round = 0; round < MAP_ROUNDS; round++) {
        OK(cuExternalMemoryGetMappedBuffer(&address, memory, range));
        OK(cuMemFree_v2(address));
    }
    return NULL;
}

static void threads(void) {
    pthread_t threads[8];
    unsigned long long address;
    void *memory = import(&address);
    OK(cuMemFree_v2(address));
    for (int at = 0; at < 8; at++)
        pthread_create(&threads[at], NULL, at < 4 ? hundred_times : map_often, memory);
    for (int at = 0; at < 8; at++)
        pthread_join(threads[at], NULL);
    OK(cuDestroyExternalMemory(memory));
}

static void expect_zero(pid_t child) {
    int status = -1;
    waitpid(child, &status, 0);
    if (status != 0)
        exit(6);
}

/* A child must neither report the parent's objects nor wait for the parent's locks, and may close every descriptor. */
static void children_that(void (*ends)(int)) {
    unsigned long long address;
    void *memory = import(&address);
    for (int at = 0; at < 20; at++) {
        pid_t child = fork();
        if (child == 0) {
            for (int fd = 3; fd < 1024; fd++)
                close(fd);
            ends(0);
        }
        expect_zero(child);
    }
    end(memory, address);
}

static void children(void) { children_that(_exit); }
static void exiting_children(void) { children_that(exit); }

static void *until_cancelled(void *unused) {
    cuCtxSetCurrent(context); /* Drivers refuse this call in a child of fork. */
    for (;;) {
        wrong_import();
        pthread_testcancel();
    }
    return unused;
}

static void cancel(void) {
    for (int round = 0; round < 100; round++) {
        pthread_t thread;
        pthread_create(&thread, NULL, until_cancelled, NULL);
        usleep(300);
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
}

/* When a process forks, another thread may hold the layer's lock. The child calls the driver from two threads too. */
static void forked(void) {
    pthread_t thread;
    for (int at = 0; at < 2; at++)
        pthread_create(&thread, NULL, until_cancelled, NULL);
    for (int round = 0; round < 50; round++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(10);
            for (int at = 0; at < 2; at++)
                pthread_create(&thread, NULL, until_cancelled, NULL);
            usleep(500);
            _exit(wrong_import() == 0);
        }
        expect_zero(child);
    }
}

static void every_200_us(void (*handler)(int)) {
    struct itimerval time = {{0, 200}, {0, 200}};
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &time, NULL);
}

static void exits(int signal) { exit(signal == SIGALRM ? 0 : 1); }

static void exit_in_handler(void) {
    every_200_us(exits);
    for (;;)
        whole();
}

static void closes(int signal) {
    int error = errno;
    close(900 + signal);
    close(open("/dev/null", O_RDONLY));
    errno = error;
}

static void close_in_handler(void) {
    every_200_us(closes);
    for (int round = 0; round < 500; round++)
        whole();
}

static void no_descriptor(void) {
    while (dup(0) >= 0) {
    }
    wrong_import();
}

/* Imports memory while no byte can be written to a file, as on a full disk. */
static void no_file(void) {
    struct rlimit none = {0, 0};
    unsigned long long address;
    struct memory_desc desc = exported();
    setrlimit(RLIMIT_FSIZE, &none);
    import_exported(desc, &address);
}

/* Makes a system call end the process if the bits of its second argument that are in the mask are these bits. */
static void forbid(int call, unsigned int mask, unsigned int bits) {
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, bits, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog all = {7, steps};
    OK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    OK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all));
}

/* Imports memory where the system calls by which the check compares and marks files end the process. */
static void no_marks(void) {
    forbid(SYS_kcmp, 0, 0);
    forbid(SYS_fcntl, ~0u, F_SETSIG);
    whole();
}

/* Imports a descriptor again, after another import. A file that is opened in between gets the descriptor's number. */
static void reimport(void) {
    unsigned long long addresses[2];
    struct memory_desc desc = exported(), other = exported();
    while (dup(0) < desc.fd) {
    }
    void *again, *memory = import_exported(desc, &addresses[0]), *between = import_exported(other, &addresses[1]);
    if (cuImportExternalMemory(&again, &desc) == 0)
        exit(12);
    end(memory, addresses[0]);
    end(between, addresses[1]);
}

static void no_openat(void) {
    unsigned long long address;
    struct memory_desc desc = exported();
    forbid(SYS_openat, 0, 0);
    void *memory = import_exported(desc, &address);
    end(memory, address);
}

static int closed_by_import;

static void on_small_stack(int signal) {
    close(closed_by_import);
    _exit(signal != SIGUSR1);
}

/* A signal handler closes a descriptor that an import has closed, and ends the process. Its alternate stack is a little
 * larger than the system requires, for the C library. The memory below the stack cannot be written. Compile this file
 * with `-Wl,-z,now`: a look-up of `close` by the dynamic loader would need more of the stack. */
static void small_stack(void) {
    size_t page = 1u << 16;
    char *below = mmap(NULL, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t alternate = {.ss_sp = below + page, .ss_size = (size_t)sysconf(_SC_MINSIGSTKSZ) + 640};
    struct sigaction action = {.sa_handler = on_small_stack, .sa_flags = SA_ONSTACK};
    unsigned long long address;
    struct memory_desc desc = exported();
    void *memory = import_exported(desc, &address);
    end(memory, address);
    closed_by_import = desc.fd;
    OK(mprotect(below + page, page, PROT_READ | PROT_WRITE));
    OK(sigaltstack(&alternate, NULL));
    OK(sigaction(SIGUSR1, &action, NULL));
    printf("reached the end\n");
    fflush(stdout);
    raise(SIGUSR1);
}

static void only_exported(void) { exported(); }

/* Leaves a process that still uses its import, and that does not keep the output open. */
static void left_running(void) {
    int ends[2];
    char byte;
    if (pipe(ends) != 0)
        exit(1);
    if (fork() == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, 1);
        dup2(nowhere, 2);
        find(0);
        begin();
        leak();
        _exit(write(ends[1], "", 1) != 1 || sleep(5) != 0);
    }
    if (read(ends[0], &byte, 1) != 1)
        exit(1);
}

/* Whether cuGetProcAddress hands out functions of the library that was opened, with each kind of default stream. */
static void resolve(void) {
    static const char *const names[] = {"cuImportExternalMemory", "cuSignalExternalSemaphoresAsync", "cuMemFree",
                                        "cuMemcpyHtoDAsync", "cuMemsetD8", "cuGraphLaunch", "cuStreamSynchronize",
                                        "cuDevicePrimaryCtxRelease", "cuGetProcAddress"};
    void *driver = open_driver();
    int (*get_1)(const char *, void **, int, unsigned long long) = NULL;
    Dl_info library, found;
    if (dladdr(dlsym(driver, "cuImportExternalMemory"), &library) == 0)
        exit(8);
    *(void **)&get_1 = dlsym(driver, "cuGetProcAddress");
    /* The layer exports these functions only if the driver has them. */
    static const char *const others[] = {"cuGraphAddNode_v2", "cuStreamGetCtx_v2", "cuCtxCreate_v4", "cuMemFree_v2"};
    void *real = dlopen("libcuda_real.so", RTLD_NOW | RTLD_NOLOAD);
    for (size_t at = 0; real != NULL && at < sizeof others / sizeof *others; at++)
        if ((dlsym(driver, others[at]) == NULL) != (dlsym(real, others[at]) == NULL))
            exit(10);
    for (size_t at = 0; at < sizeof names / sizeof *names; at++)
        for (int stream = 0; stream <= 2; stream += 2) {
            void *function = NULL;
            int code = get_proc_address != NULL ? get_proc_address(names[at], &function, 12000, stream, NULL) : -1;
            if (code != 0) /* A driver before 12.0, or one without this function in CUDA 12.0. */
                code = get_1(names[at], &function, 11040, stream);
            if (code != 0 || dladdr(function, &found) == 0 || found.dli_fbase != library.dli_fbase) {
                printf("%s with %d: %d, of %s\n", names[at], stream, code, found.dli_fname);
                exit(9);
            }
        }
}

/* A file of another library gets the number of an imported descriptor, and the program closes that number. */
static void victim(void) {
    unsigned long long address;
    struct memory_desc desc = exported();
    void *memory = import_exported(desc, &address), *library = dlopen(getenv("VICTIM"), RTLD_NOW);
    int (*of_library)(int) = NULL;
    *(void **)&of_library = dlsym(library, "victim_file");
    while (of_library(-1) != desc.fd) {
    }
    close(desc.fd); /* This is the mistake. */
    of_library(desc.fd);
    end(memory, address);
}

static void without_environment(void) {
    clearenv();
    find(0);
    begin();
    leak();
}

/* Loads the driver before the layer, as if Vulkan's loader had opened both. */
static void layered(void) {
    char path[4096];
    open_driver();
    snprintf(path, sizeof path, "%s/libcuda.so.1", getenv("CUDA_EXTERNAL_CHECK_DIRECTORY"));
    if (dlopen(path, RTLD_NOW) == NULL)
        exit(11);
}

/* The modes. For those of EARLY_MODES, main neither opens the driver nor imports memory. */
#define MODES(each) \
    each(whole) each(leak) each(many) each(failing) each(without_exit_handlers) each(killed) each(twice) each(threads) \
    each(children) each(exiting_children) each(cancel) each(forked) each(exit_in_handler) each(close_in_handler) \
    each(no_descriptor) each(no_file) each(no_openat) each(no_marks) each(reimport) each(small_stack) \
    each(only_exported) each(victim)
#define EARLY_MODES(each) each(left_running) each(resolve) each(layered) each(without_environment)
#define MODE(name) {#name, name, 1},
#define EARLY_MODE(name) {#name, name, 0},

static const struct {
    const char *name;
    void (*run)(void);
    int begins;
} modes[] = {MODES(MODE) EARLY_MODES(EARLY_MODE)};

int main(int count, char **arguments) {
    /* Starts another program under a seccomp filter that disturbs neither it nor its children. */
    if (count > 2 && strcmp(arguments[1], "under_filter") == 0) {
        forbid(SYS_swapon, 0, 0);
        return execv(arguments[2], &arguments[2]);
    }
    for (size_t at = 0; at < sizeof modes / sizeof *modes; at++) {
        if (count < 2 || strcmp(arguments[1], modes[at].name) != 0)
            continue;
        if (modes[at].begins) {
            find(count > 2);
            begin();
        }
        modes[at].run();
        printf("reached the end\n");
        return 0;
    }
    return 2;
}
