// SPDX-License-Identifier: BSD-3-Clause
//
// gem5 WHAT: sends a request to the simulator gem5 (gem5.h). WHAT: begin, end (of a region of
// interest); checkpoint; read (copies the host's script to standard output); exit [STATUS] (ends
// the simulation).
#include "gem5.h"

#include <string.h>

static char buffer[4096];

static int copy_script(void) {
  memset(buffer, 1, sizeof buffer);  // gem5 does not fault pages in
  uint64_t at = 0, bytes = 0;
  while ((bytes = gem5_call(GEM5_READ, (uintptr_t)buffer, sizeof buffer, at)) > 0) {
    if (fwrite(buffer, 1, bytes, stdout) != bytes) return 1;
    at += bytes;
  }
  return fflush(stdout) ? 1 : 0;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  unsigned long status = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
  if (!strcmp(what, "begin")) {
    gem5_call(GEM5_BEGIN, 0, 0, 0);
  } else if (!strcmp(what, "end")) {
    gem5_call(GEM5_END, 0, 0, 0);
  } else if (!strcmp(what, "checkpoint")) {
    gem5_call(GEM5_CHECKPOINT, 0, 0, 0);
  } else if (!strcmp(what, "read")) {
    return copy_script();
  } else if (!strcmp(what, "exit")) {
    gem5_call(status ? GEM5_FAIL : GEM5_EXIT, 0, status, 0);
  } else {
    fputs("usage: gem5 begin|end|checkpoint|read|exit [STATUS]\n", stderr);
    return 2;
  }
  return 0;
}
