// SPDX-License-Identifier: BSD-3-Clause
//
// Cause records (docs/trace-format.md): which thread each vCPU runs, which thread wakes which,
// requests to the block device, fences after non-temporal stores, first uses of pages that were
// read, and the pages written last before the trace.
//
// A module in the guest (workloads/guest/driver/hmsim_causes.c) reports threads and bios in
// messages. A message is a load whose address is the base, loads whose addresses relative to the
// base are 16-bit words, and a load that ends the message. Instructions from the first of these
// loads to the last are neither counted nor modelled; interrupts are off there. A message without
// words is ignored.
#ifndef HMSIM_CAUSES_H
#define HMSIM_CAUSES_H

#include <stdbool.h>
#include <stdint.h>

#include "../guest/driver/last_written.h"
#include "cache.h"
#include "machine.h"
#include "opcodes.h"
#include "pages.h"
#include "qemu_plugin_v1.h"
#include "recorder.h"

enum cause {
  CAUSE_RUN = 3,
  CAUSE_WAKE,
  CAUSE_ALARM,
  CAUSE_BIO,
  CAUSE_BIO_END,
  CAUSE_FENCE,
  CAUSE_USE,
  CAUSE_THREAD,
  CAUSE_NAME,
  CAUSE_WRITTEN
};
enum message { RUNNING, RUN, WAKE, ALARM, BIO, BIO_END, THREAD, NEW_THREAD, WRITTEN };
enum reason { GOES_ON, WAITS, ENDED };
enum { NAME_BYTES = 15, NAME_STEP = 3, THREADS = 1 << 16 };
enum { HEAD_WORDS = 2, THREAD_WORDS = 3, MOST_WORDS = HEAD_WORDS + THREAD_WORDS + NAME_BYTES };

// State of a thread, by the number that its kernel assigned. 0 is the idle loop of every vCPU.
static struct thread {
  uint16_t process;
  bool known, of_kernel;
  bool introduced, named;  // the trace contains its `thread` record and its present name
  bool reading;            // a read bio of this thread is in progress
  bool woken;              // woken since it began to leave its vCPU
  char name[NAME_BYTES];   // padded with NUL
} threads[THREADS];

static struct causes {
  bool known;       // the running thread is known
  uint16_t thread;  // the running thread
  bool in_message;  // within a message
  bool unfenced;    // non-temporal stores occurred since the last fence
  uint64_t base;    // base address of the message's words
  unsigned count;   // number of words so far
  uint16_t words[MOST_WORDS];
  uint64_t source;  // the last line loaded if it is in the NVDIMM, else kNoLine
} causes[VCPUS];

static uint64_t with_causes;          // 1: record causes
static uint32_t* copied;              // by DRAM page: NVDIMM page + 1 of an unused copy, or 0
static struct written_page* written;  // before the first recorded stretch

static void make_causes(void) {
  copied = calloc((machine.dram_bytes >> PAGE_SHIFT) + 1, sizeof *copied);
  written = calloc((machine.nvdimm_bytes >> PAGE_SHIFT) + 1, sizeof *written);
  if (!copied || !written) fail("out of memory");
  for (unsigned i = 0; i < VCPUS; i++) causes[i].source = kNoLine;
}

// ---- records; call with the shared lock held

// Puts a cause record at v->now.
static void put_cause(struct vcpu* v, enum cause cause, uint64_t payload) {
  if (!recording) return;
  if (v->now > v->recorded) {
    put_instructions(v->caches.vcpu, v->now - v->recorded);
    v->recorded = v->now;
  }
  put_record(v->caches.vcpu, RECORD_ESCAPE, payload, cause);
}

// Puts the records that must precede the first record that names the thread.
static void introduce(struct vcpu* v, uint16_t number) {
  struct thread* t = &threads[number];
  if (!recording || number == 0) return;
  if (!t->known) fail("causes: the guest did not announce thread %u", number);
  if (!t->introduced)
    put_cause(v, CAUSE_THREAD, number | (uint64_t)t->of_kernel << 16 | (uint64_t)t->process << 24);
  for (unsigned i = 0; !t->named && i < NAME_BYTES; i += NAME_STEP) {
    uint64_t part = (uint8_t)t->name[i] | (uint64_t)(uint8_t)t->name[i + 1] << 8 |
                    (uint64_t)(uint8_t)t->name[i + 2] << 16;
    put_cause(v, CAUSE_NAME, number | part << 16);
  }
  t->introduced = t->named = true;
}

