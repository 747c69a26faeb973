/* A mock driver: a library with the driver's functions, for tests on machines without a GPU.
 *
 * exports.c, which is generated, exports every function of the bindings. A call is performed, where perform.c has code for
 * it, until mock_record is called. From then on it is recorded: what arrives is reported byte for byte, what goes out is
 * filled with a pattern, and a chosen code is returned. */
#ifndef MOCK_H
#define MOCK_H

#include "wrapper.h"
#include <stddef.h>

/* Gets the function's name, then `memHandleDesc[0].type` for what arrived and `> extMem_out[0]` for what was given out. */
typedef void mock_report(const char *what, const void *bytes, size_t size);

/* For tests: from now on calls are recorded and return this code. */
void mock_record(int code, mock_report *report);

/* Begins what performs a function. The compiler compares its parameters with cuda.h's. */
#define PERFORM(function, ...) \
    __typeof__(function) perform_##function; \
    CUresult perform_##function(__VA_ARGS__)

/* For exports.c. The first one returns the code that a recorded call returns, or a negative number. */
int mock_begin(const char *function);
void mock_saw(const char *what, const void *bytes, size_t size);
void mock_give(const char *what, void *bytes, size_t size);
#define SAW(what) mock_saw(#what, &what, sizeof what)
#define GIVE(what) mock_give("> " #what, &what, sizeof what)

#endif
