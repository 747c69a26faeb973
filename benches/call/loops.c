/* The loops of call.rs as C has them, compiled twice: through the PLT, as cc does by itself, and with
 * -fno-plt. The third way is a pointer that dlsym gave. A turn has eight calls, so that where the
 * loop's own jump lies hardly matters. */
#include <dlfcn.h>

typedef int function(void *const *semaphores, const void *params, unsigned count, void *stream);

function cuWaitExternalSemaphoresAsync;

#define EIGHT(call) call; call; call; call; call; call; call; call

#ifdef NO_PLT

void c_no_plt(unsigned long calls) {
    for (; calls > 0; calls -= 8) { EIGHT(cuWaitExternalSemaphoresAsync(0, 0, 0, 0)); }
}

#else

void c_plt(unsigned long calls) {
    for (; calls > 0; calls -= 8) { EIGHT(cuWaitExternalSemaphoresAsync(0, 0, 0, 0)); }
}

/* Not inlined, so that nothing of the call is done once for the whole loop. */
__attribute__((noinline, visibility("hidden"))) int c_alone(void) {
    return cuWaitExternalSemaphoresAsync(0, 0, 0, 0);
}

void c_plt_alone(unsigned long calls) {
    for (; calls > 0; calls -= 8) { EIGHT(c_alone()); }
}

static function *pointer;

int c_pointer_resolve(void) {
    void *library = dlopen("libcuda.so.1", RTLD_LAZY);
    if (library) pointer = (function *)dlsym(library, "cuWaitExternalSemaphoresAsync");
    return pointer != 0;
}

void c_pointer(unsigned long calls) {
    for (; calls > 0; calls -= 8) { EIGHT(pointer(0, 0, 0, 0)); }
}

#endif