static void put_run(struct vcpu* v, enum reason reason) {
  uint16_t number = causes[v->caches.vcpu].thread;
  introduce(v, number);
  put_cause(v, CAUSE_RUN, number | (uint64_t)reason << 16);
}

static void turn_to(struct vcpu* v, uint16_t number, enum reason reason) {
  struct causes* c = &causes[v->caches.vcpu];
  struct thread* left = &threads[c->thread];
  if (reason == WAITS && left->woken) reason = GOES_ON;
  left->woken = false;
  c->thread = number;
  c->known = true;
  put_run(v, reason);
}

// Puts the pages written last, oldest first. Acts once.
static void put_written(struct vcpu* v) {
  static bool told;
  unsigned length;
  for (unsigned place = told ? 0 : written[0].newer; place;
       place = written[place + length - 1].newer) {
    length = run_of_written(written, place);
    put_cause(v, CAUSE_WRITTEN, (place - 1) | (uint64_t)(length - 1) << 28);
  }
  told = true;
}

static void learn_written(uint64_t first, uint64_t length) {
  if (first + length > machine.nvdimm_bytes >> PAGE_SHIFT)
    fail("causes: page %llu is beyond the NVDIMM", (unsigned long long)(first + length - 1));
  for (uint64_t i = 0; i < length; i++) set_last_written(written, (unsigned)(first + i));
}

static void note_unrecorded_write(uint64_t line) {
  if (with_causes) set_last_written(written, (unsigned)((line & ~kNvdimmLine) >> PAGE_LINE_SHIFT));
}

static void begin_causes(void) {
  if (!with_causes) return;
  vcpus[0].now = vcpus[0].count;
  put_written(&vcpus[0]);
  for (unsigned i = 0; i < vcpus_seen; i++) {
    if (!causes[i].known) fail("causes: the guest did not report the thread of vCPU %u", i);
    vcpus[i].now = vcpus[i].count;
    put_run(&vcpus[i], GOES_ON);
  }
}

// ---- messages

static void wake(struct vcpu* v, enum cause cause, uint64_t number, uint64_t microseconds) {
  threads[number].woken = false;
  for (unsigned i = 0; i < vcpus_seen; i++)
    if (causes[i].known && causes[i].thread == number) threads[number].woken = true;
  introduce(v, (uint16_t)number);
  put_cause(v, cause, number | microseconds << 16);
}

static void learn_thread(struct vcpu* v, const uint16_t* words, unsigned count, bool fresh) {
  struct thread* t = &threads[words[0]];
  char name[NAME_BYTES] = {0};
  for (unsigned i = THREAD_WORDS; i < count; i++) name[i - THREAD_WORDS] = (char)words[i];
  if (fresh || !t->known)
    *t = (struct thread){.known = true, .of_kernel = words[1], .process = words[2]};
  if (memcmp(t->name, name, sizeof name)) t->named = false;
  memcpy(t->name, name, sizeof name);
  if (t->introduced) introduce(v, words[0]);
}

static void begin_bio(struct vcpu* v, uint64_t length, uint64_t how) {
  const uint64_t operation = how & 7;
  threads[causes[v->caches.vcpu].thread].reading = operation == 0;
  put_cause(v, CAUSE_BIO, length | how << 16);
}

// Ends a bio. Pages that it copied may be marked, so the next access of any vCPU must not count as
// a repetition.
static void end_bio(struct vcpu* v) {
  threads[causes[v->caches.vcpu].thread].reading = false;
  for (unsigned i = 0; i < VCPUS; i++) vcpus[i].last_line = kNoLine;
  put_cause(v, CAUSE_BIO_END, 0);
}

