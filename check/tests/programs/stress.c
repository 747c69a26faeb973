/* Calls the driver while signals, forks and cancellations interrupt it, in the way that its argument names. */
#include "driver.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void all_in_order(void) {
    unsigned long long address;
    void *memory = import(&address);
    OK(cuMemFree_v2(address));
    OK(cuDestroyExternalMemory(memory));
}

static void exits(int signal) {
    exit(signal == SIGALRM ? 0 : 1);
}

static void closes(int signal) {
    int error = errno;
    close(900 + signal);
    close(open("/dev/null", O_RDONLY));
    errno = error;
}

static void interrupted(void (*handler)(int)) {
    struct itimerval time = {{0, 200}, {0, 200}};
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &time, NULL);
}

static void *until_cancelled(void *unused) {
    (void)unused;
    OK(cuCtxSetCurrent(context));
    for (;;) {
        struct memory_desc desc = {.type = 1, .handle.fd = -1};
        void *memory;
        cuImportExternalMemory(&memory, &desc);
        pthread_testcancel();
    }
}

/* A child of two threads that call, which calls from two threads itself. */
static void forked(void) {
    pthread_t threads[2];
    for (int at = 0; at < 2; at++)
        pthread_create(&threads[at], NULL, until_cancelled, NULL);
    for (int round = 0; round < 50; round++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(10);
            for (int at = 0; at < 2; at++)
                pthread_create(&threads[at], NULL, until_cancelled, NULL);
            usleep(500);
            _exit(0);
        }
        int status = -1;
        waitpid(child, &status, 0);
        if (status != 0)
            exit(6);
    }
}

int main(int count, char **arguments) {
    const char *what = count > 1 ? arguments[1] : "";
    find(0);
    begin();
    if (strcmp(what, "exit-in-handler") == 0) {
        interrupted(exits);
        for (;;)
            all_in_order();
    } else if (strcmp(what, "close-in-handler") == 0) {
        interrupted(closes);
        for (int round = 0; round < 1000; round++)
            all_in_order();
    } else if (strcmp(what, "cancel") == 0) {
        for (int round = 0; round < 100; round++) {
            pthread_t thread;
            pthread_create(&thread, NULL, until_cancelled, NULL);
            usleep(300);
            pthread_cancel(thread);
            pthread_join(thread, NULL);
        }
    } else if (strcmp(what, "forked") == 0) {
        forked();
    } else if (strcmp(what, "no-descriptor") == 0) {
        while (dup(0) >= 0) {
        }
        struct memory_desc desc = {.type = 1, .handle.fd = -1};
        void *memory;
        return cuImportExternalMemory(&memory, &desc) == 0;
    } else if (strcmp(what, "no-file") == 0) {
        struct rlimit none = {0, 0};
        unsigned long long address;
        setrlimit(RLIMIT_FSIZE, &none);
        import(&address);
    }
    return 0;
}
