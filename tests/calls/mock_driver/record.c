/* Keeps what a recorded call was given, byte for byte, and makes up what it gives out. */

#include "mock.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static atomic_int records;
static atomic_int code;

static _Thread_local char text[32 * 1024];
static _Thread_local size_t length;
static _Thread_local unsigned int given;

EXPORT void mock_record(int on) { atomic_store(&records, on); }

EXPORT void mock_return(int new) { atomic_store(&code, new); }

EXPORT const char *mock_text(void) { return text; }

int mock_records(void) { return atomic_load(&records); }

void mock_begin(const char *function) { length = (size_t)snprintf(text, sizeof text, "%s\n", function); }

static void line(const char *start, char mark, const unsigned char *bytes, size_t size) {
    size_t needed = strlen(start) + 2 * size + 3;
    if (length + needed > sizeof text) {
        length = (size_t)snprintf(text, sizeof text, "the record is full\n");
        return;
    }
    length += (size_t)snprintf(text + length, sizeof text - length, "%s%c", start, mark);
    for (size_t at = 0; at < size; at++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%02x", bytes[at]);
    length += (size_t)snprintf(text + length, sizeof text - length, "\n");
}

void mock_saw(const char *name, int element, const char *path, const void *bytes, size_t size) {
    char start[256];
    if (element < 0)
        snprintf(start, sizeof start, "%s", name);
    else
        snprintf(start, sizeof start, "%s[%d]%s", name, element, path);
    line(start, '=', bytes, size);
}

void mock_give(const char *name, void *bytes, size_t size) {
    char start[256];
    unsigned char *to = bytes;
    /* No two neighbors and no two calls are the same. */
    for (size_t at = 0; at < size; at++)
        to[at] = (unsigned char)(given++ % 251 + 1);
    snprintf(start, sizeof start, "%s[0]", name);
    line(start, '>', bytes, size);
}

CUresult mock_end(void) { return (CUresult)atomic_load(&code); }
