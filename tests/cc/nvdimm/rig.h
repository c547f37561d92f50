// SPDX-License-Identifier: BSD-3-Clause
// Rig of one NVDIMM. Its host records every ack, and ends the command as soon as the ack arrives.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/archive.h"
#include "core/kernel.h"
#include "nvdimm/nvdimm.h"
#include "tests/cc/nvdimm/flash_watch.h"
#include "tests/cc/states.h"

namespace hmsim {

inline Address line_address(std::int64_t page, std::int64_t line = 0) {
  return Address(page * kPageBytes.value() + line * kLineBytes.value());
}

// Returns parameters of an NVDIMM that writes back on demand and suspends no operation.
inline NvdimmParameters plain_nvdimm() {
  NvdimmParameters parameters;
  parameters.command_queue = 4096;
  parameters.buffer.manager = "on_demand";
  parameters.nand.suspend = SuspendMode::none;
  return parameters;
}

// Returns a plain NVDIMM of 64 MiB with one LUN.
inline NvdimmParameters large_lun() {
  NvdimmParameters parameters = plain_nvdimm();
  parameters.capacity = Bytes(64 << 20);
  parameters.nand.channels = 1;
  parameters.nand.chips = 1;
  return parameters;
}

// Returns a plain NVDIMM of 1 MiB: 1 channel with 1 LUN of 16 blocks of 16 pages.
inline NvdimmParameters small_nvdimm() {
  NvdimmParameters parameters = plain_nvdimm();
  parameters.capacity = Bytes(1 << 20);
  parameters.command_queue = 64;
  parameters.buffer.read_size = 4 * kPageBytes;
  parameters.buffer.write_size = 4 * kPageBytes;
  parameters.ftl.over_provisioning = 60;
  parameters.ftl.gc_threshold = 0;
  parameters.nand.channels = 1;
  parameters.nand.chips = 1;
  parameters.nand.pages_per_block = 16;
  return parameters;
}

// Returns a LUN that host and collection write at the same place; over_provisioning in percent.
inline FtlShape one_lun(std::uint32_t blocks, std::uint32_t pages,
                        std::uint64_t over_provisioning) {
  FtlShape shape;
  shape.blocks = blocks;
  shape.pages = pages;
  shape.logical_pages = std::uint64_t{blocks} * pages * 100 / (100 + over_provisioning);
  shape.shared_frontier = true;
  shape.stripe = {0};
  return shape;
}

struct Ack {
  std::uint32_t tag;
  Tick time;
};

inline bool operator==(const Ack& a, const Ack& b) { return a.tag == b.tag && a.time == b.time; }

class Rig : public AckListener {
 public:
  explicit Rig(const NvdimmParameters& parameters, std::uint64_t seed = 1,
               const Assignments& assignments = {})
      : nvdimm_(parameters, *this, seed, assignments) {
    nvdimm_.attach(kernel_, Wakeup(kernel_, kernel_.attach(nvdimm_)));
    watch_ = std::make_unique<FlashWatch>(nvdimm_);
    kernel_.notify_all();
  }

  void on_ack(std::uint32_t tag, Tick now) override { acks.push_back({tag, now}); }

  Nvdimm& nvdimm() { return nvdimm_; }
  Kernel& kernel() { return kernel_; }
  NvdimmStatistics statistics() { return nvdimm_.statistics(); }
  Tick now() const { return kernel_.now(); }

  // Sends one command now and ends it at its ack. Returns the time until the ack, or kNever without
  // one.
  Tick access(std::int64_t page, std::int64_t line, bool write) {
    const Tick start = now();
    const std::size_t seen = acks.size();
    nvdimm_.command(0, line_address(page, line), write, start);
    while (acks.size() == seen) {
      if (!kernel_.step(kNever)) {
        return kNever;
      }
    }
    nvdimm_.finish(0, now());
    return acks.back().time - start;
  }
  Tick read(std::int64_t page, std::int64_t line = 0) { return access(page, line, false); }
  Tick write(std::int64_t page, std::int64_t line = 0) { return access(page, line, true); }
  void write_page(std::int64_t page) {
    for (std::int64_t line = 0; line < kLinesPerPage; ++line) {
      write(page, line);
    }
  }
  // Writes pages `first` to `end` - 1.
  void write_pages(std::int64_t first, std::int64_t end) {
    for (std::int64_t page = first; page < end; ++page) {
      write_page(page);
    }
  }

  // Sends `count` commands from next(i, address, write), at most `outstanding` at once. Returns
  // when the last has ended. Calls after_step() after every step of the kernel.
  template <class Next, class AfterStep>
  void run(std::int64_t count, std::int64_t outstanding, Next next, AfterStep after_step) {
    std::int64_t sent = 0;
    std::int64_t ended = 0;
    std::size_t seen = acks.size();
    const auto send = [&](std::uint32_t tag) {
      Address address{0};
      bool write = false;
      next(sent++, address, write);
      nvdimm_.command(tag, address, write, now(), lines);
    };
    const std::int64_t first = outstanding < count ? outstanding : count;
    for (std::int64_t tag = 0; tag < first; ++tag) {
      send(static_cast<std::uint32_t>(tag));
    }
    while (ended < count && kernel_.step(kNever)) {
      for (; seen < acks.size(); ++seen) {
        const std::uint32_t tag = acks[seen].tag;
        nvdimm_.finish(tag, now());
        ++ended;
        if (sent < count) {
          send(tag);
        }
      }
      after_step();
    }
  }
  template <class Next>
  void run(std::int64_t count, std::int64_t outstanding, Next next) {
    run(count, outstanding, next, [] {});
  }
  void drain() {
    while (kernel_.step(kNever)) {
    }
  }

  // Counts all pages of all LUNs from scratch.
  FtlCensus census() {
    FtlCensus total;
    for (std::uint32_t lun = 0; lun < nvdimm_.ftl().shape().luns; ++lun) {
      const FtlCensus one = count_pages(nvdimm_.ftl(), lun);
      total.free += one.free;
      total.valid += one.valid;
      total.invalid += one.invalid;
      total.in_flight += one.in_flight;
    }
    return total;
  }

  void serialize(Archive& archive) {
    nvdimm_.serialize(archive);
    watch_->serialize(archive);
    kernel_.serialize(archive);  // last: asks every component for its next event
    kernel_.notify_all();
  }
  std::string saved() { return testing::state_of(*this); }

  std::vector<Ack> acks;
  std::uint8_t lines = 1;  // of each command of run()

 private:
  Kernel kernel_;
  Nvdimm nvdimm_;
  std::unique_ptr<FlashWatch> watch_;
};

}  // namespace hmsim
