// SPDX-License-Identifier: BSD-3-Clause
// The memory controller of one channel. It wakes on clock edges only when something can happen;
// within an edge: completions and acks, refresh, admission, selection, issue.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "controller/address_map.h"
#include "controller/accounts/bus_accounting.h"
#include "controller/channel/candidates.h"
#include "controller/accounts/channel_statistics.h"
#include "controller/accounts/command_observer.h"
#include "controller/channel/finish_queue.h"
#include "controller/channel/flush_barrier.h"
#include "controller/accounts/latency_split.h"
#include "controller/channel/line_order.h"
#include "controller/memory_channel.h"
#include "controller/channel/native_banks.h"
#include "controller/channel/nvdimm_endpoint.h"
#include "controller/channel/page_control.h"
#include "controller/channel/power_control.h"
#include "controller/channel/refresh.h"
#include "controller/accounts/request_observer.h"
#include "controller/channel/starvation_guard.h"
#include "controller/system_config.h"
#include "controller/channel/transaction.h"
#include "controller/channel/write_credits.h"
#include "controller/channel/write_drain.h"
#include "core/kernel.h"
#include "core/ring.h"
#include "dram/energy.h"
#include "dram/timing_model.h"
#include "nvdimm/module.h"
#include "policies/policy.h"

namespace hmsim {

class Channel final : public MemoryChannel, public AckListener {
 public:
  // `rules`: in place of the part's own timing rules.
  Channel(const SystemConfig& config, int index, std::uint64_t seed,
          const std::vector<TimingRule>* rules = nullptr);

  // `requesters` is indexed by Request::agent.
  void attach(Kernel& kernel, const std::vector<Requester*>& requesters,
              const SourceProgress& progress) override;

  void send(const Request& request, Tick now) override;
  bool would_wait(MemoryClass memory) const override;
  bool idle() const override;
  void list_outstanding(std::vector<Requester::Outstanding>& requests) const override;

  void set_observer(CommandObserver* observer) override { observer_ = observer; }
  void set_request_observer(RequestObserver* observer) override { request_observer_ = observer; }
  NvdimmModule* nvdimm() override { return nvdimm_.get(); }
  ChannelStatistics& statistics() override { return statistics_; }
  std::array<TransactionScheduler*, kMemoryClasses> schedulers() override {
    return {schedulers_[0].get(), schedulers_[1].get()};
  }
  std::vector<PolicyCounter> arbiter_counters() override { return arbiter_->counters(); }
  const BusAccounting& bus() const { return bus_; }
  const BusAccounting* accounting() const override { return &bus_; }
  LatencySplit* latency_split() override { return &latency_; }
  const EnergyMeter* energy() const override { return &energy_; }
  Cycle elapsed() const override;
  Tick clock_period() const override { return period_; }
  std::int64_t burst_cycles() const override { return dram_.timing.burst; }
  Tick now() const override { return kernel_->now(); }
  Cycle last_edge() const { return edge_; }  // the last one that was processed
  void reset_statistics(Tick now) override;

  Tick next_event() const override { return earlier(wake_time_, nvdimm_due_); }
  Tick advance(Tick now) override;
  Tick catch_up(Tick time) override;
  void serialize(Archive& archive) override;

 private:
  // A transaction queue: its slots, and the line of those that wait outside.
  struct Queue {
    std::int64_t free_slots = 0;
    Ring<Request> line;
    bool may_admit() const { return free_slots > 0 && !line.empty(); }
  };
  static constexpr int kNobody = -1;
  // What edges have beyond completions, acks, refresh, admission, selection and issue.
  enum class Phases : std::uint8_t {
    plain,  // nothing
    keyed,  // schedulers whose keys change, and limits of waiting
    all,    // any of these, and two-level queues, drained writes, posted writes, elastic refresh,
            // page policies or power modes
  };

  ChannelShape shape(const NvdimmParameters& nvdimm) const;

