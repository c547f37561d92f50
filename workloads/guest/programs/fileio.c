// SPDX-License-Identifier: BSD-3-Clause
//
// fileio WAY FILE MIB BLOCK: reads or writes a file once, sequentially, BLOCK bytes at a time, like
// fio's sequential jobs. The I/O is a region of interest. Ways: direct-read, direct-write,
// buffered-read, buffered-write (ends with fsync), mmap-read, mmap-write (ends with msync). Way
// `create` makes the file, outside any region.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "region.h"

enum { PAGE = 4096, WORD = 8 };

static void fail(const char* what) {
  perror(what);
  exit(1);
}

// Fills with content that no file system stores as a hole.
static void fill(char* bytes, size_t count) {
  uint64_t state = 1;
  for (size_t i = 0; i + WORD <= count; i += WORD) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    memcpy(bytes + i, &state, WORD);
  }
}

static void transfer(int file, bool write_it, char* buffer, size_t bytes, size_t block) {
  for (size_t at = 0; at < bytes; at += block) {
    ssize_t done =
        write_it ? pwrite(file, buffer, block, (off_t)at) : pread(file, buffer, block, (off_t)at);
    if (done != (ssize_t)block) fail(write_it ? "write" : "read");
  }
  if (write_it && fsync(file)) fail("fsync");
}

static void through_memory(int file, bool write_it, const char* buffer, size_t bytes,
                           size_t block) {
  int access = PROT_READ | (write_it ? PROT_WRITE : 0);
  char* memory = mmap(NULL, bytes, access, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) fail("mmap");
  if (write_it) {
    for (size_t at = 0; at < bytes; at += block) memcpy(memory + at, buffer, block);
    if (msync(memory, bytes, MS_SYNC)) fail("msync");
  } else {
    for (size_t at = 0; at < bytes; at += WORD) (void)*(volatile uint64_t*)(memory + at);
  }
}

int main(int argc, char** argv) {
  size_t bytes = argc == 5 ? strtoul(argv[3], NULL, 10) << 20 : 0;
  size_t block = argc == 5 ? strtoul(argv[4], NULL, 10) : 0;
  if (bytes == 0 || block == 0 || block % PAGE || bytes % block) {
    fputs("usage: fileio WAY FILE MIB BLOCK; BLOCK: bytes, in pages, a part of the file\n", stderr);
    return 2;
  }
  const char* way = argv[1];
  bool create = !strcmp(way, "create");
  bool direct = create || !strncmp(way, "direct-", strlen("direct-"));
  bool mapped = !strncmp(way, "mmap-", strlen("mmap-"));
  bool write_it = create || strstr(way, "write");
  int flags = O_CLOEXEC | (write_it ? O_RDWR : O_RDONLY) | (direct ? O_DIRECT : 0);
  int file = open(argv[2], flags | (create ? O_CREAT | O_TRUNC : 0), 0600);
  if (file < 0) fail(argv[2]);
  void* buffer = NULL;
  if (posix_memalign(&buffer, PAGE, block)) fail("memory");
  fill(buffer, block);
  if (!create) region_begin();
  if (mapped)
    through_memory(file, write_it, buffer, bytes, block);
  else
    transfer(file, write_it, buffer, bytes, block);
  if (!create) region_end();
  return close(file) ? 1 : 0;
}
