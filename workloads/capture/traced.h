// SPDX-License-Identifier: BSD-3-Clause
//
// State of the traced files and of the device that holds them, and counts. If a program is followed
// into the processes that it starts, this state is in memory that all of them share.
#ifndef HMSIM_TRACED_H
#define HMSIM_TRACED_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "output.h"

enum file_access { FILE_WRITE = 0, FILE_READ = 1 };
enum { MOST_FILES = 1 << 20, MOST_EXTENTS = 1 << 25, MOST_PLACES = 1 << 27 };

struct traced_file {
  uint64_t device, inode, born_s, born_ns;  // distinguishes files that reuse an inode
  bool wanted;
  uint32_t extents;      // extents in use; `room` is allocated
  uint32_t place, room;  // places[place + k] is the extent of the file's k-th MiB
};

// Initially all zero. Untouched pages take no memory.
struct traced {
  pthread_mutex_t lock;            // between processes; lock a process's own shared lock first
  pid_t root;                      // process of the program itself
  uint64_t instructions;           // of all processes, as last reported
  uint64_t requests[2], bytes[2];  // by enum file_access; bytes as requested by the program
  uint64_t flushes;
  uint64_t lines;  // in blkparse format
  uint32_t file_count, next_extent, places_used;
  struct traced_file files[MOST_FILES];
  uint32_t places[MOST_PLACES];
};

static struct traced* traced;
static const char* traced_path;  // file shared by processes, or NULL if only one is traced
static bool is_root;             // this process is the program itself
static uint64_t clocked;         // instructions of this process included in `traced`

static void traced_lock(void) {
  // A process may be killed while it holds the lock. The counts that it was about to add are lost.
  if (pthread_mutex_lock(&traced->lock) == EOWNERDEAD) pthread_mutex_consistent(&traced->lock);
}

static void traced_unlock(void) { pthread_mutex_unlock(&traced->lock); }

// Maps the state of the traced files. The first process creates it; the processes that it starts
// map the same state.
static void map_traced(void) {
  int file = traced_path ? open(traced_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (traced_path && (file < 0 || ftruncate(file, sizeof *traced)))
    fail("%s: %s", traced_path, strerror(errno));
  traced = mmap(NULL, sizeof *traced, PROT_READ | PROT_WRITE,
                MAP_NORESERVE | (file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED), file, 0);
  if (traced == MAP_FAILED) fail("out of memory");
  if (file >= 0) close(file);
  if (!traced->root) {
    traced->root = getpid();
    pthread_mutexattr_t shared_by_processes;
    pthread_mutexattr_init(&shared_by_processes);
    pthread_mutexattr_setpshared(&shared_by_processes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&shared_by_processes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&traced->lock, &shared_by_processes);
  }
  is_root = traced->root == getpid();
}

// Advances the clock of a block trace to this process's `total` instructions and returns it. The
// clock counts the instructions of all processes. Call with the lock held.
static uint64_t clock_at(uint64_t total) {
  traced->instructions += total - clocked;
  clocked = total;
  return traced->instructions;
}

#endif
