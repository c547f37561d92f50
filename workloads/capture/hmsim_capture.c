// SPDX-License-Identifier: BSD-3-Clause
//
// QEMU plug-in. Filters the loads and stores of a program (user mode) or of a whole machine through
// caches, and writes last-level-cache misses and write-backs as records of docs/trace-format.md.
// The header is missing, because it needs the totals. For a program, the plug-in also writes its
// file reads and writes as a block trace. python/hmsim/capture/program.py and system.py start it
// and document the options.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>

#include "cache.h"
#include "causes.h"
#include "files.h"
#include "machine.h"
#include "opcodes.h"
#include "output.h"
#include "pages.h"
#include "qemu_plugin_v1.h"
#include "recorder.h"
#include "system_calls.h"
#include "traced.h"

// ---- callbacks at execution

// Decode the user data of a callback: twice the number of instructions that follow the present one
// in its block, plus 1 for a non-temporal store.
static inline uint64_t instructions_after(void* data) { return (uintptr_t)data >> 1; }
static inline bool is_non_temporal(void* data) { return (uintptr_t)data & 1; }

static void drain(struct vcpu* v) {
  shared_lock();
  drain_combining(v);
  shared_unlock();
}

static void store_non_temporal(struct vcpu* v, uint64_t line, unsigned offset, unsigned bytes) {
  v->last_line = kNoLine;
  if (line != v->combining) {
    drain(v);
    hierarchy_evict(&v->caches, line);
    v->combining = line;
  }
  v->bytes |= (bytes < 64 ? (1ULL << bytes) - 1 : UINT64_MAX) << offset;
  if (v->bytes == UINT64_MAX) drain(v);
}

// Handles an access of `bytes` bytes within one line.
static inline void touch(struct vcpu* v, qemu_plugin_meminfo_t info, uint64_t address,
                         unsigned bytes, bool non_temporal, bool causal) {
  uint64_t line;
  if (!machine.on)
    line = renumber(address);
  else if (!machine_line(info, address, &line))
    return;
  bool store = qemu_plugin_mem_is_store(info);
  if (causal) note_access(v, line, store, non_temporal);
  if (store && non_temporal) {
    store_non_temporal(v, line, address % LINE_BYTES, bytes);
    return;
  }
  if (machine.uncached_nvdimm && line & kNvdimmLine) {
    v->last_line = kNoLine;
    shared_lock();
    emit(v->caches.vcpu, store ? RECORD_NON_TEMPORAL : RECORD_FILL, line);
    shared_unlock();
    return;
  }
  if (line == v->combining) drain(v);
  v->last_entry = hierarchy_access(&v->caches, line, store);
  v->last_line = address >> LINE_SHIFT;
}

// `causal` is a constant at each call, so captures without causes do no work for them.
static inline __attribute__((always_inline)) void access_memory(struct vcpu* v,
                                                                qemu_plugin_meminfo_t info,
                                                                uint64_t address, void* data,
                                                                bool causal) {
  if (machine.on && !machine.ready) return;
  unsigned offset = address % LINE_BYTES, bytes = 1;
  enter(v);
  if (offset > LINE_BYTES - 8 || is_non_temporal(data))
    bytes = 1u << qemu_plugin_mem_size_shift(info);
  if (address >> LINE_SHIFT == v->last_line && offset + bytes <= LINE_BYTES &&
      !is_non_temporal(data)) {
    *v->last_entry |= qemu_plugin_mem_is_store(info);
  } else if (!forked_child) {
    unsigned here = offset + bytes <= LINE_BYTES ? bytes : LINE_BYTES - offset;
    v->now = v->count - instructions_after(data);
    touch(v, info, address, here, is_non_temporal(data), causal);
    if (here < bytes) touch(v, info, address + here, bytes - here, is_non_temporal(data), causal);
  }
  leave(v);
}

static void on_access(unsigned index, qemu_plugin_meminfo_t info, uint64_t address, void* data) {
  access_memory(&vcpus[index % VCPUS], info, address, data, false);
}

static void on_causal_access(unsigned index, qemu_plugin_meminfo_t info, uint64_t address,
                             void* data) {
  if (!causes[index].in_message) access_memory(&vcpus[index], info, address, data, true);
}

// Opens the window after `skip` instructions of all vCPUs together, and ends the program after
// `limit` more, at the start of the next block. A machine's vCPUs run in turn; each checks when its
// turn starts. A program's threads run in parallel: they approach the boundaries in equal shares
// and may overshoot.
static bool begun;  // a machine's first region has begun, from which `skip` and `limit` count
static struct vcpu* running;  // the machine's running vCPU, since then
static void check_window(struct vcpu* v) {
  shared_lock();
  uint64_t total = total_instructions() - origin;
  if (total >= skip && !finished) {
    window_open = true;
    update_recording(v->caches.vcpu);
  }
  if (limit && total >= skip + limit) {
    finish(true);
    _exit(0);
  }
  uint64_t boundary = total < skip ? skip : limit ? skip + limit : UINT64_MAX;
  uint64_t share = (boundary - total) / (machine.on || !vcpus_seen ? 1 : vcpus_seen);
  running = v;
  v->check_at = boundary == UINT64_MAX ? UINT64_MAX : v->count + (share ? share : 1);
  shared_unlock();
}

