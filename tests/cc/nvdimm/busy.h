// SPDX-License-Identifier: BSD-3-Clause
// NVDIMMs with much work in flight.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "tests/cc/nvdimm/rig.h"

namespace hmsim {

// Two channels of two LUNs of 16 blocks each.
inline NvdimmParameters of_four_luns(Bytes page_size, std::int64_t planes) {
  NvdimmParameters p = small_nvdimm();
  p.nand.channels = 2;
  p.nand.chips = 2;
  p.nand.planes = planes;
  p.nand.page_size = page_size;
  p.nand.pages_per_block = 4;
  p.capacity = 4 * 16 * planes * p.nand.pages_per_block * page_size;
  p.ftl.over_provisioning = 150;
  p.buffer.read_size = 6 * kPageBytes;
  p.buffer.write_size = 12 * kPageBytes;
  p.precondition.fill = 1;
  p.precondition.overwrite = 1;
  return p;
}

// Small NVDIMMs that differ in all features that affect flash commands or evictions.
inline std::vector<NvdimmParameters> busy_nvdimms() {
  NvdimmParameters plain = of_four_luns(kPageBytes, 1);
  plain.nand.ecc_time = 5 * kMicrosecond;
  plain.buffer.granularity = BufferGranularity::item;

  NvdimmParameters shared = plain;
  shared.buffer.item_reads = ItemReads::shared;
  shared.gc.scheduler = "proactive";

  NvdimmParameters released = of_four_luns(4 * kPageBytes, 1);
  released.nand.cache = true;
  released.ftl.allocation = PageAllocation::fixed;
  released.buffer.release = FrameRelease::datain;
  released.nand.firmware = {40 * kMicrosecond, 10 * kMicrosecond, 2};

  NvdimmParameters wide = of_four_luns(4 * kPageBytes, 2);
  wide.buffer.write_size = 32 * kPageBytes;
  wide.nand.cache = true;
  wide.nand.multi_plane = true;
  wide.nand.suspend = SuspendMode::both;
  wide.nand.ecc_time = 5 * kMicrosecond;

  NvdimmParameters merged = of_four_luns(4 * kPageBytes, 1);
  merged.ftl.partial_writes = PartialWrites::merge;
  merged.nand.suspend = SuspendMode::both;
  merged.gc.hold_channel = true;
  merged.precondition.fill = 0.15;  // so that some pages have no neighbours
  merged.precondition.overwrite = 10;
  return {plain, shared, released, wide, merged};
}

// Sends random commands, as many at a time as the NVDIMM takes.
class Busy {
 public:
  explicit Busy(const NvdimmParameters& parameters) : rig_(parameters), random_(9) {
    for (const ParameterError& error : parameters.check()) {
      ADD_FAILURE() << error.name << ": " << error.message;
    }
    for (std::uint32_t tag = 0; tag < 40; ++tag) {
      free_.push_back(tag);
    }
  }
  Rig& rig() { return rig_; }
  void step() {
    for (; seen_ < rig_.acks.size(); ++seen_) {
      rig_.nvdimm().finish(rig_.acks[seen_].tag, rig_.now());
      free_.push_back(rig_.acks[seen_].tag);
    }
    while (!free_.empty()) {
      const auto page = static_cast<std::int64_t>(random_.below(kFootprint));
      const auto line = static_cast<std::int64_t>(random_.below(kLinesPerPage));
      rig_.nvdimm().command(free_.back(), line_address(page, line), random_.below(2) == 0,
                            rig_.now());
      free_.pop_back();
    }
    ASSERT_TRUE(rig_.kernel().step(kNever));
  }

 private:
  static constexpr std::uint64_t kFootprint = 100;  // pages

  Rig rig_;
  Random random_;
  std::vector<std::uint32_t> free_;  // tags
  std::size_t seen_ = 0;
};

// An NVDIMM whose host ends each command at its ack.
struct Bare : AckListener {
  explicit Bare(const NvdimmParameters& parameters) : nvdimm(parameters, *this, 1) {
    nvdimm.attach(kernel, Wakeup(kernel, kernel.attach(nvdimm)));
  }
  void on_ack(std::uint32_t tag, Tick) override { acks.push_back(tag); }

  Kernel kernel;
  Nvdimm nvdimm;
  std::vector<std::uint32_t> acks;
};

// Loads the state of one NVDIMM and continues.
inline void load_and_go_on(const NvdimmParameters& parameters, const std::string& state) {
  Bare bare(parameters);
  Archive archive(state);
  bare.nvdimm.serialize(archive);
  bare.kernel.notify_all();
  for (int i = 0; i < 300 && bare.kernel.step(kNever); ++i) {
    for (const std::uint32_t tag : std::exchange(bare.acks, {})) {
      bare.nvdimm.finish(tag, bare.kernel.now());
    }
  }
}

}  // namespace hmsim
