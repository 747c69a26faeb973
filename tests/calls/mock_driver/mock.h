/* A mock driver: a library with the driver's functions, which records what it is called with.
 *
 * exports.c, which is generated, exports every function of the bindings. A function that cuda.h declares reports the
 * bytes of its arguments, writes a pattern to its outputs, and returns a chosen code. Before mock_start_recording,
 * nothing is reported, and the code is CUDA_SUCCESS. */
#ifndef MOCK_H
#define MOCK_H

#include "wrapper.h"
#include <stddef.h>

/* Gets the function's name, then `memHandleDesc[0].type` for what arrived, and `> extMem_out[0]` for what goes out. */
typedef void mock_report(const char *what, const void *bytes, size_t size);

/* For tests: from now on calls are reported and return this code. */
void mock_start_recording(int code, mock_report *report);

/* For exports.c. The first one returns the code that the call returns. */
int mock_begin(const char *function);
void mock_saw(const char *what, const void *bytes, size_t size);
void mock_give(const char *what, void *bytes, size_t size);
#define SAW(what) mock_saw(#what, &what, sizeof what)
#define GIVE(what) mock_give("> " #what, &what, sizeof what)

#endif