static void on_block(unsigned index, void* data) {
  struct vcpu* v = &vcpus[index % VCPUS];
  enter(v);
  bool begins_turn = begun && v != running;
  if ((v->count >= v->check_at || begins_turn) && !forked_child) check_window(v);
  v->count += (uintptr_t)data;
  leave(v);
}

static void on_causal_block(unsigned index, void* data) {
  if (!causes[index].in_message) on_block(index, data);
}

static void begin_window(void) {
  if (!machine.ready || testing) fail("a region of interest begins before calibration");
  begun = true;
  origin = total_instructions();
  window_open = skip == 0;
  for (unsigned i = 0; i < VCPUS; i++) vcpus[i].check_at = 0;
}

static void on_flush_probe(unsigned index, qemu_plugin_meminfo_t info, uint64_t address,
                           void* data) {
  struct vcpu* v = &vcpus[index % VCPUS];
  uint64_t line;
  if (!machine.ready || !machine_line(info, address, &line)) return;
  v->now = v->count - instructions_after(data);
  v->last_line = kNoLine;
  hierarchy_evict(&v->caches, line);
}

static void on_message_begin(unsigned index, qemu_plugin_meminfo_t info, uint64_t address,
                             void* data) {
  (void)info;
  begin_message(&vcpus[index], address, instructions_after(data));
}

static void on_message_word(unsigned index, qemu_plugin_meminfo_t info, uint64_t address,
                            void* data) {
  (void)info, (void)data;
  add_word(&vcpus[index], address);
}

static void on_message_end(unsigned index, qemu_plugin_meminfo_t info, uint64_t address,
                           void* data) {
  (void)info, (void)address;
  end_message(&vcpus[index], instructions_after(data));
}

static void on_store_fence(unsigned index, void* data) {
  struct vcpu* v = &vcpus[index];
  v->now = v->count - instructions_after(data);
  fence(v);
}

static void on_flush(unsigned index, void* data) {
  (void)index, (void)data;
  flushes += recording;
}

static void on_marker(unsigned index, void* data) {
  struct vcpu* v = &vcpus[index % VCPUS];
  if (forked_child) return;
  enter(v);
  shared_lock();
  in_region = !in_region;
  v->count -=
      instructions_after(data);  // the region ends at the marker, not at the end of the block
  if (machine.on && !begun) begin_window();
  update_recording(v->caches.vcpu);
  v->count += instructions_after(data);
  shared_unlock();
  leave(v);
}

static void on_vcpu(qemu_plugin_id_t id, unsigned index) {
  (void)id;
  shared_lock();
  crowded = crowded || index >= VCPUS;
  if (vcpus_seen <= index && vcpus_seen < VCPUS) vcpus_seen = index < VCPUS ? index + 1 : VCPUS;
  shared_unlock();
}

static void on_end(qemu_plugin_id_t id, void* data) {
  (void)id, (void)data;
  if (forked_child && !traced_path) return;
  shared_lock();
  traced_lock();
  if (is_root)
    finish(false);
  else
    clock_at(total_instructions());
  traced_unlock();
  shared_unlock();
}

static void on_fork_in_child(void) {
  forked_child = true;
  crowded = is_root = false;
  clocked = total_instructions();
  pthread_mutex_init(&shared, NULL);  // another thread of the parent may have held it
}

// ---- translation

// Adds the callbacks that an instruction of a machine needs besides those for its accesses.
static void plant_signals(struct qemu_plugin_insn* insn, const uint8_t* code, size_t size,
                          void* data) {
  if (is_probe(code, size))
    qemu_plugin_register_vcpu_mem_cb(insn, on_probe, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                     NULL);
  else if (is_flush_probe(code, size))
    qemu_plugin_register_vcpu_mem_cb(insn, on_flush_probe, QEMU_PLUGIN_CB_NO_REGS,
                                     QEMU_PLUGIN_MEM_RW, data);
  else if (is_self_test(code, size))
    qemu_plugin_register_vcpu_insn_exec_cb(insn, on_self_test, QEMU_PLUGIN_CB_NO_REGS, NULL);
  else if (is_flush(code, size))
    qemu_plugin_register_vcpu_insn_exec_cb(insn, on_flush, QEMU_PLUGIN_CB_NO_REGS, NULL);
  else if (with_causes && is_store_fence(code, size))
    qemu_plugin_register_vcpu_insn_exec_cb(insn, on_store_fence, QEMU_PLUGIN_CB_NO_REGS, data);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb* block) {
  (void)id;
  size_t count = qemu_plugin_tb_n_insns(block);
  qemu_plugin_register_vcpu_tb_exec_cb(block, with_causes ? on_causal_block : on_block,
                                       QEMU_PLUGIN_CB_NO_REGS, (void*)count);
  for (size_t i = 0; i < count; i++) {
    struct qemu_plugin_insn* insn = qemu_plugin_tb_get_insn(block, i);
    const uint8_t* code = qemu_plugin_insn_data(insn);
    size_t size = qemu_plugin_insn_size(insn);
    void* data = (void*)((count - 1 - i) << 1 | stores_non_temporal(code, size));
    enum message_part part = with_causes ? message_part(code, size) : NO_MESSAGE;
    if (part != NO_MESSAGE) {
      static void (*const calls[])(unsigned, qemu_plugin_meminfo_t, uint64_t, void*) = {
          [MESSAGE_BEGIN] = on_message_begin,
          [MESSAGE_WORD] = on_message_word,
          [MESSAGE_END] = on_message_end,
      };
      qemu_plugin_register_vcpu_mem_cb(insn, calls[part], QEMU_PLUGIN_CB_NO_REGS,
                                       QEMU_PLUGIN_MEM_RW, data);
      continue;
    }
    if (trace.path)
      qemu_plugin_register_vcpu_mem_cb(insn, with_causes ? on_causal_access : on_access,
                                       QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, data);
    if (use_regions && is_marker(code, size))
      qemu_plugin_register_vcpu_insn_exec_cb(insn, on_marker, QEMU_PLUGIN_CB_NO_REGS, data);
    if (machine.on) plant_signals(insn, code, size, data);
  }
}

