// SPDX-License-Identifier: BSD-3-Clause
// The memory controller of one channel. It wakes on clock edges only when something can happen;
// within an edge: completions and acks, refresh, admission, selection, issue.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "controller/address_map.h"
#include "controller/bank_queue.h"
#include "controller/channel_statistics.h"
#include "controller/command_observer.h"
#include "controller/line_order.h"
#include "controller/system_config.h"
#include "controller/transaction.h"
#include "core/kernel.h"
#include "core/ring.h"
#include "dram/timing_engine.h"
#include "nvdimm/nvdimm.h"
#include "policies/policy.h"

namespace hmsim {

class Channel final : public Component, public AckListener {
 public:
  Channel(const SystemConfig& config, int index, std::uint64_t seed);

  // Attaches the NVDIMM, then the channel. `requesters` is indexed by Request::agent.
  void attach(Kernel& kernel, const std::vector<Requester*>& requesters);

  // Takes a request that lies on this channel; it waits outside while its queue is full.
  void send(const Request& request, Tick now);
  bool would_wait(MemoryClass memory) const;
  bool idle() const;

  void set_observer(CommandObserver* observer) { observer_ = observer; }
  Nvdimm* nvdimm() { return nvdimm_.get(); }
  ChannelStatistics& statistics() { return statistics_; }
  Cycle elapsed() const;  // since statistics were reset
  Tick clock_period() const { return period_; }
  std::int64_t burst_cycles() const { return dram_.timing.burst; }
  Tick now() const { return kernel_->now(); }
  Cycle last_edge() const { return edge_; }  // the last one that was processed
  void reset_statistics(Tick now);

  Tick next_event() const override { return wake_ == kNeverCycle ? kNever : time_of(wake_); }
  void advance(Tick now) override;
  void serialize(Archive& archive) override;

 private:
  // A transaction queue: its slots, and the line of those that wait outside.
  struct Queue {
    std::int64_t free_slots = 0;
    Ring<Request> line;
    void serialize(Archive& archive) { archive & free_slots & line; }
  };
  // A DRAM bank. Mixed writes use the first list for both; drained ones [reads, writes].
  struct Bank {
    std::array<BankQueue, 2> queued;
    std::int64_t open_row = kNoRow;
    void serialize(Archive& archive) { archive & queued & open_row; }
  };
  // A pseudo-bank of the NVDIMM: commands to be sent, and acknowledged ones.
  struct PseudoBank {
    BankQueue queued;
    BankQueue ready;
    std::int64_t last_page = kNoRow;
    void serialize(Archive& archive) { archive & queued & ready & last_page; }
  };
  struct Finish {
    Cycle cycle{0};
    TransactionId id = kNoTransaction;
    void serialize(Archive& archive) { archive & cycle & id; }
  };
  struct Best {
    TransactionId id = kNoTransaction;
    std::uint64_t key = 0;
    Command command = Command::activate;
  };
  // What could be issued on an edge, and the earliest later edge at which more could.
  struct Candidates {
    std::array<Best, kMemoryClasses> data;  // best legal data-bus command of each class
    std::array<Best, kMemoryClasses> near;  // best one that waits for the bus's turnaround only
    TransactionId oldest = kNoTransaction;  // oldest of the other commands
    Command oldest_command = Command::activate;
    Cycle next = kNeverCycle;

    bool any() const {
      return data[0].id != kNoTransaction || data[1].id != kNoTransaction ||
             oldest != kNoTransaction;
    }
  };

  static constexpr int kNobody = -1;

  // The phases of an edge.
  void complete();
  void deliver_ack();
  void refresh();
  void admit();
  void stage();
  void update_schedulers();
  void update_drain();
  void issue();
  Cycle next_wake();

  void admit(const Request& request);
  void order_line(TransactionId id);
  void expedite(TransactionId id);
  void compete(TransactionId id);
  void deactivate(std::size_t bank);  // nothing is queued for it any more
  void leave_line(Transaction& transaction, TransactionId id);
  void rebuild_keys(TransactionScheduler& scheduler);
  void set_keys(Transaction& transaction);

  void consider_dram(Cycle edge, Candidates& candidates);
  void consider_nvdimm(Cycle edge, Candidates& candidates);
  void consider_data(Best& best, TransactionId id, std::uint64_t key, Command command) const;
  void consider_other(Candidates& candidates, TransactionId id, Command command) const;
  Cycle next_ack(Cycle edge) const;
  Cycle next_refresh(Cycle edge) const;
  const Best* select(const Candidates& candidates);
  MemoryClass arbitrate(const Best& dram, const Best& nvdimm);

