// SPDX-License-Identifier: BSD-3-Clause
// One flash NVDIMM: the device side of the ack line.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/kernel.h"
#include "core/request.h"
#include "core/statistics.h"
#include "core/types.h"
#include "nvdimm/buffer/data.h"
#include "nvdimm/buffer/evictor.h"
#include "nvdimm/buffer/lookahead.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "nvdimm/command_table.h"
#include "nvdimm/flush_control.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/ftl/ftl_census.h"
#include "nvdimm/ftl/garbage_collector.h"
#include "nvdimm/ftl/map_traffic.h"
#include "nvdimm/ftl/pending_work.h"
#include "nvdimm/module/module.h"
#include "nvdimm/nand/flash_array.h"
#include "nvdimm/parameters.h"
#include "nvdimm/power.h"
#include "nvdimm/power_backup.h"
#include "nvdimm/read_path.h"
#include "nvdimm/write_path.h"

namespace hmsim {

// Statistics of one flash NVDIMM, by layer.
struct NvdimmStatistics {
  BufferStatistics& buffer;
  FtlStatistics& ftl;
  NandStatistics& nand;
};

// Flash NVDIMM. It only routes: looked-up commands to the read path or the write path, flash events
// to the part that they concern, and acks to the host.
class Nvdimm final : public NvdimmModule, private FlashClient, private MapListener {
 public:
  // `parameters` have passed check(). `seed`: the channel's private seed, for preconditioning and
  // victim selection. `assignments`: the configuration's, for policy parameters.
  Nvdimm(const NvdimmParameters& parameters, AckListener& host, std::uint64_t seed,
         const Assignments& assignments = {});

  static Bytes logical_capacity(const NvdimmParameters& parameters);  // multiple of 4 KiB

  void command(std::uint32_t tag, Address address, bool write, Tick now,
               std::uint8_t lines = 1) override;
  void post(Address address, const LineData& data, std::uint16_t handle, Tick now) override;
  void flush(std::uint32_t tag, Tick now) override;
  void set_handle(std::uint32_t tag, std::uint16_t handle) override;
  Tick finish(std::uint32_t tag, Tick now) override;
  std::int64_t trim(Address address, Bytes size, Tick now) override;

  void write_line(std::uint32_t tag, const LineData& data, std::uint8_t line = 0) override;
  LineBytes read_line(std::uint32_t tag, std::uint8_t line = 0) const override;
  LineBytes peek(Address address) const override;

  void spare(Address address, const LineData& data) override;
  PowerRecord power_fail(Tick now, Tick save_for = kNever) override;
  // Rebuilds the map from spare areas.
  bool restore(NvdimmModule& before, Tick now, Tick recover_for = kNever) override;
  const PowerRecord& power_record() const override { return backup_.record(); }
  void serialize_start(Archive& archive) override;
  void write_before(const std::vector<LogicalPage>& pages) override;
  void hold_read(const std::vector<LogicalPage>& pages) override;
  void hold_written(const std::vector<LogicalPage>& pages) override;
  Tick worst_hold_up() const override { return hmsim::worst_hold_up(parameters_); }
  const NvdimmParameters& parameters() const override { return parameters_; }

  Tick gc_blocked(std::uint32_t tag) const { return commands_[tag].gc_blocked; }
  bool written_back() const { return flush_.written_back(); }
  bool idle() const override;
  BufferedPages buffered_pages() const override;

  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

  Tick now() const override { return NvdimmModule::now(); }

  Ftl& ftl() { return ftl_; }
  const Ftl& ftl() const { return ftl_; }
  FlashArray& flash() { return flash_; }
  const FlashArray& flash() const { return flash_; }
  SyncBuffer& buffer() { return buffer_; }
  const PendingWork& pending() const { return pending_; }
  std::uint64_t collections_begun() const override { return collector_.begun(); }
  std::uint64_t collections_ended() const override { return collector_.ended(); }
  void add_flash_observer(FlashObserver& observer) override;
  NvdimmStatistics statistics() {
    return {buffer_.statistics(), ftl_.statistics(), flash_.statistics()};
  }
  void reset_statistics(Tick now);

 private:
  friend struct NvdimmFaults;  // lets tests inject faults

  Tick next_of_all() const { return earlier(commands_.next(), flash_.next_event()); }
  void end_lookup();
  void look_up(std::uint32_t tag, Tick now);
  void advance_next();
  void end_posted(std::uint32_t tag, Tick now);
  void admit_later(Tick now) {
    if (buffer_.read.waiting() + buffer_.write.waiting() > 0 || lookahead_ != nullptr) {
      schedule_admission(now);
    }
  }
  void schedule_admission(Tick now);
  void fill_write_part(std::uint64_t seed);
  void start_from_ftl();

  void check_bounds(const Archive& archive) const;

  CellState cell_state(PhysicalPage place) const override {
    const FlashBlock& block = ftl_.blocks(ftl_.shape().lun_of(place))[ftl_.shape().block_of(place)];
    return {block.erases, block.one_bit()};
  }
  std::uint64_t bad_superblocks() const override { return bad_blocks(ftl_); }
  void on_flash_served(const FlashCommand& command, Tick now) override;
  void on_flash_idle(std::uint32_t lun, Tick now) override;
  void on_flash_room(std::uint32_t lun, Tick now) override;
  void on_mapped(std::uint32_t cookie, const GcWait& gc, Tick now) override;

  const NvdimmParameters parameters_;
  AckListener& host_;

  PendingWork pending_;
  Ftl ftl_;
  FlashArray flash_;
  SyncBuffer buffer_;
  std::unique_ptr<NvdimmData> data_;      // data mode only
  std::unique_ptr<Lookahead> lookahead_;  // nullptr: the manager does not look ahead
  CommandTable commands_;
  ReadPath reads_;
  GarbageCollector collector_;
  MapTraffic map_;
  WritePath writes_;
  Evictor evictor_;
  FlushControl flush_;
  PowerBackup backup_;
  bool freed_pending_ = false;  // a frames_freed event is scheduled
};

// Registers the statistics of flash modules, combined. Each must be attached to a kernel.
void register_flash_statistics(StatisticRegistry& registry, const NvdimmModules& modules);

}  // namespace hmsim
