// SPDX-License-Identifier: BSD-3-Clause
// The NVDIMMs of a channel as the host drives them: commands and acks, flushes, writes on credit,
// and the modules themselves. A channel reaches these only through here, as one module, and names
// it by what it does for a transaction.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controller/channel/candidates.h"
#include "controller/channel/channel_layout.h"
#include "controller/channel/extras.h"
#include "controller/channel/flush_barrier.h"
#include "controller/channel/nvdimm_endpoint.h"
#include "controller/channel/nvdimm_timing.h"
#include "controller/channel/transaction.h"
#include "controller/channel/write_credits.h"
#include "controller/dram_backend.h"
#include "core/archive.h"
#include "core/types.h"
#include "nvdimm/module/module.h"

namespace hmsim {

class NvdimmSide {
 public:
  NvdimmSide(const SystemConfig& config, const ChannelLayout& layout, const DramDevices& devices,
             TransactionPool& pool, AckListener& host, std::uint64_t seed);

  void attach(const Kernel& kernel, const Wakeup& channel);
  // All NVDIMMs as one; nullptr: there is none.
  NvdimmModule* module() { return module_.get(); }
  // Each by itself, by number.
  const NvdimmModules& modules() const { return modules_; }
  bool idle() const { return module_ == nullptr || module_->idle(); }
  // When something in the module is next due; kNever where there is none. Its channel advances it.
  Tick due() const { return due_; }
  void advance(Tick now) { module_->advance(now); }

  // What the module does for a transaction: NvdimmModule's words.
  void command(const Transaction& transaction, Tick now) {
    module_->command(transaction.slot, transaction.local, transaction.request.write, now);
  }
  void flush(const Transaction& transaction, Tick now) { module_->flush(transaction.slot, now); }
  Tick finish(const Transaction& transaction, Tick now) {
    return module_->finish(transaction.slot, now);
  }
  void post(const Transaction& transaction, const LineData& data, Tick now) {
    module_->post(transaction.local, data, now);
  }
  void write_line(const Transaction& transaction, const LineData& data) {
    module_->write_line(transaction.slot, data);
  }
  LineBytes read_line(const Transaction& transaction) const {
    return module_->read_line(transaction.slot);
  }

  NvdimmEndpoint& endpoint() { return endpoint_; }
  const NvdimmEndpoint& endpoint() const { return endpoint_; }
  FlushBarrier& barrier() { return barrier_; }
  const FlushBarrier& barrier() const { return barrier_; }
  WriteCredits& credits() { return credits_; }

  // The ack at hand may pass on this edge. In `auto` mode the data follow by themselves, so the
  // NVDIMM holds the ack back until their place on the data bus is free.
  bool may_acknowledge(Cycle edge) const {
    const Transaction& first = endpoint_.first_ack();
    return layout_.grants || first.request.flush || endpoint_.earliest_burst(first) <= edge;
  }
  // A write waits for a credit, and there is one.
  bool may_give_credit() const { return credits_.any() && endpoint_.wants_credit(); }

  // A transaction's data burst begins: the grant; in `auto` mode the ack stands for it.
  void grant(Transaction& transaction, Cycle edge) {
    timing_.issue(NvdimmEndpoint::burst_of(transaction), transaction.rank, edge);
    if (layout_.grants) {
      endpoint_.granted(transaction);
    }
  }

  // The data-bus commands that could be issued, and the commands to be sent.
  void collect(Cycle edge, Cycle nearness, Candidates& candidates) {
    endpoint_.collect(edge, nearness, candidates);
  }
  void collect_others(Candidates& candidates) {
    if (endpoint_.may_send()) {
      endpoint_.collect_command(candidates);
    }
  }

  // The first edge from `soonest` on at which acks or credits pass, unless the module acts; ...
  Cycle next_answer(Extras extras, Cycle soonest) const;
  // ... on which something may be sent or become legal for the data bus.
  Cycle next_command(Cycle soonest) {
    return endpoint_.active() ? endpoint_.next(soonest) : kNeverCycle;
  }

  // Loading: nothing competes then; restore() finds it again, `held` being all transactions. The
  // module follows by itself.
  void serialize(Archive& archive) { archive(timing_, endpoint_, credits_); }
  void serialize_barrier(Archive& archive, TransactionPool& pool);
  void restore(const std::vector<Transaction*>& held, TransactionPool& pool);
  void serialize_module(Archive& archive);

 private:
  const ChannelLayout& layout_;
  NvdimmTiming timing_;
  std::unique_ptr<NvdimmModule> module_;
  NvdimmModules modules_;
  Tick due_ = kNever;  // kept by the module
  NvdimmEndpoint endpoint_;
  FlushBarrier barrier_;
  WriteCredits credits_;
};

}  // namespace hmsim