  void issue_data(TransactionId id, Command command);
  void issue_other(TransactionId id, Command command);
  bool may_start(const Transaction& transaction) const;
  void start(Transaction& transaction);
  void account_burst(const Transaction& transaction);
  void precharge(int bank, std::int64_t request);
  void record(ChannelCommand command, int rank, int bank, std::int64_t row, std::int64_t request);

  void on_ack(std::uint32_t tag, Tick now) override;

  Tick time_of(Cycle cycle) const { return Tick(cycle.value() * period_.value()); }
  Cycle edge_from(Tick time) const;  // the first edge at or after `time` still to be processed
  void wake_by(Cycle edge) { wake_ = earlier(wake_, edge); }
  void count(MemoryClass memory, int change);
  RequestView view(const Transaction& transaction) const;
  // The NVDIMM has a queue and a scheduler of its own in split mode only.
  std::size_t owner_of(MemoryClass memory) const {
    return split_ && memory == MemoryClass::nvdimm ? 1 : 0;
  }
  TransactionScheduler& scheduler_of(MemoryClass memory) const {
    return *schedulers_[owner_of(memory)];
  }
  Queue& queue_of(MemoryClass memory) { return queues_[owner_of(memory)]; }
  int rank_of(std::size_t bank) const { return static_cast<int>(bank) / banks_per_rank_; }
  bool is_nvdimm(const Transaction& transaction) const {
    return transaction.request.memory == MemoryClass::nvdimm;
  }
  std::size_t side_of(const Transaction& transaction) const {
    return drained_ && transaction.request.write && !is_nvdimm(transaction) && !transaction.urgent
               ? 1
               : 0;
  }
  std::size_t eligible_side() const { return draining_ ? 1 : 0; }

  // Fixed.
  const ControllerParameters controller_;
  const DramParameters dram_;
  const AddressMap map_;
  const int index_;
  const Tick period_;
  const int banks_per_rank_;
  const int nvdimm_rank_;  // the rank after the last
  const bool split_;
  const bool two_level_;
  const bool drained_;
  const Cycle turnaround_;  // the longest gap that a change of the data bus's driver needs
  std::unique_ptr<Nvdimm> nvdimm_;
  std::array<std::unique_ptr<TransactionScheduler>, kMemoryClasses> schedulers_;
  std::unique_ptr<BusArbiter> arbiter_;
  const std::vector<Requester*>* requesters_ = nullptr;
  Kernel* kernel_ = nullptr;
  Wakeup wakeup_;
  CommandObserver* observer_ = nullptr;

  // State.
  TimingEngine engine_;
  TransactionPool pool_;
  std::array<Queue, kMemoryClasses> queues_;
  LineOrder line_order_;
  std::vector<Bank> banks_;
  std::vector<std::size_t> active_banks_;  // those with something queued
  std::vector<bool> active_;
  std::vector<PseudoBank> pseudo_banks_;
  std::array<std::uint64_t, kMemoryClasses> epochs_{};
  Ring<Finish> finishes_;                  // in order of data on the bus
  Ring<std::uint32_t> acks_;               // raised, not yet returned over the address lines
  std::vector<TransactionId> staged_;      // two_level: in order of arrival
  std::vector<std::int64_t> command_queue_free_;  // per rank, the NVDIMM's last
  std::vector<Cycle> refresh_due_;         // per rank
  std::vector<int> open_banks_;            // per rank
  std::array<std::int64_t, kMemoryClasses> pending_{};  // slots held, by class
  std::int64_t outstanding_ = 0;           // NVDIMM commands without ack
  std::int64_t queued_reads_ = 0;          // drained: DRAM, competing
  std::int64_t queued_writes_ = 0;
  bool draining_ = false;
  int promised_ = kNobody;                 // the class that is to have the data bus next
  bool command_bus_taken_ = false;         // on the present edge
  bool advancing_ = false;                 // admission of the present edge is still to come
  Cycle edge_{-1};                         // the last processed one
  Cycle wake_ = kNeverCycle;
  int last_driver_ = -1;                   // of the data bus: rank x 2 + write
  Tick measured_from_{0};
  ChannelStatistics statistics_;
};

}  // namespace hmsim
