/* The loops of call.rs in C. Their calls go through the PLT. A turn of a loop has eight calls, so that
 * the position of the loop's jump hardly matters. */

typedef int function(void *const *semaphores, const void *params, unsigned count, void *stream);

function cuWaitExternalSemaphoresAsync;

#define EIGHT(call) call; call; call; call; call; call; call; call

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
