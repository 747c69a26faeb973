/* A mock driver: a library with the driver's functions, for tests on machines without a GPU.
 *
 * Every function of the bindings is exported by exports.c, which is generated. A call is either performed, by a function
 * that is written PERFORM(name) in perform.c, or recorded: what arrives is kept byte for byte, what goes out is filled
 * with a pattern, and a chosen code is returned. */
#ifndef MOCK_H
#define MOCK_H

#include <cuda.h>
#include <stddef.h>

/* What performs an exported function. */
#define PERFORM(name) perform_##name

/* Generated: a prototype for each PERFORM, so that the compiler compares it with cuda.h's. */
#include "perform.h"

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* For tests: from now on calls are recorded (1) or performed (0). */
EXPORT void mock_record(int on);
/* For tests: what recorded calls return from now on. */
EXPORT void mock_return(int code);
/* For tests: this thread's last recorded call, as lines: the function's name, then `memHandleDesc[0].type=01000000` for
 * what arrived, `extMem_out[0]>8e95...` for what was given out. */
EXPORT const char *mock_text(void);

/* For exports.c. */
int mock_records(void);
void mock_begin(const char *function);
void mock_saw(const char *name, int element, const char *path, const void *bytes, size_t size);
void mock_give(const char *name, void *bytes, size_t size);
CUresult mock_end(void);

#endif
