// SPDX-License-Identifier: BSD-3-Clause
//
// State of the vCPUs, and the records of docs/trace-format.md that they produce.
#ifndef HMSIM_RECORDER_H
#define HMSIM_RECORDER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cache.h"
#include "files.h"
#include "output.h"

enum { VCPUS = 8 };
enum { LINE_BITS = 40, KIND_BITS = 2, VCPU_BITS = 3, DELTA_BITS = 19 };
enum { ESCAPE_INSTRUCTIONS = 0, ESCAPE_REGION_BEGIN = 1, ESCAPE_REGION_END = 2 };
static const uint64_t kNoLine = UINT64_MAX;

// Full-system traces have physical lines in two memories. This bit selects the memory.
enum { CLASS_DRAM, CLASS_NVDIMM, CLASSES };
static const uint64_t kNvdimmLine = 1ULL << (LINE_BITS - 1);

// Threads with the same index modulo 8 share one of these.
struct vcpu {
  uint64_t count;        // instructions executed, including the current translation block
  uint64_t check_at;     // count at which the recording window is checked next
  uint64_t last_line;    // virtual line of the last access
  uint64_t* last_entry;  // its L1 entry
  uint64_t now;          // count at the current access
  uint64_t recorded;     // count at the last record
  uint64_t window;       // count when recording began
  uint64_t combining;    // line in the write-combining buffer, or kNoLine
  uint64_t bytes;        // its written bytes, one bit each
  struct hierarchy caches;
  atomic_flag lock;
} __attribute__((aligned(64)));

static struct vcpu vcpus[VCPUS];
static struct cache l3;
static struct output trace;
static uint64_t skip, limit;   // in instructions; limit 0: none
static uint64_t most_records;  // 0: unlimited
static uint64_t use_regions;   // 1: record only within regions of interest

static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;  // guards L3, outputs and this:
static bool recording, window_open, in_region, finished;
static bool testing;     // counts without recording
static uint64_t origin;  // instructions of all vCPUs at which skip and limit start
static struct counts {
  uint64_t kinds[3];  // by enum record_kind
} counts[CLASSES];
static uint64_t records, recorded_instructions, pages;
static unsigned vcpus_seen;

// From causes.h: begin_causes() puts the first records of a recorded stretch.
// note_unrecorded_write() collects the state that it needs.
static void begin_causes(void);
static void note_unrecorded_write(uint64_t line);

static uint64_t flushes;    // clflush, clflushopt, clwb executed while recording
static uint64_t elsewhere;  // accesses to neither DRAM nor NVDIMM while caches were modelled
static bool crowded;        // more than 8 threads: vCPUs are shared and need their locks
static bool forked_child;   // in a child process, whose copies of the buffers are not written

static void shared_lock(void) { pthread_mutex_lock(&shared); }
static void shared_unlock(void) { pthread_mutex_unlock(&shared); }

static void enter(struct vcpu* v) {
  while (crowded && atomic_flag_test_and_set_explicit(&v->lock, memory_order_acquire)) {
  }
}

static void leave(struct vcpu* v) {
  if (crowded) atomic_flag_clear_explicit(&v->lock, memory_order_release);
}

// ---- records; call with the shared lock held

static void put_record(unsigned vcpu, enum record_kind kind, uint64_t low, uint64_t high) {
  uint64_t record = low | (uint64_t)kind << LINE_BITS | (uint64_t)vcpu << (LINE_BITS + KIND_BITS) |
                    high << (LINE_BITS + KIND_BITS + VCPU_BITS);
  output_put(&trace, &record, sizeof record);
  records++;
}

static void put_instructions(unsigned vcpu, uint64_t count) {
  const uint64_t most = (1ULL << LINE_BITS) - 1;
  for (; count > 0; count -= count < most ? count : most)
    put_record(vcpu, RECORD_ESCAPE, count < most ? count : most, ESCAPE_INSTRUCTIONS);
}

static void finish(bool limited);

static void end_at_limit(void) {
  if (!most_records || records < most_records || finished) return;
  finish(true);
  _exit(0);
}

