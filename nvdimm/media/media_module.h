// SPDX-License-Identifier: BSD-3-Clause
// Byte-addressable media behind the ack line: PCM, STT-RAM.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/event_queue.h"
#include "core/key_map.h"
#include "core/line_store.h"
#include "core/observers.h"
#include "core/random.h"
#include "core/ring.h"
#include "nvdimm/media/media_observer.h"
#include "nvdimm/media/media_parameters.h"
#include "nvdimm/media/media_statistics.h"
#include "nvdimm/media/start_gap.h"
#include "nvdimm/media/wear_counts.h"
#include "nvdimm/module/module.h"

namespace hmsim {

// A read waits for its bank, takes read_time there, and is ready. A write is ready once it has an
// entry of the write queue, which is safe from power failures; its line goes to the cells when its
// bank has nothing to read, or, while writes wait for an entry, in turn with reads. A write to a
// line that has an entry uses it again; a read of one is answered from it.
//
// After psi writes to a region its bank copies one line into the region's gap before all else.
class MediaModule final : public NvdimmModule {
 public:
  MediaModule(const ModuleParameters& parameters, const MediaParameters& media, AckListener& host,
              std::uint64_t seed);

  void command(std::uint32_t tag, Address address, bool write, Tick now) override;
  // Goes to an entry of the write queue at once; the credit comes back when the entry is free
  // again, or if the line had one already, after a command's time.
  void post(Address address, const LineData& data, Tick now) override;
  // Takes a command's time only: the write queue is safe.
  void flush(std::uint32_t tag, Tick now) override;
  Tick finish(std::uint32_t tag, Tick now) override;
  std::int64_t trim(Address address, Bytes size, Tick now) override;

  void write_line(std::uint32_t tag, const LineData& data) override;
  LineBytes read_line(std::uint32_t tag) const override { return peek(commands_[tag].address); }
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
  void reset_statistics(Tick now);
  // Writes to the place that has most of them, and to all, moves included, since the beginning.
  std::uint64_t most_worn() const { return most_worn_; }
  std::uint64_t wear() const { return wear_; }
  std::uint64_t places() const { return gaps_.size() * gaps_.front().places(); }
  // Where a line is, in the numbers of MediaRecord::place.
  std::uint64_t place(std::uint64_t line) const;

 private:
  friend struct MediaFaults;  // tests break things through it

  enum class EventKind : std::uint8_t { decoded, flushed, done, credit, last = credit };
  enum class Stage : std::uint8_t { none, decoding, waiting, ready, last = ready };

  struct Command {
    Address address;
    Stage stage = Stage::none;
    bool write = false;
    std::uint32_t entry = kNoIndex;  // a ready write's
    Tick blocked{0};                 // by moves; while it waits: what its bank had moved before

    void serialize(Archive& archive) { archive(address, stage, write, entry, blocked); }
  };

  // Of the write queue. It is free while it has no line.
  struct Entry {
    std::int64_t line = kNoLine;
    std::uint32_t pins = 0;  // commands whose data are still to come
    bool dirty = false;      // holds data that the cells do not
    bool listed = false;     // in its bank's queue
    bool writing = false;

    void serialize(Archive& archive) { archive(line, pins, dirty, listed, writing); }
  };

  struct Bank {
    Ring<std::uint32_t> reads;   // tags
    Ring<std::uint32_t> writes;  // entries
    bool busy = false;
    MediaOperation operation = MediaOperation::read;
    std::uint32_t subject = 0;  // of the operation: tag, entry or region
    bool wrote = false;         // the last one that was no move
    Tick since{0};              // it is busy
    Tick moved{0};              // all moves that are over

    void serialize(Archive& archive) {
      archive(reads, writes, busy, operation, subject, wrote, since, moved);
      archive.check(moved < kNever, "a time is too long");
    }
  };

  static constexpr std::int64_t kNoLine = -1;

  static std::int64_t line_of(Address address) { return address / Address(kLineBytes.value()); }
  static Address address_of(std::uint64_t place) {
    return Address(static_cast<std::int64_t>(place) * kLineBytes.value());
  }
  std::uint32_t bank_of(std::int64_t line) const;

  void serialize_unsaved(Archive& archive);
  void check_bounds(const Archive& archive) const;

  void look_up(std::uint32_t tag, Tick now);
  bool take_entry(std::uint32_t tag, Tick now);
  std::uint32_t new_entry(std::int64_t line, Tick now);
  void ready(std::uint32_t tag, Tick now);
  void queue_write(std::uint32_t entry, Tick now);
  void begin(std::uint32_t bank, Tick now);
  void begin(std::uint32_t bank, MediaOperation operation, std::uint32_t subject, Tick now);
  Tick time_of(MediaOperation operation) const;
  MediaRecord record_of(std::uint32_t bank) const;
  void end(std::uint32_t bank, Tick now);
  void end_write(std::uint32_t entry, Tick now);
  void end_move(std::uint32_t region);
  void store(std::uint32_t entry);
  void save_rest(std::vector<PowerLane>& lanes);
  void wear_out(std::uint64_t place);
  void count_queue(Tick now);
  Tick moved(const Bank& bank, Tick now) const;

  const ModuleParameters parameters_;
  const MediaParameters media_;
  const std::uint64_t psi_;
  AckListener& host_;
  Observers<MediaObserver> observers_;
  Permutation layout_;  // of the lines of a region

  std::vector<StartGap> gaps_;  // by region, bank by bank
  std::vector<Bank> banks_;
  std::vector<Command> commands_;    // by tag
  std::vector<Entry> entries_;       // the write queue
  std::vector<std::uint32_t> free_;  // entries
  KeyMap entry_of_;                  // by line
  Ring<std::uint32_t> waiting_;      // writes, for an entry
  EventQueue<EventKind> events_;
  std::uint32_t unfinished_ = 0;
  std::uint32_t busy_ = 0;  // banks
  WearCounts worn_;
  std::uint64_t most_worn_ = 0;
  std::uint64_t wear_ = 0;
  MediaStatistics statistics_;
  PowerRecord power_;

  // Data mode only.
  std::unique_ptr<LineStore> cells_;           // by place
  std::vector<LineBytes> queued_;              // by entry
  std::map<std::int64_t, LineBytes> unsaved_;  // between power failure and recovery; by line
};

void register_media_statistics(StatisticRegistry& registry, const NvdimmModules& modules);

}  // namespace hmsim
