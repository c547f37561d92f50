// SPDX-License-Identifier: BSD-3-Clause
//
// Full-system emulation: maps an access to a line of DRAM or of the NVDIMM. QEMU's "physical
// address" (up to 8.2) is an offset in its list of RAM blocks, whose order is internal. Therefore a
// guest program (workloads/guest/programs/region.c) reveals the layout by three probes at every
// boot: the byte at 1 MiB of DRAM, and the first and the last byte of the NVDIMM. It then reads 32
// MiB of the NVDIMM directly. The capture fails unless this gives one fill per line (or per word of
// 8 bytes, if the NVDIMM is uncached).
#ifndef HMSIM_MACHINE_H
#define HMSIM_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "cache.h"
#include "pages.h"
#include "qemu_plugin_v1.h"
#include "recorder.h"

enum { PROBE_DRAM, PROBE_FIRST, PROBE_LAST, PROBES };
static const uint64_t kProbedDram = 1 << 20;             // bytes from DRAM's start
static const uint64_t kSelfTestLines = (32 << 20) / 64;  // direct reads of the self-test

static struct {
  bool on;                            // full-system emulation
  bool ready;                         // calibrated and tested: caches are modelled and records made
  unsigned probes;                    // seen so far
  uint64_t dram_bytes, nvdimm_bytes;  // as the driver started QEMU
  uint64_t dram, nvdimm;              // addresses of their first bytes, in QEMU's numbering
  uint64_t uncached_nvdimm;           // 1: its driver maps it uncached, and copies words
} machine;

// Sets `line` to the access's line and class. Returns false if it is in neither DRAM nor NVDIMM.
static inline bool machine_line(qemu_plugin_meminfo_t info, uint64_t address, uint64_t* line) {
  struct qemu_plugin_hwaddr* place = qemu_plugin_get_hwaddr(info, address);
  if (place && !qemu_plugin_hwaddr_is_io(place)) {
    uint64_t at = qemu_plugin_hwaddr_phys_addr(place);
    if (at - machine.nvdimm < machine.nvdimm_bytes) {
      *line = kNvdimmLine | (at - machine.nvdimm) >> LINE_SHIFT;
    } else if (at - machine.dram < machine.dram_bytes) {
      *line = (at - machine.dram) >> LINE_SHIFT;
    } else {
      elsewhere++;
      return false;
    }
    if (recording) page_index(*line >> PAGE_LINE_SHIFT);
    return true;
  }
  elsewhere++;
  return false;
}

static void on_probe(unsigned index, qemu_plugin_meminfo_t info, uint64_t address, void* data) {
  (void)index, (void)data;
  struct qemu_plugin_hwaddr* place = qemu_plugin_get_hwaddr(info, address);
  if (!place || qemu_plugin_hwaddr_is_io(place)) fail("calibration: a probe hit no memory");
  uint64_t at = qemu_plugin_hwaddr_phys_addr(place);
  switch (machine.probes++ % PROBES) {
    case PROBE_DRAM:
      machine.ready = false;
      machine.dram = at - kProbedDram;
      break;
    case PROBE_FIRST:
      machine.nvdimm = at;
      break;
    default:
      if (at - machine.nvdimm != machine.nvdimm_bytes - 1)
        fail("calibration: the NVDIMM has %llu bytes, not %llu",
             (unsigned long long)(at - machine.nvdimm + 1),
             (unsigned long long)machine.nvdimm_bytes);
      if (machine.dram - machine.nvdimm < machine.nvdimm_bytes ||
          machine.nvdimm - machine.dram < machine.dram_bytes)
        fail("calibration: DRAM and NVDIMM overlap");
  }
}

// Empties all caches and drops dirty lines.
static void forget_caches(void) {
  for (unsigned i = 0; i < VCPUS; i++) {
    cache_clear(&vcpus[i].caches.l1);
    cache_clear(&vcpus[i].caches.l2);
    vcpus[i].last_line = vcpus[i].combining = kNoLine;
    vcpus[i].bytes = 0;
  }
  cache_clear(&l3);
}

static void on_self_test(unsigned index, void* data) {
  (void)index, (void)data;
  if (machine.probes == 0 || machine.probes % PROBES) fail("self-test before calibration");
  testing = !testing;
  if (testing) machine.ready = true;
  const struct counts* nvdimm = &counts[CLASS_NVDIMM];
  uint64_t wanted = kSelfTestLines * (machine.uncached_nvdimm ? LINE_BYTES / 8 : 1);
  if (!testing && (nvdimm->kinds[RECORD_FILL] != wanted || nvdimm->kinds[RECORD_WRITE_BACK] ||
                   nvdimm->kinds[RECORD_NON_TEMPORAL]))
    fail("self-test: reading 32 MiB of the NVDIMM made %llu fills, not %llu, and %llu writes",
         (unsigned long long)nvdimm->kinds[RECORD_FILL], (unsigned long long)wanted,
         (unsigned long long)(nvdimm->kinds[RECORD_WRITE_BACK] +
                              nvdimm->kinds[RECORD_NON_TEMPORAL]));
  forget_caches();
  memset(counts, 0, sizeof counts);
}

#endif
