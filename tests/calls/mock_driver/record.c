/* Keeps what a recorded call was given, byte for byte, and makes up what it gives out. */

#include "mock.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int code = -1;

static _Thread_local char text[32 * 1024];
static _Thread_local size_t length;

EXPORT void mock_record(int new) { atomic_store(&code, new); }

EXPORT const char *mock_text(void) { return text; }

static void append(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    length += (size_t)vsnprintf(text + length, sizeof text - length, format, arguments);
    va_end(arguments);
    if (length >= sizeof text)
        abort();
}

static void line(const char *what, char mark, const unsigned char *bytes, size_t size) {
    append("%s%c", what, mark);
    for (size_t at = 0; at < size; at++)
        append("%02x", bytes[at]);
    append("\n");
}

int mock_begin(const char *function) {
    length = 0;
    append("%s\n", function);
    return atomic_load(&code);
}

void mock_saw(const char *what, const void *bytes, size_t size) { line(what, '=', bytes, size); }

void mock_give(const char *what, void *bytes, size_t size) {
    static _Thread_local unsigned int given;
    unsigned char *to = bytes;
    /* No two neighbors and no two calls are the same. */
    for (size_t at = 0; at < size; at++)
        to[at] = (unsigned char)(given++ % 251 + 1);
    line(what, '>', bytes, size);
}
