// SPDX-License-Identifier: BSD-3-Clause
// An out-of-order core over the misses of its last-level cache.
//
// A load is ready when its data are there, in the next whole slot, and one cycle after its dispatch
// at the earliest. A dependent load is dispatched as any other, but sent only when the load before
// it has its data. With `mshrs`, loads beyond that number wait in order of readiness. A core may
// have a stream prefetcher, which is asked first whenever a load is to be sent. Writes are
// posted: they delay nothing, but that at most a window of them may wait outside the controller;
// then dispatch stops.
//
// Non-temporal writes are posted too. With fences by page, a run of those to one 4 KB page is
// closed by a fence: behind its last line, or else before the next one to another page. Dispatch
// stops there until all non-temporal writes are safe: accepted by the controller, or, where that is
// not enough for lines of the NVDIMM (Persistence), done.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "agents/core/core_agent.h"
#include "agents/core/core_paging.h"
#include "agents/core/stream_prefetcher.h"
#include "core/event_queue.h"
#include "core/ring.h"
#include "traces/trace_formats.h"

namespace hmsim {

class MissCore : public CoreAgent {
 public:
  // Where the addresses of its source lie: added to those of each memory, whose lines of DRAM are
  // then translated as those of `space`.
  struct AddressSpace {
    std::uint16_t space = 0;
    std::array<std::uint64_t, kMemoryClasses> offset{};
  };

  explicit MissCore(const FrontendParameters& defaults)
      : CoreAgent(defaults), persistence_(defaults.node.persistence), mshrs_(defaults.core.mshrs) {}

  void declare(ParameterSet& parameters) override;
  Tick advance(Tick now) final;
  void on_admit(const Request& request, Tick now) override;
  void register_statistics(StatisticRegistry& registry, const std::string& path) override;
  void each_page_read(bool to_limit, const PageVisitor& visit) override;
  // Somebody stores to the line: a copy that was read ahead of the core's loads is old.
  void give_up_copy(MemoryClass memory, Address address);

 protected:
  virtual std::unique_ptr<MissSource> open_source() = 0;

  void set_mshrs(std::int64_t mshrs) { mshrs_ = mshrs; }
  void set_prefetcher(const PrefetchParameters& parameters);
  void set_space(const AddressSpace& space) { space_ = space; }

  void open() override;
  // The core, which has a prefetcher, stores to the line.
  virtual void stored(MemoryClass memory, Address address) { give_up_copy(memory, address); }
  bool fetch_record(std::int64_t& gap) final;
  void rewind() override;
  void dispatched(std::int64_t number, std::int64_t slot, Tick now) override;
  void serialize_core(Archive& archive) override;

  // Of the record fetched: whether a fence stands before it; instructions from the record before.
  bool fence_is_due() const;
  std::int64_t gap() const { return miss_.gap; }

  bool page_fences_ = false;

 private:
  friend class CoreAgent;  // advance_as()

  // A load between dispatch and its leaving the window.
  struct Load {
    std::uint64_t address = 0;  // as in the source
    MemoryClass memory = MemoryClass::dram;
    std::int64_t waiter = 0;  // number of the load that waits for this one, or kUnknown
    void serialize(Archive& archive);
  };
  // A step is what happens to a load at a later time.
  enum class Step : std::uint8_t { send_when_free, send_reserved, last = send_reserved };

  bool seek_record(std::int64_t instructions, std::int64_t& gap) override;
  double source_fraction() const override { return source_->fraction(); }
  bool blocked() const final;
  void stood_still(Tick now) override;
  void page_came(Tick now);
  Tick next_step() const final { return steps_.next_time(); }
  void do_step(Tick now) final;
  void handle_completion(const Request& request, Tick now) override;

  // Where a fence no longer waits for the write.
  Persistence safe_at(const Request& write) const;
  void reached(Persistence where, const Request& write, Tick now);
  void dispatch_write(Tick now);
  void dispatch_load(std::int64_t number, std::int64_t slot, Tick now);
  void issue(std::uint32_t index, Tick now);
  void send_load(std::uint32_t index, Tick now);
  bool prefetched(std::uint32_t index, Address line, Tick now);
  bool data_came(std::uint32_t index, Tick now);
  static std::int64_t page_of_write(const Miss& miss);
  Address location(MemoryClass memory, std::uint64_t address) const;
  std::uint32_t index_of(std::int64_t number) const {
    return static_cast<std::uint32_t>(place_of(number));
  }

  Persistence persistence_;
  std::int64_t mshrs_;
  std::unique_ptr<StreamPrefetcher> prefetcher_;  // nullptr: it has none
  bool paged_ = false;
  std::unique_ptr<CorePaging> paging_;  // nullptr: all its memory is there
  std::unique_ptr<MissSource> source_;
  std::uint64_t nvdimm_bytes_ = 0;  // of the system; 0: it has no NVDIMM
  AddressSpace space_;
  Miss miss_;  // the next record

  std::vector<Load> loads_;            // by number, modulo the capacity
  std::int64_t last_load_ = kUnknown;  // number of the load dispatched last
  std::int64_t last_load_ready_ = 0;   // slot, once known
  EventQueue<Step> steps_;             // payload: a load's index in loads_
  Ring<std::uint32_t> waiting_;        // loads that wait for an MSHR, likewise
  std::int64_t loads_in_flight_ = 0;
  std::int64_t writes_outside_ = 0;
  std::int64_t unsafe_ = 0;                  // non-temporal writes that a fence waits for
  std::optional<std::int64_t> copied_page_;  // of a run of non-temporal writes that is not closed
  bool fence_ = false;                       // stands before the next record
  Counter fences_ = 0;
};

}  // namespace hmsim
