// SPDX-License-Identifier: BSD-3-Clause
// Flash work that host requests wait for, counted by LUN, by channel and in total.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "nvdimm/nand/flash_observer.h"
#include "policies/gc_scheduler.h"

namespace hmsim {

// Returns the pending work of one page: a program, or a read that does not fill the read part.
inline PendingFlash page_work(FlashOperation operation) {
  PendingFlash work;
  if (operation == FlashOperation::read) {
    work.read_pages = 1;
  } else {
    work.writes = 1;
  }
  return work;
}

class PendingWork {
 public:
  PendingWork(std::int64_t channels, std::int64_t luns)
      : luns_per_channel_(static_cast<std::uint32_t>(luns / channels)),
        luns_(static_cast<std::size_t>(luns)),
        channels_(static_cast<std::size_t>(channels)) {}

  void add(std::uint32_t lun, const PendingFlash& work) {
    luns_[lun] += work;
    channels_[channel_of(lun)] += work;
    all_ += work;
  }
  void remove(std::uint32_t lun, const PendingFlash& work) {
    luns_[lun] -= work;
    channels_[channel_of(lun)] -= work;
    all_ -= work;
  }
  // Adds a page to program whose LUN is not chosen yet.
  void add_unplaced() {
    ++all_.writes;
    ++unplaced_;
  }
  void remove_unplaced() {
    --all_.writes;
    --unplaced_;
  }

  // Count a request that: arrives, starts to wait for a page read or a frame, stops waiting, ends.
  void begin() { ++buffered_; }
  void wait() { --buffered_; }
  void resume() { ++buffered_; }
  void end() { --buffered_; }

  const PendingFlash& lun(std::uint32_t lun) const { return luns_[lun]; }
  const PendingFlash& channel(std::uint32_t lun) const { return channels_[channel_of(lun)]; }
  const PendingFlash& all() const { return all_; }
  std::uint32_t unplaced() const { return unplaced_; }
  std::uint32_t buffered() const { return buffered_; }
  std::uint32_t channels() const { return static_cast<std::uint32_t>(channels_.size()); }
  std::uint32_t luns_per_channel() const { return luns_per_channel_; }

  void serialize(Archive& archive) {
    archive.section("pending");
    archive.fixed(luns_, channels_);
    archive(all_, unplaced_, buffered_);
  }

 private:
  std::uint32_t channel_of(std::uint32_t lun) const { return lun / luns_per_channel_; }

  std::uint32_t luns_per_channel_;
  std::vector<PendingFlash> luns_;
  std::vector<PendingFlash> channels_;
  PendingFlash all_;
  std::uint32_t unplaced_ = 0;
  std::uint32_t buffered_ = 0;
};

}  // namespace hmsim
