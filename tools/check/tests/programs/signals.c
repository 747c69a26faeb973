/* Preloaded into the check: SIGTERM comes to the check while the program runs and the check has no handler yet. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int sigaction(int signal, const struct sigaction *new, struct sigaction *old) {
    static int (*next)(int, const struct sigaction *, struct sigaction *);
    *(void **)&next = dlsym(RTLD_NEXT, "sigaction");
    if (signal == SIGTERM && new != NULL && strcmp(program_invocation_short_name, "cuda-external-check") == 0) {
        while (access(getenv("READY"), F_OK) != 0)
            usleep(1000);
        kill(getpid(), SIGTERM);
    }
    return next(signal, new, old);
}