static void emit(unsigned vcpu, enum record_kind kind, uint64_t line) {
  if (!recording && kind != RECORD_FILL && line & kNvdimmLine) note_unrecorded_write(line);
  if (!recording && !testing) return;
  counts[line & kNvdimmLine ? CLASS_NVDIMM : CLASS_DRAM].kinds[kind]++;
  if (!recording) return;
  struct vcpu* v = &vcpus[vcpu];
  uint64_t delta = v->now > v->recorded ? v->now - v->recorded : 0;
  v->recorded += delta;
  if (delta >= 1ULL << DELTA_BITS) {
    put_instructions(vcpu, delta);
    delta = 0;
  }
  put_record(vcpu, kind, line, delta);
  end_at_limit();
}

static uint64_t total_instructions(void) {
  uint64_t total = 0;
  for (unsigned i = 0; i < VCPUS; i++) total += __atomic_load_n(&vcpus[i].count, __ATOMIC_RELAXED);
  return total;
}

// Recording is on within the window and, if regions are used, within a region. At the end of a
// stretch, writes each vCPU's instructions since its last record, so that deltas add up to the
// instructions recorded.
static void update_recording(unsigned vcpu) {
  bool wanted = window_open && (!use_regions || in_region);
  if (wanted == recording) return;
  if (wanted) {
    for (unsigned i = 0; i < VCPUS; i++) vcpus[i].window = vcpus[i].recorded = vcpus[i].count;
    if (use_regions) put_record(vcpu, RECORD_ESCAPE, 0, ESCAPE_REGION_BEGIN);
  } else {
    for (unsigned i = 0; i < VCPUS; i++) {
      if (vcpus[i].count > vcpus[i].recorded)
        put_instructions(i, vcpus[i].count - vcpus[i].recorded);
      recorded_instructions += vcpus[i].count - vcpus[i].window;
    }
    if (use_regions) put_record(vcpu, RECORD_ESCAPE, 0, ESCAPE_REGION_END);
  }
  recording = wanted;
  if (recording) begin_causes();
}

static void drain_combining(struct vcpu* v) {
  if (v->combining != kNoLine) emit(v->caches.vcpu, RECORD_NON_TEMPORAL, v->combining);
  v->combining = kNoLine;
  v->bytes = 0;
}

static void finish(bool limited) {
  if (finished) return;
  finished = true;
  for (unsigned i = 0; i < VCPUS; i++) drain_combining(&vcpus[i]);
  window_open = false;
  update_recording(0);
  output_flush(&trace);
  output_flush(&blocks.output);
  // An existing file holds the reason why a followed process aborted.
  if (traced_path && access(summary_path, F_OK) == 0) _exit(CAPTURE_FAILED);
  FILE* summary = fopen(summary_path, "we");
  if (!summary) fail("%s: %s", summary_path, strerror(errno));
  const uint64_t *dram = counts[CLASS_DRAM].kinds, *nvdimm = counts[CLASS_NVDIMM].kinds;
  const struct {
    const char* name;
    uint64_t value;
  } rows[] = {
      {"limited", limited},
      {"vcpus", vcpus_seen},
      {"total_instructions", clock_at(total_instructions())},
      {"instructions", traced_path ? traced->instructions : recorded_instructions},
      {"records", records},
      {"fills", dram[RECORD_FILL] + nvdimm[RECORD_FILL]},
      {"write_backs", dram[RECORD_WRITE_BACK] + nvdimm[RECORD_WRITE_BACK]},
      {"nt_writes", dram[RECORD_NON_TEMPORAL] + nvdimm[RECORD_NON_TEMPORAL]},
      {"nvdimm_fills", nvdimm[RECORD_FILL]},
      {"nvdimm_write_backs", nvdimm[RECORD_WRITE_BACK]},
      {"nvdimm_nt_writes", nvdimm[RECORD_NON_TEMPORAL]},
      {"pages", pages},
      {"flushes", flushes},
      {"elsewhere", elsewhere},
      {"block_reads", traced->requests[FILE_READ]},
      {"block_writes", traced->requests[FILE_WRITE]},
      {"block_read_bytes", traced->bytes[FILE_READ]},
      {"block_write_bytes", traced->bytes[FILE_WRITE]},
      {"block_flushes", traced->flushes},
      {"block_extents", traced->next_extent},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    fprintf(summary, "%s\"%s\": %llu", i ? ", " : "{", rows[i].name,
            (unsigned long long)rows[i].value);
  fputs("}\n", summary);
  if (fclose(summary)) fail("%s: %s", summary_path, strerror(errno));
}

#endif
