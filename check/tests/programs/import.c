/* Imports memory and ends in the way that its argument names. */
#include "driver.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Leaves a process that still uses its import, and does not hold the output. */
static int left_running(void) {
    int ends[2];
    char byte;
    if (pipe(ends) != 0)
        return 1;
    if (fork() == 0) {
        unsigned long long address;
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, 1);
        dup2(nowhere, 2);
        find(0);
        begin();
        import(&address);
        if (write(ends[1], "", 1) != 1)
            return 1;
        sleep(5);
        _exit(0);
    }
    puts("reached the end");
    return read(ends[0], &byte, 1) != 1;
}

int main(int count, char **arguments) {
#ifndef LINKED
    if (count > 1 && strcmp(arguments[1], "resolve") == 0)
        return is_first_librarys();
#endif
    const char *what = count > 1 ? arguments[1] : "";
    if (strcmp(what, "left-running") == 0)
        return left_running();
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
    } else if (strcmp(what, "interrupted") == 0) {
        raise(SIGINT);
    } else if (strcmp(what, "twice") == 0) {
        void *memory = import(&address);
        OK(cuMemFree_v2(address));
        OK(cuDestroyExternalMemory(memory));
        printf("second: %d\n", cuDestroyExternalMemory(memory));
    } else if (strcmp(what, "twice-unread") == 0) {
        void *memory = import(&address);
        OK(cuMemFree_v2(address));
        OK(cuDestroyExternalMemory(memory));
        cuDestroyExternalMemory(memory); /* This call returns to the next line. */
        printf("reached the end\n");
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
