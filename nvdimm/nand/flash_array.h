// SPDX-License-Identifier: BSD-3-Clause
// Flash array. Each channel is a bus shared by its chips. Every die of a chip is a LUN with one or
// more planes, which runs one operation at a time.
//
// An operation is a chain of stages (nand_timing.h). It owns the channel from its first latch cycle
// to its confirmation, for its data and for its status; other LUNs may use the channel while its
// cells work. On a free bus, stages without data have priority, so that cells work while data move.
// Otherwise the order is first come, first served.
//
// Without cache operations a LUN has one register, which is occupied until its transfer out ends. A
// LUN then reads one page per command + tR + transfer. With cache operations:
//   read     When a page is in the register, the LUN's next read is sent (31h). Its cells begin,
//   and
//            tCBSY later the first page is transferred. Each transfer is followed by the next read.
//            The single latch cycle of 3Fh, which ends a sequence, is not modelled.
//   program  The next page may come in tCBSY after the cells begin; it is programmed next.
//
// A multi-plane operation is up to one command per plane, all of the same kind and at the same page
// of their blocks: tDBSY between the commands, and one cell time for all. Independent reads may be
// at any pages; the longest counts. The blocks at the same
// place in all planes of a LUN form a superblock, which one command erases; without multi-plane
// operations, they are erased one after another.
//
// Flash pages of more than 4 KiB: reads of the same page share one sense (page_senses.h).
//
// Suspension: a read that the host waits for suspends a program or erase, unless the cells would be
// done sooner. The LUN then serves only such reads and resumes when none is left. suspend_time and
// resume_time include the latch cycles of suspending and resuming.
//
// A program or an erase may fail, and a read may be repeated (tR again): cell_failures.h. Error
// correction follows a read and occupies neither the LUN nor the channel.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/event_lanes.h"
#include "core/key_map.h"
#include "core/observers.h"
#include "core/pool.h"
#include "core/ring.h"
#include "core/slot_list.h"
#include "core/types.h"
#include "nvdimm/nand/bus_hold.h"
#include "nvdimm/nand/cell_failures.h"
#include "nvdimm/nand/flash_geometry.h"
#include "nvdimm/nand/flash_node.h"
#include "nvdimm/nand/flash_observer.h"
#include "nvdimm/nand/flash_requester.h"
#include "nvdimm/nand/lun_locks.h"
#include "nvdimm/nand/nand_statistics.h"
#include "nvdimm/nand/nand_timing.h"
#include "nvdimm/nand/page_senses.h"
#include "nvdimm/nand/programmed_pages.h"

namespace hmsim {

class SlotClaims;

// State of a superblock's cells.
struct CellState {
  std::uint32_t erases = 0;  // so far
  bool one_bit = false;      // in one-bit mode (nvdimm.nand.slc_blocks)
};

// The module that owns the array.
class FlashClient {
 public:
  virtual ~FlashClient() = default;
  virtual CellState cell_state(PhysicalPage place) const = 0;
  // Returns the number of bad superblocks.
  virtual std::uint64_t bad_superblocks() const { return 0; }
  // Returns the current time, at which statistics are read.
  virtual Tick now() const = 0;
  // Handles a command that is done and whose requester was notified.
  virtual void on_flash_served(const FlashCommand& /*command*/, Tick /*now*/) {}
  // Called when the LUN becomes idle.
  virtual void on_flash_idle(std::uint32_t /*lun*/, Tick /*now*/) {}
  // Called when the LUN is busy but takes_program().
  virtual void on_flash_room(std::uint32_t /*lun*/, Tick /*now*/) {}
};

// Which operations may be suspended, the times that this takes, and the limit of overtaking reads.
struct SuspendRules {
  SuspendMode mode;
  Tick suspend_time;
  Tick resume_time;
  std::uint32_t limit;
};

class FlashArray {
 public:
  // `superblocks`: number over all LUNs. `seed`: of the variation from page to page, a separate one
  // for each array.
  FlashArray(const NandParameters& nand, std::int64_t superblocks, FlashClient& client,
             std::uint64_t seed = 0);

  ProgrammedPages& programmed() { return programmed_; }
  // Reports the programmed pages to the observer, then every stage. It must outlive the array.
  void add_observer(FlashObserver& observer);
  const Observers<FlashObserver>& observers() const { return observers_; }

  // Before any command: registers a requester, which must outlive the array's commands. Checkpoints
  // identify requesters by the order of registration.
  void attach(FlashRequester& requester) { requesters_.push_back(&requester); }
  void submit(const FlashCommand& command, Tick now);
  // Calls submit(), which submits commands to the LUN. Those to different planes may run as one.
  template <class Submit>
  void together(std::uint32_t lun, Tick now, Submit submit) {
    const bool outer = std::exchange(luns_[lun].reporting, true);
    submit();
    luns_[lun].reporting = outer;
    if (!outer) {
      proceed(lun, now);
    }
  }