  // An edge, and its phases.
  template <class Banks>
  Tick go_on(Banks& banks, Tick now);
  bool meet_nvdimm(Tick& now);
  bool begin_edge();
  bool begin_edge(Phases phases);
  bool begin_special_edge();
  void find_calm(Phases phases);
  // The first edge that is not calm: a limit of waiting moves away when a transaction is issued.
  Cycle calm_end(Phases phases) const {
    return phases == Phases::keyed ? earlier(calm_until_, guard_.next()) : calm_until_;
  }
  bool rest();
  bool put_off(Cycle from);
  [[gnu::noinline]] void rouse(Cycle end);
  [[gnu::noinline]] void rouse_for_ack(std::uint32_t tag, Tick now);
  template <class Banks>
  void refresh_at_rest(Banks& banks, Cycle end);
  template <class Banks>
  void refresh_rank(Banks& banks, int rank, Cycle end);
  void answer(Phases phases);
  void prepare();
  void renew_keys();
  void complete(Phases phases);
  void deliver_ack();
  void refresh();
  void admit();
  void admit_all(Phases phases);
  void wake();
  void stage();
  void limit_waiting();
  void hasten_overdue();
  void update_schedulers();
  void change_schedulers();
  void update_drain();
  void admit_first();
  bool reach(Cycle legal, Tick limit);
  bool issue_lone(Transaction& transaction);
  void complete_lone(Tick limit);
  template <class Banks>
  void issue_in_calm(Banks& banks, Phases phases);
  template <class Banks>
  [[gnu::noinline]] void issue_in_keyed_calm(Banks& banks);
  template <class Banks>
  void issue_dram(Banks& banks, Phases phases);
  void issue();
  void issue_either();
  void issue_nvdimm();
  template <class Banks>
  void end_calm_edge(Banks& banks);
  template <class Banks>
  void end_begun_edge(Banks& banks);
  void end_edge();
  Cycle next_event(Cycle soonest);
  Cycle next_special(Cycle soonest);

  [[gnu::noinline]] void send_anew(const Request& request, Queue& queue, Tick now);
  bool admit_from(Queue& queue, Phases phases);
  const Transaction& admit(const Request& request, Phases phases);
  void enter(Transaction& transaction, Phases phases);
  void bar(Transaction& transaction);
  bool posted(const Transaction& transaction) const {
    return posts_writes_ && transaction.request.write && is_nvdimm(transaction);
  }
  void return_credit();
  void give_credits();
  void post(const Transaction& done, const Requester& requester);
  Cycle next_response(Cycle soonest) const;
  void send_flush();
  void issue_flush(Transaction& transaction);
  void end_flush(Transaction& transaction);
  bool would_hit(const Transaction& transaction) const;
  void order_line(Transaction& transaction, Phases phases);
  bool stays_alone(Transaction& transaction);
  [[gnu::noinline]] void end_solitude();
  void expedite(Transaction& awaited);
  void compete(Transaction& transaction, Phases phases);
  void compete_by_key(Transaction& transaction);
  void leave_line(const Transaction& transaction, Phases phases);
  void competes_only_now(Transaction& transaction) {
    if (!is_nvdimm(transaction)) {
      latency_.competes(transaction, edge_);
    }
  }
  void rebuild_keys(TransactionScheduler& scheduler);
  void rekey(Transaction& transaction);
  bool keys_changed() const {  // since the schedulers were last asked
    return keys_changed(0) || (split_ && keys_changed(1));
  }
  bool keys_changed(std::size_t queue) const {
    const TransactionScheduler& scheduler = *schedulers_[queue];
    return scheduler.epoch() != epochs_[queue] || scheduler.any_changed();
  }
  bool withholds(Transaction& transaction);
  void set_keys(Transaction& transaction);
  void set_fixed_keys(Transaction& transaction) const {
    transaction.key_miss = 0;
    transaction.key_hit = hit_keys_[static_cast<std::size_t>(transaction.request.memory)];
  }

  void take_step(const RefreshStep& step);
  template <class Banks>
  void precharge_for_refresh(Banks& banks, std::int32_t bank, int rank);
  template <class Banks>
  void issue_refresh(Banks& banks, int rank);
  void take_step(const PowerStep& step);
  void use_free_slot();
  void waits(const Transaction& transaction, std::size_t side, int change);
  Cycle next_ack(Cycle edge) const;
  // Calls call(banks): those of the native engine by their own class, so that calls are taken in.
  template <class Call>
  decltype(auto) on_banks(Call call) {
    return native_ != nullptr ? call(*native_) : call(banks_);
  }

