// SPDX-License-Identifier: BSD-3-Clause
// NVDIMMs of a channel as the host drives them: commands and acks, flushes, writes on credit, and
// the modules. A channel accesses the modules only through this class, as one module, and in terms
// of transactions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "controller/channel/candidates.h"
#include "controller/channel/dram_backend.h"
#include "controller/channel/features.h"
#include "controller/channel/flush_barrier.h"
#include "controller/channel/nvdimm_endpoint.h"
#include "controller/channel/nvdimm_group.h"
#include "controller/channel/nvdimm_timing.h"
#include "controller/channel/write_credits.h"
#include "controller/layout/channel_layout.h"
#include "controller/layout/transaction.h"
#include "core/archive.h"
#include "core/types.h"
#include "nvdimm/module/module.h"

namespace hmsim {

class NvdimmSide {
 public:
  NvdimmSide(const SystemConfig& config, const ChannelLayout& layout, const DramDevices& devices,
             TransactionPool& pool, AckListener& host, std::uint64_t seed);

  void attach(const Kernel& kernel, const Wakeup& channel);
  SlowMemory* memory() { return memory_ ? &*memory_ : nullptr; }  // nullptr without NVDIMM
  bool idle() const { return module_ == nullptr || module_->idle(); }
  // Returns the time of the module's next event, or kNever without NVDIMM. The channel advances the
  // module.
  Tick due() const { return due_; }
  void advance(Tick now) { module_->advance(now); }

  // Forward to the NvdimmModule functions of the same names.
  void command(const Transaction& transaction, Tick now) {
    module_->command(transaction.slot, transaction.local, transaction.request.write, now,
                     transaction.request.lines);
  }
  void flush(const Transaction& transaction, Tick now) { module_->flush(transaction.slot, now); }
  Tick finish(const Transaction& transaction, Tick now) {
    if (handles_ && transaction.request.write) {
      module_->set_handle(transaction.slot, transaction.request.stream);
    }
    return module_->finish(transaction.slot, now);
  }
  void post(const Transaction& transaction, const LineData& data, Tick now) {
    module_->post(transaction.local, data, transaction.request.stream, now);
  }
  void write_line(const Transaction& transaction, const LineData& data, std::uint8_t line) {
    module_->write_line(transaction.slot, data, line);
  }
  LineBytes read_line(const Transaction& transaction, std::uint8_t line) const {
    return module_->read_line(transaction.slot, line);
  }

  NvdimmEndpoint& endpoint() { return endpoint_; }
  const NvdimmEndpoint& endpoint() const { return endpoint_; }
  FlushBarrier& barrier() { return barrier_; }
  const FlushBarrier& barrier() const { return barrier_; }
  WriteCredits& credits() { return credits_; }

  // Returns whether the first ack may pass on this edge. In `auto` mode the data follow without a
  // grant, so the NVDIMM holds the ack back until the data bus is free for them.
  bool may_acknowledge(Cycle edge) const {
    const Transaction& first = endpoint_.first_ack();
    return layout_.grants || first.request.flush || endpoint_.earliest_burst(first) <= edge;
  }
  // Returns whether a write waits for a credit and one is available.
  bool may_give_credit() const { return credits_.any() && endpoint_.wants_credit(); }

  // Begins a data burst of a transaction: at a grant; in `auto` mode the first at the ack. If it is
  // not the last one, in `auto` mode the transaction is block() until then.
  void grant(Transaction& transaction, bool last, Cycle edge) {
    timing_.issue(NvdimmEndpoint::burst_of(transaction), transaction.rank, edge);
    if (layout_.grants) {
      endpoint_.granted(transaction, last);
      return;
    }
    block_ = last ? nullptr : &transaction;
    if (!last) {
      transaction.state = TransactionState::follows;
    }
  }
  Transaction* block() const { return block_; }

  // Add the possible data-bus commands, and the commands to be sent.
  void collect(Cycle edge, Cycle nearness, Candidates& candidates) {
    endpoint_.collect(edge, nearness, candidates);
  }
  void collect_others(Candidates& candidates) {
    if (endpoint_.may_send()) {
      endpoint_.collect_command(candidates);
    }
  }

  // Returns the first edge from `soonest` on at which acks or credits can pass, unless the module
  // acts before. next_credit(): without acks.
  Cycle next_answer(Features features, Cycle soonest) const;
  Cycle next_credit(Cycle soonest) const {
    return !layout_.posts_writes                  ? kNeverCycle
           : credits_.owed() || may_give_credit() ? soonest
                                                  : credits_.next_arrival();
  }
  // Returns the first edge on which a command may be sent or a burst becomes legal.
  Cycle next_command(Cycle soonest) {
    return endpoint_.active() ? endpoint_.next(soonest) : kNeverCycle;
  }

  // After loading, nothing competes; restore() rebuilds that state from `held`, which are all
  // transactions. serialize_module() handles the module.
  void serialize(Archive& archive) { archive(timing_, endpoint_, credits_); }
  void serialize_barrier(Archive& archive, TransactionPool& pool);
  void restore(const std::vector<Transaction*>& held, TransactionPool& pool);
  void serialize_module(Archive& archive);

 private:
  const ChannelLayout& layout_;
  NvdimmTiming timing_;
  std::unique_ptr<NvdimmModule> module_;
  std::optional<NvdimmGroup> memory_;
  Tick due_ = kNever;  // written by the module
  NvdimmEndpoint endpoint_;
  FlushBarrier barrier_;
  WriteCredits credits_;
  bool handles_ = false;          // an NVDIMM places pages in streams
  Transaction* block_ = nullptr;  // the transaction whose bursts follow each other
};

}  // namespace hmsim
