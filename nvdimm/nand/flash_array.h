// SPDX-License-Identifier: BSD-3-Clause
// The flash array: channels, each a bus shared by its chips; every die of a chip is a LUN, which
// runs one operation at a time.
//
//   read     command (bus, tAT), cell to register (tR), register out (bus, page / bus rate)
//   program  command and register in (bus, tAT + page / bus rate), register to cell (tPROG)
//   erase    command (bus, tAT), tBERS
//
// A LUN's only register is taken until its transfer out is over, so a LUN reads a page every
// tAT + tR + transfer. On a free bus, commands without data go first, so that cells work while data
// move; otherwise first come, first served.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/event_queue.h"
#include "core/key_map.h"
#include "core/ring.h"
#include "core/types.h"
#include "nvdimm/parameters.h"
#include "nvdimm/statistics.h"

namespace hmsim {

enum class FlashOperation : std::uint8_t { read, program, erase };

// On a LUN, first by this, then by order of submission.
enum class FlashPriority : std::uint8_t { demand, collection, eviction };

inline constexpr std::size_t kFlashPriorities = 3;

// For how long collections locked the LUNs that something waited for, and up to when.
struct GcWait {
  Tick blocked{0};
  Tick until{0};

  void add(const GcWait& other) {
    blocked += other.blocked;
    until = later(until, other.until);
  }
  // The part of one who waits since then only: exact where one collection blocked.
  Tick since(Tick begin) const {
    return until <= begin ? Tick(0) : earlier(blocked, until - begin);
  }
  void serialize(Archive& archive) { archive(blocked, until); }
};

struct FlashCommand {
  FlashOperation operation = FlashOperation::read;
  FlashPriority priority = FlashPriority::demand;
  bool transfer = true;   // false: between cells and register only (copyback)
  bool hold_bus = false;  // read: keeps the bus to its end and beyond; program: gives it back then
  std::uint32_t lun = 0;
  std::uint32_t subject = 0;  // the submitter's own cookie
  GcWait gc;                  // before its start

  void serialize(Archive& archive) {
    archive(operation, priority, transfer, hold_bus, lun, subject, gc);
  }
};

// Whoever submits commands. It may submit from within every call.
class FlashClient {
 public:
  virtual ~FlashClient() = default;
  // The command is next on its LUN. False withdraws it: its page is no longer there.
  virtual bool on_flash_start(const FlashCommand& command, Tick now) = 0;
  // The data of a program have left the buffer.
  virtual void on_flash_data_in(const FlashCommand& command, Tick now) = 0;
  virtual void on_flash_done(const FlashCommand& command, Tick now) = 0;
  // The LUN has nothing to do.
  virtual void on_flash_idle(std::uint32_t lun, Tick now) = 0;
};

class FlashArray {
 public:
  FlashArray(const NvdimmParameters& parameters, FlashClient& client, NvdimmStatistics& statistics);

  void submit(const FlashCommand& command, Tick now);

  // While a LUN is locked it starts collection commands only. Both from within on_flash_done() of a
  // command of that LUN.
  void lock(std::uint32_t lun, Tick now);
  void unlock(std::uint32_t lun, Tick now);

  // Of the lock, if it is locked, else of the last one.
  GcWait lock_of(std::uint32_t lun, Tick now) const {
    const Lun& state = luns_[lun];
    return state.locked ? GcWait{now - state.locked_since, now} : state.last_lock;
  }

  bool idle() const { return unfinished_ == 0; }
  bool idle(std::uint32_t lun) const;
  // The LUN's command, if its cells are at work.
  const FlashCommand* in_cells(std::uint32_t lun) const {
    const Lun& state = luns_[lun];
    return state.running != kNoIndex && state.phase == Phase::cell ? &running(lun) : nullptr;
  }

  std::int64_t channels() const { return nand_.channels; }
  Tick page_transfer_time() const { return transfer_time_; }

  Tick next_event() const { return events_.next_time(); }
  void advance_one();  // the next event

  // Folds the time that commands have waited at locked LUNs into the statistics.
  void account(Tick now);
  void serialize(Archive& archive);

 private:
  enum class Phase : std::uint8_t { command, cell, output };
  enum class EventKind : std::uint8_t { phase_end };

  struct Node {
    FlashCommand command;
    std::uint32_t next = kNoIndex;
    Tick locked_before{0};  // its LUN, up to the submission

    void serialize(Archive& archive) { archive(command, next, locked_before); }
  };

  struct List {
    std::uint32_t first = kNoIndex;
    std::uint32_t last = kNoIndex;

    void serialize(Archive& archive) { archive(first, last); }
  };

  struct Lun {
    std::uint32_t running = kNoIndex;  // a node
    Phase phase = Phase::command;
    bool locked = false;
    std::uint32_t waiting = 0;  // queued, and not collection
    Tick locked_for{0};         // in all, up to the last change
    Tick locked_since{0};       // if it is
    GcWait last_lock;           // before
    std::array<List, kFlashPriorities> queues;

    void serialize(Archive& archive) {
      archive(running, phase, locked, waiting, locked_for, locked_since, last_lock, queues);
    }
    Tick locked_until(Tick now) const {
      return locked_for + (locked ? now - locked_since : Tick(0));
    }
  };

  struct Channel {
    std::uint32_t owner = kNoIndex;  // the LUN that has the bus
    Ring<std::uint32_t> commands;
    Ring<std::uint32_t> transfers;

    void serialize(Archive& archive) { archive(owner, commands, transfers); }
  };

  Channel& channel_of(std::uint32_t lun) { return channels_[lun / luns_per_channel_]; }
  const FlashCommand& running(std::uint32_t lun) const {
    return nodes_[luns_[lun].running].command;
  }

  void enqueue(const FlashCommand& command, Tick now);
  std::uint32_t dequeue(Lun& lun);  // the next node to start, or none
  void start_next(std::uint32_t lun, Tick now);
  void enter(std::uint32_t lun, Phase phase, Tick now);
  void request_bus(std::uint32_t lun, Tick now);
  void take_bus(std::uint32_t lun, Tick now);
  void grant_bus(Channel& channel, Tick now);
  void finish(std::uint32_t lun, Tick now);
  Tick cell_time(FlashOperation operation) const;

  NandParameters nand_;
  Tick transfer_time_;
  std::uint32_t luns_per_channel_;
  FlashClient& client_;
  NvdimmStatistics& statistics_;
  std::vector<Node> nodes_;
  std::uint32_t free_nodes_ = kNoIndex;
  std::vector<Lun> luns_;
  std::vector<Channel> channels_;
  EventQueue<EventKind> events_;
  std::uint32_t unfinished_ = 0;
  std::uint32_t blocked_ = 0;  // commands of the host that wait at locked LUNs
  Tick blocked_since_{0};
};

}  // namespace hmsim
