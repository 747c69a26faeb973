/* Reports each byte of what a call receives, and fills what it returns with a pattern. */

#include "mock.h"

#include <stdatomic.h>

static atomic_int code = CUDA_SUCCESS;
static mock_report *_Atomic report;

void mock_start_recording(int new_code, mock_report *new_report) {
    report = new_report;
    code = new_code;
}

int mock_begin(const char *function) {
    mock_saw(function, function, 0);
    return code;
}

void mock_saw(const char *what, const void *bytes, size_t size) {
    mock_report *to = report;
    if (to) to(what, bytes, size);
}

void mock_give(const char *what, void *bytes, size_t size) {
    static _Thread_local unsigned int count;
    /* Bytes beside each other differ, and so do the patterns of two calls. */
    for (size_t at = 0; at < size; at++)
        ((unsigned char *)bytes)[at] = (unsigned char)(count++ % 251 + 1);
    mock_saw(what, bytes, size);
}
