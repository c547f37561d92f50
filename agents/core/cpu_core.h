// SPDX-License-Identifier: BSD-3-Clause
// Agent kind cpu_trace: an out-of-order core that runs a trace of all instructions through L1, L2
// and L3.
//
// An instruction, with its loads and stores, starts once it is dispatched and its source registers
// are written. It completes, with its registers written, one cycle later, and not before its loads
// have their data. A load has its data after L1's latency and the arrival of its line:
//   ready(i) = max(e(i) + 1 cycle, e(i) + latency of L1, arrival times of its lines)
//   e(i) = max(d(i), ready(j) of every j that wrote a register which i reads)
// A store's line is fetched in the same way, but nothing waits for it. A fill starts when an access
// that needs its line has started and its turn has come (agents/core/fill_table.h). It takes the
// latencies of L1 and of each level that it looks into, and then that of the memory.
//
// Cache contents change access by access in program order, regardless of when accesses start. The
// contents of a shared L3 change in the order in which accesses are dispatched, and agent by agent
// at equal times. Dirty lines evicted from L3 are posted when the instruction that displaced them
// is dispatched. Dispatch stops when a window of them waits outside the controller, or when a
// window of stores waits for lines. A dirty line of a shared L3 may belong to another core; it is
// posted on that core's behalf.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "agents/cache/cache_hierarchy.h"
#include "agents/cache/last_level_cache.h"
#include "agents/core/core_agent.h"
#include "agents/core/fill_table.h"
#include "agents/trace_keys.h"
#include "core/event_queue.h"
#include "core/ring.h"
#include "traces/trace_formats.h"

namespace hmsim {

class CpuCore final : public CoreAgent, private RecordSource, private LastLevelCache::User {
 public:
  explicit CpuCore(const FrontendParameters& defaults);

  void declare(ParameterSet& parameters) override;
  std::vector<ParameterError> check() const override;
  void register_statistics(StatisticRegistry& registry, const std::string& path) override;
  Tick advance(Tick now) override;
  Tick next_event() const override { return pass_.next_event(next_step()); }
  void on_taken(const Request& request, Tick now) override;

  // Steps of a pass (CorePass::advance).
  static constexpr bool kRunsAhead = true;
  Tick next_step() const { return steps_.next_time(); }
  void do_step(Tick now);
  bool fetch_record(std::int64_t& gap) override;
  bool blocked() const;
  void on_stall(Tick /*now*/) {}
  bool may_run_ahead() const;
  void dispatched(std::int64_t number, std::int64_t slot, Tick now);
  void pass_ended(std::int64_t slot, Tick now) { end_pass(slot, now); }

 private:
  static constexpr std::int64_t kUnknown = CoreWindow::kUnknown;
  using Fill = FillTable::Id;
  using Link = std::uint32_t;
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr std::uint32_t kPosted = 0xFFFFFFFF;  // tag of write-backs
  static constexpr std::size_t kMostAccesses = kMostLoads + kMostStores;
  static constexpr std::size_t kRegisters = 256;

  // Instruction in the window.
  struct Node {
    std::int64_t start = kUnknown;  // slot e(i) of the file comment
    std::int64_t operands = 0;      // slot of the latest known source register
    std::int64_t data = 0;          // slot of the latest known line
    std::int32_t unknown_operands = 0;
    std::int32_t unknown_data = 0;
    bool loads = false;
    std::uint32_t readers = kNone;  // list of the reads that wait for its registers
    std::uint32_t last_reader = kNone;
    // For each of its own reads: the next in that list.
    std::array<std::uint32_t, kMostSources> next_reader{};
    std::array<Link, kMostAccesses> links{};
    void serialize(Archive& archive) {
      archive(start, operands, data, loads);
      if (archive.loading()) {
        links.fill(kNone);
      }
    }
  };
  // Access that waits for a fill.
  struct Access {
    std::int64_t number = 0;    // of the instruction
    std::uint32_t operand = 0;  // index in `links`: loads first, then stores
    Fill fill = kNone;
    std::int64_t start = kUnknown;  // slot
    bool first = false;             // the miss that created the fill
    Link next = kNone;
    void serialize(Archive& archive) { archive(number, operand, fill, start, first); }
  };
  enum class Step : std::uint8_t { ask, send, fill, write_back, last = write_back };

