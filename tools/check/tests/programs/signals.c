/* Preloaded into the check: signals come to it where they are awkward. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_check(void) { return strcmp(program_invocation_short_name, "cuda-external-check") == 0; }

/* Before the check has a handler. */
int sigaction(int signal, const struct sigaction *new, struct sigaction *old) {
    static int (*next)(int, const struct sigaction *, struct sigaction *);
    *(void **)&next = dlsym(RTLD_NEXT, "sigaction");
    if (is_check() && signal == SIGTERM && new != NULL) {
        while (access(getenv("READY"), F_OK) != 0)
            usleep(1000);
        kill(getpid(), SIGTERM);
    }
    return next(signal, new, old);
}

/* Where the number of the child may be another process's. */
pid_t waitpid(pid_t child, int *status, int options) {
    static pid_t (*next)(pid_t, int *, int);
    *(void **)&next = dlsym(RTLD_NEXT, "waitpid");
    pid_t ended = next(child, status, options);
    if (is_check() && ended > 0)
        kill(getpid(), SIGTERM);
    return ended;
}

int kill(pid_t process, int signal) {
    static int (*next)(pid_t, int);
    *(void **)&next = dlsym(RTLD_NEXT, "kill");
    if (is_check() && process != getpid() && next(process, 0) != 0)
        printf("signal %d goes to a process that is gone\n", signal), fflush(stdout);
    return next(process, signal);
}
