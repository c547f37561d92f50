// SPDX-License-Identifier: BSD-3-Clause
//
// A program's system calls: those that move a file's data or make them durable, and those that
// start programs if these are followed.
#ifndef HMSIM_SYSTEM_CALLS_H
#define HMSIM_SYSTEM_CALLS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "files.h"
#include "follow.h"
#include "qemu_plugin_v1.h"
#include "recorder.h"
#include "traced.h"

static __thread uint64_t syscall_arguments[6];

static void on_syscall(qemu_plugin_id_t id, unsigned index, int64_t number, uint64_t a, uint64_t b,
                       uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h) {
  (void)id, (void)index, (void)g, (void)h;
  memcpy(syscall_arguments, (const uint64_t[]){a, b, c, d, e, f}, sizeof syscall_arguments);
  if (!traced_path || number != SYS_execve) return;
  int error = errno;
  shared_lock();
  traced_lock();
  clock_at(total_instructions());
  traced_unlock();
  follow_exec(a, b, c);
  shared_unlock();
  errno = error;
}

static void on_syscall_return(qemu_plugin_id_t id, unsigned index, int64_t number, int64_t result) {
  (void)id, (void)index;
  const bool flushes_files = result == 0 && is_sync_syscall(number);
  if ((forked_child && !traced_path) ||
      (!flushes_files && (result <= 0 || !is_file_syscall(number))))
    return;
  int error = errno;
  shared_lock();
  if (recording) {
    traced_lock();
    uint64_t now = clock_at(total_instructions());
    if (flushes_files)
      flush_syscall(now, number, (int)syscall_arguments[0]);
    else
      block_syscall(now, number, syscall_arguments, (uint64_t)result);
    if (traced_path) output_flush(&blocks.output);  // so that lines stay in order across processes
    traced_unlock();
  }
  shared_unlock();
  errno = error;
}

#endif