  void prepare() override;
  bool seek_record(std::int64_t instructions, std::int64_t& gap) override;
  void rewind() override { source_->rewind(); }
  double source_fraction() const override { return source_->fraction(); }
  void handle_completion(const Request& request, Tick now) override;
  void serialize_state(Archive& archive) override;
  void line_arrived(std::uint32_t fill, Tick now) override;
  void start_waiting(Tick now) override;

  void serialize_accesses(Archive& archive);
  void serialize_reads(Archive& archive);

  void read_registers(std::int64_t number);
  void wait_for_register(std::int64_t writer, std::int64_t number, std::size_t source);
  void access(std::int64_t number, std::size_t operand, std::uint64_t address, Tick now);
  Link add(const Access& access);
  void attach(Link link);
  void fetch_ahead(Fill parent, Tick now);
  void refer(Fill id);
  void post(const LastLevelCache::WriteBack& left, std::int64_t slot, Tick now);
  void send_left(const LastLevelCache::WriteBack& left, Tick now);
  void start(std::int64_t number, Tick now);
  void publish_ready(Tick now);
  void plan_fill(Fill id, std::int64_t slot, Tick now);
  void ask(Fill id, Tick now);
  void start_fills(Tick now);
  void start_fill(Fill id, std::int64_t slot);
  void arrive(Fill id, Tick now);
  void access_done(Link id, std::int64_t slot);
  void schedule(std::int64_t slot, Step step, std::uint32_t payload) {
    steps_.schedule(slots().tick(slot), step, payload);
  }
  Address location(const SpaceLine& line) const;
  const Node& node(std::int64_t number) const {
    return nodes_[static_cast<std::size_t>(number) & (nodes_.size() - 1)];
  }
  Node& node(std::int64_t number) {
    return nodes_[static_cast<std::size_t>(number) & (nodes_.size() - 1)];
  }

  static constexpr std::int64_t kOwnSpace = -1;

  const RateClock& slots() const { return pass_.slots(); }

  CorePass pass_;
  TraceKeys trace_;
  CacheParameters cache_parameters_;
  CacheLevelParameters shared_l3_;  // from the configuration
  std::int64_t space_ = kOwnSpace;
  std::unique_ptr<InstructionSource> source_;
  // Slots to find a line, by the level that holds it.
  std::array<std::int64_t, kCacheLevels + 2> found_after_{};

  Instruction instruction_;                         // the next record
  std::vector<Node> nodes_;                         // by number, modulo its size
  std::array<std::int64_t, kRegisters> writers_{};  // last instruction to write each register
  Ring<std::int64_t> done_;                         // completed instructions, for publish_ready()
  std::unique_ptr<LastLevelCache> own_l3_;          // nullptr: the L3 is shared
  LastLevelCache* l3_ = nullptr;
  std::uint16_t user_ = 0;  // the core's number at the L3
  std::unique_ptr<CacheHierarchy> caches_;
  std::unique_ptr<FillTable> fills_;
  std::vector<Access> accesses_;
  std::vector<Link> unused_;  // free elements of accesses_
  EventQueue<Step> steps_;
  Ring<LastLevelCache::WriteBack> write_backs_;  // of scheduled write_back steps, in order
  std::int64_t writes_outside_ = 0;              // including write_backs_
  std::int64_t stores_waiting_ = 0;              // stores that wait for their lines
  std::array<Counter, 2> merges_{};              // of L1 and L2
};

}  // namespace hmsim