  void reserve(Candidates& candidates) const;
  bool overdue_burst_waits() const;
  bool lacks_data_only(const Transaction& transaction) const;
  const Best* select(const Candidates& candidates);
  MemoryClass arbitrate(const Best& dram, const Best& nvdimm);
  template <class Banks>
  void issue_column(Banks& banks, Transaction& transaction, Command command, Phases phases);
  void issue_grant(Transaction& transaction, Command command);
  template <class RowHit>
  void issue_data(Transaction& transaction, bool write, Phases phases, RowHit row_hit,
                  Counter& data_cycles);
  template <class Banks>
  void issue_row(Banks& banks, Transaction& transaction, Command command, Phases phases);
  template <class Banks>
  void precharge(Banks& banks, std::int32_t bank, int rank, std::int64_t request, Phases phases);
  void send_command(Transaction& transaction);
  void start(Transaction& transaction);
  void exchange(const Transaction& done, Requester& requester);
  void finish(Transaction& done, Phases phases);
  void set_apart();
  void settle();
  void show(const Transaction& done, Tick gc_blocked);
  void account_burst(const Transaction& transaction, bool write, Cycle begin);
  void precharge(std::int32_t bank, std::int64_t request);
  void record(ChannelCommand command, const Transaction& transaction) {
    if (observer_ != nullptr) {
      record(command, transaction.rank, bank_in_rank(transaction), transaction.row,
             static_cast<std::int64_t>(transaction.request.id));
    }
  }
  void record(ChannelCommand command, int rank, int bank, std::int64_t row, std::int64_t request) {
    if (observer_ != nullptr) {
      observer_->on_command({edge_, command, index_, rank, bank, row, request});
    }
  }

  void place(Archive& archive, Transaction& transaction) const;
  void serialize_held(Archive& archive);
  void serialize_policies(Archive& archive);
  void restore_counts(const Archive& archive, const std::vector<Transaction*>& held);
  void restore(Transaction& transaction);

  void on_ack(std::uint32_t tag, Tick now) override;
  void on_credit(Tick now) override;

  Tick time_of(Cycle cycle) const { return Tick(cycle.value() * period_.value()); }
  // The first edge at or after `time`; ...
  Cycle first_edge(Tick time) const {
    return Cycle(time / period_ + (time % period_ == Tick(0) ? 0 : 1));
  }
  // ... of those still to be processed.
  Cycle edge_from(Tick time) const {
    const Cycle edge = first_edge(time);
    return later(wakeup_.turn_is_over(time_of(edge)) ? edge + Cycle(1) : edge, edge_ + Cycle(1));
  }
  bool at_rest() const { return put_off_ != kNeverCycle; }
  void wake_by(Cycle edge) {
    if (edge < wake_) {
      wake_ = edge;
      wake_time_ = time_of(edge);
    }
  }
  void wake_at(Cycle edge) {
    wake_ = edge;
    wake_time_ = edge == kNeverCycle ? kNever : time_of(edge);
  }
  void count(MemoryClass memory, int change) {
    pending_[static_cast<std::size_t>(memory)] += change;
  }
  // What policies see of it; made when one first looks.
  const RequestView& seen(Transaction& transaction, bool row_hit) {
    if (!transaction.viewed) {
      transaction.viewed = true;
      transaction.view = view_of(transaction);
    }
    transaction.view.row_hit = row_hit;
    return transaction.view;
  }
  RequestView view_of(const Transaction& transaction) const;
  // Tells its scheduler and the arbiter of the transaction, where they want to know: asks row_hit()
  // only then.
  template <class RowHit>
  void tell(TransactionPolicy::Hook hook, void (TransactionPolicy::*call)(const RequestView&, Tick),
            Transaction& transaction, RowHit row_hit);
  // The NVDIMM has a queue and a scheduler of its own in split mode only.
  std::size_t owner_of(MemoryClass memory) const {
    return split_ && memory == MemoryClass::nvdimm ? 1 : 0;
  }
  TransactionScheduler& scheduler_of(MemoryClass memory) const {
    return *schedulers_[owner_of(memory)];
  }
  Queue& queue_of(MemoryClass memory) { return queues_[owner_of(memory)]; }
  int bank_in_rank(const Transaction& transaction) const {
    return is_nvdimm(transaction) ? transaction.bank : transaction.bank & (banks_per_rank_ - 1);
  }
  static bool is_nvdimm(const Transaction& transaction) {
    return transaction.request.memory == MemoryClass::nvdimm;
  }
  std::size_t side_of(const Transaction& transaction) const {
    return drained_ && transaction.request.write && !is_nvdimm(transaction) && !transaction.urgent
               ? 1
               : 0;
  }

