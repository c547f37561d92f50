// SPDX-License-Identifier: BSD-3-Clause
//
// What is known of the traced files and of the device that they lie on, and what was counted; of a
// program that is followed into the processes that it starts, in memory that all of them share.
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
  uint64_t device, inode, born_s, born_ns;  // tells apart files that reuse an inode
  bool wanted;
  uint32_t extents;      // that it has; `room` is kept for them
  uint32_t place, room;  // places[place + k] is the extent of the file's k-th MiB
};

// All of it is zero at first; untouched pages take no memory.
struct traced {
  pthread_mutex_t lock;            // between processes; within one, its shared lock comes first
  pid_t root;                      // the program itself, among the processes
  uint64_t instructions;           // of all processes, as far as they told
  uint64_t requests[2], bytes[2];  // by enum file_access; bytes as the program asked
  uint64_t flushes;
  uint64_t lines;  // of blkparse's
  uint32_t file_count, next_extent, places_used;
  struct traced_file files[MOST_FILES];
  uint32_t places[MOST_PLACES];
};

static struct traced* traced;
static const char* traced_path;  // of the file that processes share, or NULL: only one is traced
static bool is_root;             // this process is the program itself
static uint64_t clocked;         // instructions of this process that `traced` has

static void traced_lock(void) {
  // A process may be killed with the lock held. What it was about to count is lost then.
  if (pthread_mutex_lock(&traced->lock) == EOWNERDEAD) pthread_mutex_consistent(&traced->lock);
}

static void traced_unlock(void) { pthread_mutex_unlock(&traced->lock); }

// The first process of all makes it; those that it starts map it.
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

// The clock of a block trace: the instructions of all processes until now, of which this one has
// executed `total`. With the lock held.
static uint64_t clock_at(uint64_t total) {
  traced->instructions += total - clocked;
  clocked = total;
  return traced->instructions;
}

#endif
