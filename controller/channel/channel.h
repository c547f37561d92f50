// SPDX-License-Identifier: BSD-3-Clause
// Memory controller of one channel. It wakes only on clock edges on which something can happen.
// Order within an edge: completions and acks, refresh, admission, selection, issue
// (channel_edge.h).
//
// docs/inside-the-channel.md follows one DRAM read and one NVDIMM read.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "controller/accounts/accounts.h"
#include "controller/channel/admission.h"
#include "controller/channel/data_bus.h"
#include "controller/channel/dram_backend.h"
#include "controller/channel/dram_side.h"
#include "controller/channel/edge_clock.h"
#include "controller/channel/fast/fast_state.h"
#include "controller/channel/features.h"
#include "controller/channel/memory_channel.h"
#include "controller/channel/nvdimm_side.h"
#include "controller/channel/ordering.h"
#include "controller/config/system_config.h"
#include "controller/layout/channel_layout.h"
#include "controller/layout/transaction.h"
#include "core/kernel.h"
#include "nvdimm/module/module.h"
#include "policies/policy.h"

namespace hmsim {

class Channel final : public MemoryChannel, public AckListener {
 public:
  // `rules` replaces the part's own timing rules.
  Channel(const SystemConfig& config, int index, std::uint64_t seed,
          const std::vector<TimingRule>* rules = nullptr);

  // Makes the channel process every edge completely, one after the other, without the shortcuts in
  // fast/. Results are the same. For tests; call before attach().
  void use_reference_paths() {
    features_ = Features::any;
    uses_windows_ = false;
  }

  void connect(Kernel& kernel, int component, const std::vector<Requester*>& requesters,
               const SourceProgress& progress) override;

  void send(const Request& request, Tick now) override;
  void pass_flush(Tick now) override;
  bool would_wait(MemoryClass memory) const override { return admission_.would_wait(memory); }
  bool idle() const override;
  ClassServices services() const override;
  void list_outstanding(std::vector<Requester::Outstanding>& requests) const override;

  void set_observer(CommandObserver* observer) override { accounts_.set_observer(observer); }
  void set_request_observer(RequestObserver* observer) override {
    accounts_.set_request_observer(observer);
  }
  SlowMemory* slow_memory() override { return nvdimm_.memory(); }
  ChannelStatistics& statistics() override { return accounts_.statistics(); }
  std::array<TransactionScheduler*, kMemoryClasses> schedulers() override {
    return ordering_.schedulers();
  }
  std::vector<PolicyCounter> arbiter_counters() override { return ordering_.arbiter_counters(); }
  Cycle elapsed() const override { return accounts_.elapsed(now()); }
  Tick clock_period() const override { return layout_.period; }
  ChannelMeters meters() override;
  Tick now() const override { return clock_.kernel_time(); }
  Cycle last_edge() const { return clock_.edge(); }  // the last processed edge
  void reset_statistics(Tick now) override { accounts_.reset(now); }

  Tick next_event() const override { return earlier(clock_.next_time(), nvdimm_.due()); }
  Tick advance(Tick now) override;
  Tick catch_up(Tick time) override;
  void serialize(Archive& archive) override;

 private:
  friend struct Uncontended;
  friend struct SingleRequest;
  friend struct DeferredRefresh;

  void choose_features();
  void locate(Transaction& transaction) const;
  void place(Archive& archive, Transaction& transaction) const;
  void restore(Archive& archive, const std::vector<Transaction*>& held);

  // Loop over edges, while the kernel lets this component continue.
  template <Features features, class Banks>
  Tick run_edges(Banks& banks, Tick now);
  bool advance_nvdimm(Tick& now);
  template <Features features, class Banks>
  void edge(Banks& banks, bool first);
  Cycle next_edge(Features features);

  // Completions, acks and write credits.
  void complete(Features features);
  void finish(Transaction& done, Features features);
  void exchange_data(const Transaction& done, Requester& requester);
  void take_answers(Features features);
  void deliver_ack(Features features);
  void post_write(const Transaction& done, const Requester& requester);
  void give_credits();
  void send_flush();
  void end_flush(Transaction& flush);
  void lift_flush();

  // Refresh and power.
  void refresh(Features features);
  void take_step(const RefreshStep& step, Features features);
  void take_step(const PowerStep& step);
  void use_free_slot();

  // Admission.
  void send_to_longer_line(const Request& request, Tick now);
  void wake_for_request(Tick now);
  void wake_from_deferral(Cycle edge);
  void admit(Features features);
  bool admit_from(std::size_t queue, Features features);
  const Transaction& admit(const Request& request, Features features);
  void enter(Transaction& transaction, Features features);
  void order_line(Transaction& transaction, Features features);
  void compete(Transaction& transaction, Features features);
  void compete_by_key(Transaction& transaction);
  void leave_line(const Transaction& transaction, Features features);
  void expedite(Transaction& awaited);

  // Order of transactions.
  void prepare(Features features);
  void stage();
  void update_order();
  void promote_overdue();
  void update_keys();
  void rebuild_keys(std::size_t queue);
  void rekey(Transaction& transaction);
  void choose_side();

  // Selection and issue.
  void issue_one(Features features);
  void issue_of_both(Features features);
  void issue_on_slots();
  void issue_of_nvdimm(Features features);
  void reserve(Candidates& candidates) const;
  bool overdue_burst_waits() const;
  bool lacks_data_only(const Transaction& transaction) const;
  MemoryClass arbitrate(const Best& dram, const Best& nvdimm);
  template <class Banks>
  void issue_column(Banks& banks, Transaction& transaction, Command command, Features features);
  template <class Banks>
  void issue_row(Banks& banks, Transaction& transaction, Command command, Features features);
  void issue_grant(Transaction& transaction, Features features);
  template <class RowHit>
  void begin_burst(Transaction& transaction, bool write, Cycle edge, Features features,
                   RowHit row_hit);
  void send_command(Transaction& transaction);
  template <class Banks>
  void precharge(Banks& banks, std::int32_t bank, int rank, std::int64_t request,
                 Features features);
  void start(Transaction& transaction);
  bool would_hit(const Transaction& transaction) const;

  void on_ack(std::uint32_t tag, Tick now) override;
  void on_credit(Tick now) override;

  const ChannelLayout layout_;
  EdgeClock clock_;
  Admission admission_;
  const DramDevices devices_;
  DramSide dram_;
  NvdimmSide nvdimm_;
  Ordering ordering_;
  DataBus bus_;
  Accounts accounts_;
  const ChannelShape shape_;  // for policies
  Features features_ = Features::none;
  bool uses_windows_ = true;
  FastState fast_;
};

}  // namespace hmsim