  // Fixed.
  const ControllerParameters controller_;
  const DramParameters dram_;
  const AddressMap map_;
  const int index_;
  const Tick period_;
  const WholeCycles cycles_;
  const int banks_per_rank_;
  const int nvdimm_rank_;  // the rank after the last
  const bool split_;
  const bool two_level_;
  const bool drained_;
  const bool command_queues_fill_;  // flat: one may be full while another transaction could start
  const bool posts_writes_;
  const Cycle turnaround_;  // the longest gap that a change of the data bus's driver needs
  const bool grants_;
  const bool ack_takes_slot_;
  const Cycle ack_to_burst_;
  std::unique_ptr<NvdimmModule> nvdimm_;
  std::array<std::unique_ptr<TransactionScheduler>, kMemoryClasses> schedulers_;
  std::unique_ptr<BusArbiter> arbiter_;
  unsigned told_ = 0;  // the hooks that some policy of the channel has
  std::array<FixedOrder, kMemoryClasses> orders_{};       // by queue
  std::array<std::uint64_t, kMemoryClasses> hit_keys_{};  // where the order is fixed; by class
  ChannelShape shape_;
  const std::vector<Requester*>* requesters_ = nullptr;
  Kernel* kernel_ = nullptr;
  Wakeup wakeup_;
  CommandObserver* observer_ = nullptr;
  RequestObserver* request_observer_ = nullptr;

  // State.
  TransactionPool pool_;
  const std::unique_ptr<DramBanks> owned_banks_;
  TimingModel& engine_;
  std::array<Queue, kMemoryClasses> queues_;
  LineOrder line_order_;
  DramBanks& banks_;
  NativeBanks* const native_;  // the same, or nullptr
  RefreshControl refresh_;
  WriteDrain drain_;
  PowerControl power_;
  PageControl pages_;
  const bool counts_waiting_;  // for one of these two
  // Told when it is attached.
  Phases phases_ = Phases::plain;
  NvdimmEndpoint endpoint_;
  FlushBarrier barrier_;
  WriteCredits credits_;
  std::array<std::uint64_t, kMemoryClasses> epochs_{};
  Cycle next_policy_change_ = kNeverCycle;  // the first edge on which a scheduler changes by itself
  FinishQueue finishes_;
  std::vector<std::uint32_t> staged_;             // two_level: slots, in order of arrival
  std::vector<std::int64_t> command_queue_free_;  // per rank, the NVDIMM's last
  StarvationGuard guard_;
  int held_ranks_ = 0;                                  // those whose command queue is full
  std::array<std::int64_t, kMemoryClasses> pending_{};  // slots held, by class, ...
  std::array<std::int64_t, kMemoryClasses> settled_{};  // ... and what statistics know of that
  std::size_t side_ = 0;                                // drained: that competes for the banks
  int promised_ = kNobody;          // the class that is to have the data bus next
  bool command_bus_taken_ = false;  // on the present edge
  bool advancing_ = false;          // admission of the present edge is still to come
  // During admission: the channel was found empty, and the first transaction, of the DRAM, is
  // alone. Its line and its bank get to know of it only if it has to compete.
  bool found_empty_ = false;
  Transaction* lone_ = nullptr;
  Cycle edge_{-1};               // the last processed one, ...
  Tick now_{0};                  // ... and when it was (in a calm, told at completions only)
  Cycle wake_ = kNeverCycle;     // the next one, ...
  Tick wake_time_ = kNever;      // ... and when it will be
  Cycle put_off_ = kNeverCycle;  // the first refresh put off, if the channel rests; wake_ is never
  Tick nvdimm_due_ = kNever;     // when the NVDIMM is: the channel advances it
  // Until then edges have nothing but completions and commands of transactions, if nobody sends, no
  // ack comes, no keys change and nobody has waited for too long meanwhile.
  Cycle calm_until_{0};
  int last_driver_ = -1;  // of the data bus: rank x 2 + write
  Tick measured_from_{0};
  ChannelStatistics statistics_;
  BusAccounting bus_;
  LatencySplit latency_;
  EnergyMeter energy_;
};

}  // namespace hmsim