  // A locked LUN starts only collection commands, or reads while one of these is suspended. Lock
  // and unlock a LUN only from within on_flash_done() of one of its commands.
  LunLocks& locks() { return locks_; }

  bool idle() const { return nodes_.used() == 0; }
  bool idle(std::uint32_t lun) const {
    return empty(luns_[lun]) && !luns_[lun].reporting && locks_.is_free(lun);
  }
  // Returns whether a program submitted now would overlap with the LUN's work: its data can come in
  // meanwhile (cache), or it can be combined with a waiting program (multi-plane). `programs`: also
  // whether the LUN's operation is a program.
  bool takes_program(std::uint32_t lun, bool programs = false) const;

  // Calls visit(command, place, begun, first) for each command of the LUN that is confirmed and not
  // done. begun: its cells have begun. first: it is the first plane of its operation.
  template <class Visit>
  void in_flight(std::uint32_t lun, Visit visit) const {
    const Lun& state = luns_[lun];
    for (const std::uint32_t first : {state.array, state.suspended, state.pending}) {
      for (std::uint32_t i = first; i != kNoIndex; i = nodes_[i].next) {
        visit(nodes_[i].command, nodes_[i].place, first != state.pending, i == first);
      }
    }
  }

  std::int64_t luns() const { return static_cast<std::int64_t>(luns_.size()); }
  std::int64_t channels() const { return static_cast<std::int64_t>(channels_.size()); }
  const NandTiming& timing() const { return timing_; }
  std::uint32_t planes() const { return at_.planes; }

  Tick next_event() const { return events_.next_time(); }
  void advance(Tick limit);  // processes all events up to `limit`

  NandStatistics& statistics() { return statistics_; }
  const NandStatistics& statistics() const { return statistics_; }
  void reset_statistics(Tick now);
  Tick now() const { return client_.now(); }
  std::uint64_t bad_blocks() const { return client_.bad_superblocks() * at_.planes; }
  NandEnergy energy() const { return nand_energy(energy_, luns(), statistics_, now()); }

  void serialize(Archive& archive);

 private:
  using O = FlashOperation;
  enum class Phase : std::uint8_t { command, plane_gap, output_gap, output, status, last = status };
  enum class EventKind : std::uint8_t { io_end, cells_end, ready, decoded, last = decoded };

  struct Channel {
    std::uint32_t owner = kNoIndex;  // LUN that has the bus
    BusHold hold;
    Ring<std::uint32_t> commands;
    Ring<std::uint32_t> transfers;

    void serialize(Archive& archive) { archive(owner, hold, commands, transfers); }
  };

  // State of a LUN. Operations are identified by the node of their first plane. An operation passes
  // through io (its commands), pending (confirmed, waiting for the cells), array, held (data or
  // status to be fetched) and io again.
  struct alignas(64) Lun {
    Channel* channel = nullptr;  // not saved
    std::uint32_t io = kNoIndex;
    std::uint32_t plane = kNoIndex;  // of io: the node being sent
    std::uint32_t repeats = 0;       // of io: remaining commands of an erase
    Phase phase = Phase::command;    // of io
    bool reporting = false;  // within calls of requester and client; never set between events
    bool counted = false;    // counted in the statistics as busy
    std::uint32_t pending = kNoIndex;
    std::uint32_t array = kNoIndex;
    std::uint32_t suspended = kNoIndex;
    SlotChain held;  // linked by FlashNode::behind
    Tick array_end{0};
    Tick remaining{0};    // cell time that the suspended operation has left
    Tick ready{0};        // earliest time of a cache command, or of a read of a suspended LUN
    Tick asked{0};        // when it began to wait for the bus
    Tick held_before{0};  // total hold time of its channel when it began to wait for the bus
    std::array<SlotChain, kFlashPriorities> queues;  // linked by FlashNode::next

    void serialize(Archive& archive) {
      archive(io, plane, repeats, phase, counted, pending, array, suspended, array_end, remaining,
              ready, asked, held_before);
      archive.check(remaining < kNever, "time of a LUN too long");
    }
  };

  // Lanes of events_. The events of a lane are usually scheduled one constant time ahead.
  static constexpr std::size_t kReadsLane = 0;     // ends of reads in the cells
  static constexpr std::size_t kDecodedLane = 1;   // ends of error correction
  static constexpr std::size_t kCommandsLane = 2;  // ends of reads' commands
  static constexpr std::size_t kOutputsLane = 3;   // ends of transfers out
  using Events = EventLanes<EventKind, 4>;