// ---- options: NAME=VALUE, sizes in KiB

struct options {
  uint64_t kib[3], ways[3];
};

static bool set_option(struct options* options, const char* argument) {
  const char* value = strchr(argument, '=');
  if (!value) return false;
  size_t length = (size_t)(value++ - argument);
  const struct {
    const char* name;
    const char** text;
    uint64_t* number;
  } known[] = {
      {"trace", &trace.path, NULL},
      {"blocks", &blocks.output.path, NULL},
      {"files", &blocks.pattern, NULL},
      {"follow", &traced_path, NULL},
      {"blkparse", NULL, &blocks.as_blkparse},
      {"summary", &summary_path, NULL},
      {"skip", NULL, &skip},
      {"limit", NULL, &limit},
      {"records", NULL, &most_records},
      {"dram", NULL, &machine.dram_bytes},
      {"nvdimm", NULL, &machine.nvdimm_bytes},
      {"uncached", NULL, &machine.uncached_nvdimm},
      {"causes", NULL, &with_causes},
      {"regions", NULL, &use_regions},
      {"l1", NULL, &options->kib[0]},
      {"l2", NULL, &options->kib[1]},
      {"l3", NULL, &options->kib[2]},
      {"l1_ways", NULL, &options->ways[0]},
      {"l2_ways", NULL, &options->ways[1]},
      {"l3_ways", NULL, &options->ways[2]},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (length != strlen(known[i].name) || strncmp(argument, known[i].name, length)) continue;
    if (known[i].text)
      *known[i].text = value;
    else
      *known[i].number = strtoull(value, NULL, 10);
    return true;
  }
  return false;
}

int qemu_plugin_version = 1;

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc, char** argv) {
  struct options options = {{32, 2048, 8192}, {4, 4, 4}};
  for (int i = 0; i < argc; i++)
    if (!set_option(&options, argv[i])) fail("unknown option: %s", argv[i]);
  if (!summary_path) fail("the option summary=PATH is required");
  if (strcmp(info->target_name, "x86_64")) fail("this plug-in is for x86-64 guests");
  machine.on = info->system_emulation;
  if (machine.on &&
      (info->system.max_vcpus > VCPUS || !machine.nvdimm_bytes || !machine.dram_bytes))
    fail("a machine needs DRAM, an NVDIMM and at most 8 vCPUs");
  if (with_causes) {
    if (!machine.on) fail("causes need a machine");
    make_causes();
  }
  bool made = cache_make(&l3, options.kib[2] << 10, (unsigned)options.ways[2]);
  for (unsigned i = 0; i < VCPUS; i++) {
    struct vcpu* v = &vcpus[i];
    v->last_line = v->combining = kNoLine;
    v->check_at = machine.on ? UINT64_MAX : 0;
    v->caches.l3 = &l3;
    v->caches.vcpu = i;
    made = made && cache_make(&v->caches.l1, options.kib[0] << 10, (unsigned)options.ways[0]) &&
           cache_make(&v->caches.l2, options.kib[1] << 10, (unsigned)options.ways[1]);
  }
  if (!made) fail("each cache needs a power-of-two number of sets of 64-byte lines");
  map_traced();
  // If the driver is killed, the program is killed, too.
  if (is_root) prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!machine.on) pthread_atfork(NULL, NULL, on_fork_in_child);
  qemu_plugin_register_vcpu_init_cb(id, on_vcpu);
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  if (blocks.output.path) {
    qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
    qemu_plugin_register_vcpu_syscall_ret_cb(id, on_syscall_return);
  }
  qemu_plugin_register_atexit_cb(id, on_end, NULL);
  return 0;
}
