/* Calls every function of CUDA that the layer wraps, and compares a thread's signal mask and cancelability before and
 * after each call. The arguments are the names. With -DDRIVER this file is the driver: its functions, which functions.h
 * lists, return the code in CODE and look at the mask too. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The name of the function that the program calls. The driver uses the program's variable. */
const char *called;

static int is_blocked(void) {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    return sigismember(&mask, SIGTERM) || sigismember(&mask, SIGALRM);
}

#ifdef DRIVER
static int run(const char *name) {
    const char *code = getenv("CODE");
    if (called != NULL && strcmp(name, called) == 0 && is_blocked())
        printf("%s: signals are blocked in the driver\n", name);
    return code == NULL ? 0 : atoi(code);
}
#define FUNCTION(name) int name(void) { return run(#name); }
#include "functions.h"

#else
typedef uintptr_t word;
typedef word (*function)(word, word, word, word, word, word, word, word, word, word, word, word);

static unsigned compared;

static void compare(const char *name) {
    int cancel, type, unused;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
    pthread_setcancelstate(cancel, &unused);
    pthread_setcanceltype(type, &unused);
    if (cancel != PTHREAD_CANCEL_ENABLE || type != PTHREAD_CANCEL_DEFERRED)
        printf("%s: the thread cannot be cancelled afterwards\n", name);
    if (is_blocked()) { /* so that each function is judged by itself */
        sigset_t none;
        sigemptyset(&none);
        pthread_sigmask(SIG_SETMASK, &none, NULL);
        printf("%s: signals are blocked afterwards\n", name);
    }
    compared++;
}

static void call(function run, const char *name, word arguments) {
    called = name;
    run(arguments, arguments, arguments, arguments, arguments, arguments, arguments, arguments, arguments, arguments,
        arguments, arguments);
    called = NULL;
    compare(name);
}

int main(int count, char **arguments) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (driver == NULL)
        return 2;
    /* The lower half of this address is 0: a function that expects a count reads 0. */
    int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    void *zeros = mmap((void *)(1ul << 32), 1 << 16, PROT_READ | PROT_WRITE, kind, -1, 0);
    if (zeros != (void *)(1ul << 32))
        return 2;
    for (int at = 1; at < count; at++) {
        function run = (function)dlsym(driver, arguments[at]);
        if (run == NULL)
            printf("%s: not there\n", arguments[at]);
        call(run, arguments[at], 0);
        call(run, arguments[at], (word)zeros);
        memset(zeros, 0, 1 << 16);
    }
    printf("compared %u times; reached the end\n", compared);
}
#endif
