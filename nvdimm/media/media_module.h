// SPDX-License-Identifier: BSD-3-Clause
// Byte-addressable media on the ack line: PCM, STT-RAM.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/event_queue.h"
#include "core/key_map.h"
#include "core/observers.h"
#include "core/ring.h"
#include "nvdimm/media/line_buffer.h"
#include "nvdimm/media/media_cells.h"
#include "nvdimm/media/media_observer.h"
#include "nvdimm/media/media_parameters.h"
#include "nvdimm/media/media_statistics.h"
#include "nvdimm/media/unsaved_lines.h"
#include "nvdimm/module/module.h"

namespace hmsim {

// Module of byte-addressable media.
//
// A read waits for its bank, takes read_time there, and is then ready. A write is ready when it has
// an entry of the write queue, which survives power failures. The bank writes the line to the cells
// when it has no read, or alternately with reads while writes wait for an entry. A write to a line
// with an entry reuses the entry; a read of such a line is served from it.
//
// After psi writes to a region, its bank copies one line into the region's gap before any other
// work.
//
// If media lines have several lines of the host, banks read and write media lines, and there are
// two buffers of them between the write queue and the banks (LineBuffer). A read of a line in a
// buffer is served from it; a read of any other line waits for its bank, and its end also ends all
// reads that wait for the same line. A write leaves the write queue after command_time for the
// combining buffer. A line leaves that buffer once the host has written all of it, or, oldest write
// first, for writes that find the buffer full. A bank that writes a line of which sectors are
// unknown reads it first (MediaOperation::update). The combining buffer survives power failures.
class MediaModule final : public NvdimmModule {
 public:
  MediaModule(const ModuleParameters& parameters, const MediaParameters& media, AckListener& host,
              std::uint64_t seed);

  void command(std::uint32_t tag, Address address, bool write, Tick now,
               std::uint8_t lines = 1) override;
  // Takes an entry of the write queue at once. The credit returns when the entry is free again. If
  // the line already has an entry, the credit returns after the time of a command.
  void post(Address address, const LineData& data, std::uint16_t handle, Tick now) override;
  // Takes only a command's time, because the write queue survives power failures.
  void flush(std::uint32_t tag, Tick now) override;
  Tick finish(std::uint32_t tag, Tick now) override;
  std::int64_t trim(Address address, Bytes size, Tick now) override;

  void write_line(std::uint32_t tag, const LineData& data, std::uint8_t line = 0) override;
  LineBytes read_line(std::uint32_t tag, std::uint8_t /*line*/ = 0) const override {
    return peek(commands_[tag].address);
  }
  LineBytes peek(Address address) const override;

  void spare(Address address, const LineData& data) override;
  PowerRecord power_fail(Tick now, Tick save_for = kNever) override;
  bool restore(NvdimmModule& before, Tick now, Tick recover_for = kNever) override;
  const PowerRecord& power_record() const override { return power_; }
  Tick gc_blocked(std::uint32_t tag) const { return commands_[tag].blocked; }
  bool idle() const override { return unfinished_ == 0 && busy_ == 0; }
  void add_media_observer(MediaObserver& observer) override;

  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

  Tick worst_hold_up() const override { return media_.save_time(parameters_.spared_writes); }
  const ModuleParameters& parameters() const override { return parameters_; }
  const MediaParameters& media() const { return media_; }
  MediaStatistics& statistics() { return statistics_; }
  const MediaCells& cells() const { return cells_; }

 private:
  friend struct MediaFaults;  // lets tests inject faults

  enum class EventKind : std::uint8_t {
    decoded,
    flushed,
    done,
    credit,
    combine,  // a written line reaches the combining buffer
    last = combine
  };
  enum class Stage : std::uint8_t { none, decoding, waiting, ready, last = ready };