static void take_message(struct vcpu* v, struct causes* c) {
  static const unsigned wanted[] = {0, 2, 1, 3, 2, 0, THREAD_WORDS, THREAD_WORDS, 3};
  const uint16_t* words = c->words + HEAD_WORDS;
  if (c->count < HEAD_WORDS || c->words[1] > WRITTEN || c->count - HEAD_WORDS < wanted[c->words[1]])
    fail("causes: invalid message of %u words", c->count);
  if (!c->known || c->thread != c->words[0]) turn_to(v, c->words[0], GOES_ON);
  switch ((enum message)c->words[1]) {
    case RUNNING:
      break;
    case RUN:
      turn_to(v, words[0], words[1]);
      break;
    case WAKE:
      wake(v, CAUSE_WAKE, words[0], 0);
      break;
    case ALARM:
      wake(v, CAUSE_ALARM, words[0], words[1] | (uint64_t)words[2] << 16);
      break;
    case BIO:
      begin_bio(v, words[0], words[1]);
      break;
    case BIO_END:
      end_bio(v);
      break;
    case WRITTEN:
      learn_written(words[0] | (uint64_t)words[1] << 16, words[2]);
      break;
    default:
      learn_thread(v, words, c->count - HEAD_WORDS, c->words[1] == NEW_THREAD);
  }
}

// The block has `after` instructions after the load.
static void begin_message(struct vcpu* v, uint64_t address, uint64_t after) {
  struct causes* c = &causes[v->caches.vcpu];
  if (c->in_message) fail("causes: a message within a message");
  c->in_message = true;
  c->base = address;
  c->count = 0;
  v->count -= after + 1;
}

static void add_word(struct vcpu* v, uint64_t address) {
  struct causes* c = &causes[v->caches.vcpu];
  uint64_t word = address - c->base;
  if (!c->in_message || word > UINT16_MAX || c->count == MOST_WORDS)
    fail("causes: a word outside a message");
  c->words[c->count++] = (uint16_t)word;
}

static void end_message(struct vcpu* v, uint64_t after) {
  struct causes* c = &causes[v->caches.vcpu];
  if (!c->in_message) fail("causes: an end outside a message");
  c->in_message = false;
  if (c->count) {
    shared_lock();
    v->now = v->count;
    take_message(v, c);
    end_at_limit();
    shared_unlock();
  }
  v->count += after;
}

// ---- events found without the guest's help

// v->now must be the count at the fence.
static void fence(struct vcpu* v) {
  struct causes* c = &causes[v->caches.vcpu];
  if (!c->unfenced) return;
  c->unfenced = false;
  shared_lock();
  drain_combining(v);
  put_cause(v, CAUSE_FENCE, 0);
  end_at_limit();
  shared_unlock();
}

// Handles an access that is not a repetition. While a bio reads, a store marks its page if it is a
// copy: the load before it read the NVDIMM, at the same offset in its page. Outside of bios, a load
// from a marked page is its first use, and a store means that its contents are not needed; both
// clear the mark.
static void note_access(struct vcpu* v, uint64_t line, bool store, bool non_temporal) {
  struct causes* c = &causes[v->caches.vcpu];
  const uint64_t in_page = (1 << PAGE_LINE_SHIFT) - 1;
  if (line & kNvdimmLine) {
    if (!store)
      c->source = line;
    else if (non_temporal || machine.uncached_nvdimm)
      c->unfenced = true;
    return;
  }
  if (store && non_temporal) c->unfenced = true;
  uint32_t* mark = &copied[line >> PAGE_LINE_SHIFT];
  if (threads[c->thread].reading) {
    if (store && c->source != kNoLine && (line & in_page) == (c->source & in_page))
      *mark = (uint32_t)((c->source & ~kNvdimmLine) >> PAGE_LINE_SHIFT) + 1;
  } else if (*mark) {
    if (!store) {
      shared_lock();
      put_cause(v, CAUSE_USE, *mark - 1);
      shared_unlock();
    }
    *mark = 0;
  }
  if (!store) c->source = kNoLine;
}

#endif
