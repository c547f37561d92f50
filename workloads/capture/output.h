// SPDX-License-Identifier: BSD-3-Clause
//
// Buffered output files. The guest shares the process's file descriptors. A descriptor kept open
// would change the numbers that the guest gets, and a guest that closes all descriptors would close
// it. Therefore each flush opens and closes the file.
#ifndef HMSIM_OUTPUT_H
#define HMSIM_OUTPUT_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT_BUFFER = 1 << 20 };
enum { CAPTURE_FAILED = 121 };  // exit status of an aborted capture

struct output {
  const char* path;  // NULL: no output
  size_t used;
  char buffer[OUTPUT_BUFFER];
};

static const char* summary_path;  // file for the totals at the end, or for the reason of a failure

// Ends the program. Writes the reason to the summary file, or else to stderr.
__attribute__((format(printf, 1, 2), noreturn)) static void fail(const char* format, ...) {
  FILE* summary = summary_path ? fopen(summary_path, "we") : NULL;
  va_list arguments;
  va_start(arguments, format);
  vfprintf(summary ? summary : stderr, format, arguments);
  va_end(arguments);
  fputc('\n', summary ? summary : stderr);
  fflush(NULL);
  _exit(CAPTURE_FAILED);
}

static void output_flush(struct output* output) {
  if (output->used == 0) return;
  int file = open(output->path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) fail("%s: %s", output->path, strerror(errno));
  for (size_t done = 0; done < output->used;) {
    ssize_t written = write(file, output->buffer + done, output->used - done);
    if (written < 0 && errno != EINTR) fail("%s: %s", output->path, strerror(errno));
    done += written > 0 ? (size_t)written : 0;
  }
  close(file);
  output->used = 0;
}

static inline void output_put(struct output* output, const void* bytes, size_t count) {
  if (!output->path) return;
  if (output->used + count > sizeof output->buffer) output_flush(output);
  memcpy(output->buffer + output->used, bytes, count);
  output->used += count;
}

#endif