  struct Command {
    Address address;
    Stage stage = Stage::none;
    bool write = false;
    std::uint32_t entry = kNoIndex;  // entry of a ready write
    Tick blocked{0};  // time lost to moves; while waiting: `moved` of its bank at the start

    void serialize(Archive& archive) { archive(address, stage, write, entry, blocked); }
  };

  // Entry of the write queue. Free if it has no line.
  struct Entry {
    std::int64_t line = kNoLine;
    std::uint32_t pins = 0;  // commands whose data have not arrived
    bool dirty = false;      // holds data newer than the cells
    bool listed = false;     // in its bank's queue, or on the way to the combining buffer
    bool writing = false;

    void serialize(Archive& archive) { archive(line, pins, dirty, listed, writing); }
  };

  struct Bank {
    Ring<std::uint32_t> reads;   // tags
    Ring<std::uint32_t> writes;  // entries, or slots of the combining buffer
    bool busy = false;
    MediaOperation operation = MediaOperation::read;
    std::uint32_t subject = 0;  // tag, entry or slot, or region of the operation
    bool wrote = false;         // the last operation other than a move was a write
    Tick since{0};              // start of the current operation
    Tick moved{0};              // total time of completed moves

    void serialize(Archive& archive) {
      archive(reads, writes, busy, operation, subject, wrote, since, moved);
      archive.check(moved < kNever, "time too long");
    }
  };

  static constexpr std::int64_t kNoLine = -1;

  static std::int64_t line_of(Address address) { return address / Address(kLineBytes.value()); }
  // Returns the media line of a line of the host.
  std::int64_t media_line(std::int64_t line) const {
    return buffer_ == nullptr ? line : line / sectors_;
  }

  void check_bounds(const Archive& archive) const;

  void look_up(std::uint32_t tag, Tick now);
  bool take_entry(std::uint32_t tag, Tick now);
  std::uint32_t new_entry(std::int64_t line, Tick now);
  void ready(std::uint32_t tag, Tick now);
  void queue_write(std::uint32_t entry, Tick now);
  void release(std::uint32_t entry, Tick now);
  void combine_waiting(Tick now);
  bool combine(std::uint32_t entry, Tick now);
  void make_room(Tick now);
  void send(std::uint32_t slot, Tick now);
  void begin(std::uint32_t bank, Tick now);
  void begin(std::uint32_t bank, MediaOperation operation, std::uint32_t subject, Tick now);
  Tick time_of(MediaOperation operation) const;
  MediaRecord record_of(std::uint32_t bank) const;
  void end(std::uint32_t bank, Tick now);
  void end_wait(std::uint32_t tag, const Bank& bank);
  void end_read(std::uint32_t bank, Tick now);
  void end_write(std::uint32_t subject, Tick now);
  void count_queue(Tick now);
  Tick moved(const Bank& bank, Tick now) const;

  const ModuleParameters parameters_;
  const MediaParameters media_;
  const std::int64_t sectors_;
  AckListener& host_;
  Observers<MediaObserver> observers_;

  MediaCells cells_;
  std::unique_ptr<LineBuffer> buffer_;  // null if media lines are lines of the host
  std::vector<Bank> banks_;
  std::vector<Command> commands_;    // by tag
  std::vector<Entry> entries_;       // the write queue
  std::vector<std::uint32_t> free_;  // entries
  KeyMap entry_of_;                  // by line
  Ring<std::uint32_t> waiting_;      // writes that wait for an entry
  Ring<std::uint32_t> staged_;       // entries that wait for the combining buffer
  EventQueue<EventKind> events_;
  std::uint32_t unfinished_ = 0;
  std::uint32_t busy_ = 0;  // banks
  MediaStatistics statistics_;
  PowerRecord power_;

  // Data mode only.
  std::vector<LineBytes> queued_;  // by entry
  UnsavedLines unsaved_;           // between power failure and recovery
};

void register_media_statistics(StatisticRegistry& registry, const NvdimmModules& modules);

}  // namespace hmsim
