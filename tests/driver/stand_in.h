/* A stand-in for the driver's library, for tests on machines without a GPU. It is no GPU and does
 * not say it were one.
 *
 * Every function of the bindings is exported by shims.c, which is generated. A call is either
 * performed, by a function that is written WORK(name) here, or recorded: what arrives is kept byte
 * for byte, what goes out is filled with a pattern, and a chosen code is the answer. */
#ifndef STAND_IN_H
#define STAND_IN_H

#include <cuda.h>
#include <stddef.h>

/* What performs an exported function. */
#define WORK(name) work_##name

/* Generated: a prototype for each WORK, so that the compiler compares it with cuda.h's. */
#include "work.h"

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* For tests: from now on calls are recorded (1) or performed (0). */
EXPORT void stand_in_record(int on);
/* For tests: what recorded calls answer from now on. */
EXPORT void stand_in_answer(int code);
/* For tests: this thread's last recorded call, as lines: the function's name, then
 * `memHandleDesc[0].type=01000000` for what arrived, `extMem_out>8e95...` for what was given out. */
EXPORT const char *stand_in_text(void);
/* For tests: how many objects (memory, imports, mappings, streams) are alive. */
EXPORT long stand_in_live(void);

/* For shims.c. */
int stand_in_records(void);
void stand_in_begin(const char *function);
void stand_in_seen(const char *name, int element, const char *path, const void *bytes, size_t size);
void stand_in_give(const char *name, const char *path, void *bytes, size_t size);
CUresult stand_in_end(void);

/* Generated: the name of a code of this cuda.h, or null. */
const char *stand_in_code_name(CUresult code);

/* For the WORK functions: whether cuInit was called, whether this thread has a context. */
CUresult stand_in_ready(void);
CUresult stand_in_current(void);
void stand_in_born(void);
void stand_in_dead(void);

/* share.c's part of cuMemFree: a buffer that was mapped from external memory. */
int stand_in_unmap_buffer(CUdeviceptr address);

#endif
