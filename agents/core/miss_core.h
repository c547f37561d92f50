// SPDX-License-Identifier: BSD-3-Clause
// Out-of-order core over its last-level cache misses. The agent that owns it supplies a source of
// misses: a trace, or a thread of a job.
//
// A load is ready in the first whole slot at or after the arrival of its data, and one cycle after
// its dispatch at the earliest. A dependent load is dispatched like any other, but sent only when
// the load before it has its data. With `mshrs`, loads beyond that number wait in order of
// readiness. If the core has a stream prefetcher, each load looks there before it is sent. Writes
// are posted: they delay nothing, except that dispatch stops while a window of them waits outside
// the controller. Non-temporal writes are posted as well; fences (page_fences.h) may wait for them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "agents/agent.h"
#include "agents/core/core_paging.h"
#include "agents/core/core_pass.h"
#include "agents/core/load_queue.h"
#include "agents/core/page_fences.h"
#include "agents/core/stream_prefetcher.h"
#include "traces/trace_formats.h"

namespace hmsim {

class MissCore final : public RecordSource {
 public:
  struct Settings {
    explicit Settings(const FrontendParameters& defaults)
        : persistence(defaults.node.persistence), mshrs(defaults.core.mshrs) {}

    Persistence persistence;
    std::int64_t mshrs;
    bool page_fences = false;
    bool paged = false;
    PrefetchParameters prefetch{};  // enabled if its degree is above 0

    void declare(ParameterSet& parameters);  // only mshrs and paged
  };
  // Placement of the source's addresses: `offset` is added to the addresses of each memory, and
  // DRAM addresses are then translated as those of `space`.
  struct AddressSpace {
    std::uint16_t space = 0;
    std::array<std::uint64_t, kMemoryClasses> offset{};
  };
  // Agent that owns the core.
  class Owner {
   public:
    virtual ~Owner() = default;
    // Called when the whole pass is retired, in `slot`.
    virtual void pass_ended(std::int64_t slot, Tick now) = 0;
    // Called when the fetched record is dispatched (CorePass::advance), before it has any effect.
    virtual void dispatched(std::int64_t /*number*/, std::int64_t /*slot*/) {}
    // Called when the core, which has a prefetcher, stores to a line. No core that shares the
    // memory may keep a prefetched copy of it.
    virtual void stored(MemoryClass memory, Address address) = 0;
  };

  // The link and the owner must outlive the core.
  MissCore(const AgentLink& link, Owner& owner) : link_(link), owner_(owner) {}
  MissCore(const MissCore&) = delete;
  MissCore& operator=(const MissCore&) = delete;

  // Opens the core; called once, when the link is ready and the pass is open. Throws InputError.
  void open(const Settings& settings, const AddressSpace& space,
            std::unique_ptr<MissSource> source);
  void set_space(const AddressSpace& space) { space_ = space; }

  CorePass& pass() { return pass_; }

  Tick next_event() const { return pass_.next_event(next_step()); }
  Tick advance(Tick now);
  void on_taken(const Request& request, Tick now);
  void on_admit(const Request& request, Tick now);
  void on_complete(const Request& request, Tick now);
  void register_statistics(StatisticRegistry& registry, const std::string& path);
  void serialize(Archive& archive);

  // As Agent::each_page_read(), which consumes the source. The core must not be used for anything
  // else.
  void each_page_read(bool to_limit, const PageVisitor& visit);
  // Drops the prefetched copy of a line, if there is one. Call after a store to the line.
  void give_up_copy(MemoryClass memory, Address address);
  double source_fraction() const { return source_->fraction(); }

  // The fetched record: its instructions, and whether a fence precedes it.
  std::int64_t gap() const { return miss_.gap; }
  bool fence_is_due() const { return fences_.due_before(miss_); }

  // Steps of a pass (CorePass::advance).
  static constexpr bool kRunsAhead = false;
  Tick next_step() const { return loads_.next_step(); }
  void do_step(Tick now);
  bool fetch_record(std::int64_t& gap) override;
  bool seek_record(std::int64_t instructions, std::int64_t& gap) override;
  void rewind() override;
  bool blocked() const;
  void on_stall(Tick now);
  void dispatched(std::int64_t number, std::int64_t slot, Tick now);
  void pass_ended(std::int64_t slot, Tick now) { owner_.pass_ended(slot, now); }

 private:
  static constexpr std::int64_t kUnknown = CoreWindow::kUnknown;

  void page_came(Tick now);
  void reached(Persistence where, const Request& write, Tick now);
  void end_stall(Tick now);
  void dispatch_write(Tick now);
  void send_load(std::uint32_t index, Tick now);
  bool prefetched(std::uint32_t index, Address line, Tick now);
  void line_arrived(const Request& request, Tick now);
  bool data_came(std::uint32_t index, Tick now);
  Address location(MemoryClass memory, std::uint64_t address) const;

  const AgentLink& link_;
  Owner& owner_;
  CorePass pass_;
  std::int64_t most_writes_ = 0;                // limit of writes that wait outside the controller
  ApplicationObserver* application_ = nullptr;  // nullptr: none
  std::unique_ptr<StreamPrefetcher> prefetcher_;  // nullptr: no prefetcher
  std::unique_ptr<CorePaging> paging_;            // nullptr: its memory is not paged
  std::unique_ptr<MissSource> source_;
  std::uint64_t nvdimm_bytes_ = 0;  // capacity of the system's NVDIMM; 0: no NVDIMM
  AddressSpace space_;
  Miss miss_;  // the next record
  PageFences fences_;
  LoadQueue loads_;
  std::int64_t writes_outside_ = 0;
};

}  // namespace hmsim
