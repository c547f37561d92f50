// SPDX-License-Identifier: BSD-3-Clause
// Flash array without a module: runs given operations and records their stages.
#pragma once

#include <cstdint>
#include <vector>

#include "nvdimm/nand/flash_array.h"
#include "nvdimm/parameters.h"

namespace hmsim {

struct FlashTask {
  Tick at{0};  // submission time; tasks are sorted by it
  FlashOperation operation = FlashOperation::read;
  std::uint32_t lun = 0;
  std::uint32_t superblock = 0;
  std::uint32_t page = 0;  // within the superblock: page of the block x planes + plane
  FlashPriority priority = FlashPriority::demand;
  bool transfer = true;
  PartMask parts = 0;  // parts of the page that cross the bus; 0: the first one
};

class FlashBench final : private FlashRequester, private FlashClient, private FlashObserver {
 public:
  // `parameters` passed check().
  explicit FlashBench(const NvdimmParameters& parameters, std::uint64_t seed = 0);

  FlashArray& array() { return array_; }
  NandStatistics& statistics() { return array_.statistics(); }

  // Returns the completion time of each task. Throws InputError for a place that does not exist.
  std::vector<Tick> run(const std::vector<FlashTask>& tasks);
  const std::vector<FlashRecord>& log() const { return log_; }
  std::int64_t failed() const { return failed_; }
  void set_wear(std::uint32_t erases) { wear_ = erases; }  // for every block

 private:
  bool on_flash_start(const FlashCommand&, Tick) override { return true; }
  PhysicalPage flash_place(const FlashCommand& command) const override;
  PhysicalPage next_flash_place(const FlashCommand& command) const override {
    return flash_place(command);
  }
  void on_flash_done(const FlashCommand& command, Tick now) override {
    done_[command.subject] = now;
    failed_ += command.failed ? 1 : 0;
  }
  CellState cell_state(PhysicalPage) const override { return {wear_, false}; }
  std::uint64_t bad_superblocks() const override { return 0; }
  Tick now() const override { return now_; }
  void on_flash_served(const FlashCommand&, Tick) override {}
  void on_flash_idle(std::uint32_t, Tick) override {}
  void on_flash_room(std::uint32_t, Tick) override {}
  void on_flash(const FlashRecord& record) override { log_.push_back(record); }
  void on_programmed(std::uint64_t, std::uint32_t) override {}
  void on_bad(std::uint64_t) override {}

  const std::int64_t luns_;
  const std::int64_t superblocks_;  // per LUN
  const std::int64_t pages_;        // per superblock
  const std::int64_t parts_;        // per page
  FlashArray array_;
  std::uint32_t wear_ = 0;
  std::int64_t failed_ = 0;
  Tick now_{0};
  std::vector<FlashTask> tasks_;
  std::vector<Tick> done_;
  std::vector<FlashRecord> log_;
};

}  // namespace hmsim