  void connect_luns();  // to their channels

  // Queues and starts.
  void enqueue(std::uint32_t node, Tick now);
  bool requester_starts(std::uint32_t node, Tick now);
  SlotChain* next_queue(std::uint32_t lun);  // queue whose first command starts next, or nullptr
  std::uint32_t take(std::uint32_t lun, SlotChain& queue, std::uint32_t previous, Tick now);
  // Starts, overlaps, suspends or resumes operations of the LUN, as its state allows. Then offers
  // its remaining room for programs to the client.
  void proceed(std::uint32_t lun, Tick now) {
    const Lun& state = luns_[lun];
    // One operation is in the cells and the next one waits for them.
    const bool full = state.pending != kNoIndex && state.held.empty() && !multi_plane_;
    if (state.io == kNoIndex && !state.reporting && !full) {
      proceed_without_io(lun, now);
    }
  }
  void proceed_without_io(std::uint32_t lun, Tick now);
  bool start_next(std::uint32_t lun, Tick now);
  bool start(std::uint32_t lun, SlotChain& queue, Tick now);
  void start_along(std::uint32_t node, Tick now);
  void start_sharers(std::uint32_t sharer, std::uint32_t node, Tick now);
  void join_planes(std::uint32_t lun, SlotChain& queue, Tick now);
  bool joins(std::uint32_t first, PhysicalPage place) const;
  void begin(std::uint32_t node, Tick now);
  static bool empty(const Lun& state) {
    return state.io == kNoIndex && state.pending == kNoIndex && state.array == kNoIndex &&
           state.suspended == kNoIndex && state.held.empty();
  }
  SlotChain* overlapping_queue(std::uint32_t lun, std::uint32_t with);
  bool start_overlapping(std::uint32_t lun, std::uint32_t with, Tick now);

  // Stages.
  void process(const Events::Event& event);
  void ask_bus(std::uint32_t lun, Tick now);
  void take_bus(std::uint32_t lun, Tick now);
  void use_bus(std::uint32_t lun, Tick now);
  Tick tenure(const Lun& state) const;
  void count_wait(const Lun& state, Tick now);
  void grant_bus(Channel& channel, Tick now);
  void end_io(std::uint32_t lun, Tick now);
  void end_command(std::uint32_t lun, Tick now);
  void end_output(std::uint32_t lun, Tick now);
  void enter_cells(std::uint32_t lun, std::uint32_t node, Tick now);
  Tick read_time(PhysicalPage place);
  Tick cell_time(std::uint32_t node);
  void count_cells(std::uint32_t node, Tick duration);
  void fail(std::uint32_t node, Tick now);
  void end_cells(std::uint32_t lun, Tick now);
  void fetch(std::uint32_t lun, Tick now);
  void leave(std::uint32_t lun, Tick now);
  void report(std::uint32_t lun, std::uint32_t node, Tick now);
  void report_all(std::uint32_t lun, std::uint32_t first, Tick now);
  bool may_suspend(std::uint32_t lun, Tick now);
  bool may_overtake(std::uint32_t lun, std::uint32_t operation);
  void suspend(std::uint32_t lun, Tick now);
  void serve_suspended(std::uint32_t lun, Tick now);
  void serialize_requesters(Archive& archive);
  void check_loaded(const Archive& archive, SlotClaims& nodes);
  void observe(std::uint32_t node, FlashStage stage, Tick start, Tick end, bool more = false);
  // Reports the stage of all planes of an operation.
  void observe_planes(std::uint32_t first, FlashStage stage, Tick start, Tick end) {
    for (std::uint32_t i = observers_.any() ? first : kNoIndex; i != kNoIndex; i = nodes_[i].next) {
      observe(i, stage, start, end);
    }
  }

  const NandTiming timing_;
  const FlashGeometry at_;
  const bool multi_plane_;
  const bool independent_reads_;
  const bool cache_;
  const bool slc_;
  const Tick plane_busy_;
  const Tick cache_busy_;
  const SuspendRules suspend_;
  const Tick ecc_time_;
  Firmware firmware_;
  const NandEnergyParameters energy_;
  FlashClient& client_;
  NandStatistics statistics_;
  Observers<FlashObserver> observers_;
  std::vector<FlashRequester*> requesters_;
  Pool<FlashNode> nodes_;  // unfinished commands
  PageSenses senses_;
  std::vector<Lun> luns_;
  std::vector<Channel> channels_;
  ProgrammedPages programmed_;
  LunLocks locks_;
  CellFailures failures_;
  Events events_;
};

}  // namespace hmsim
