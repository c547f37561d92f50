// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/nvdimm_side.h"

#include <algorithm>

namespace hmsim {

NvdimmSide::NvdimmSide(const SystemConfig& config, const ChannelLayout& layout,
                       const DramDevices& devices, TransactionPool& pool, AckListener& host,
                       std::uint64_t seed)
    : layout_(layout),
      timing_(*devices.timing, devices.native_timing, layout.nvdimm_rank,
              layout.nvdimm_rank * layout.banks_per_rank),
      endpoint_(std::max(1, layout.pseudo_banks), config.controller.outstanding_limit(),
                layout.posts_writes, timing_, pool),
      credits_(config.nvdimm.posted_writes, Cycle(config.controller.response_cycles)) {
  if (config.nvdimm.present) {
    module_ = design_of(config.nvdimm.kind).make(config.nvdimm, host, seed, config.assignments);
    module_->keep_next_in(due_);
  }
}

void NvdimmSide::attach(const Kernel& kernel, const Wakeup& channel) {
  if (module_ != nullptr) {
    module_->attach(kernel, channel);
  }
}

Cycle NvdimmSide::next_answer(Extras extras, Cycle soonest) const {
  Cycle next = kNeverCycle;
  if (endpoint_.has_ack()) {
    next =
        layout_.grants ? soonest : later(soonest, endpoint_.earliest_burst(endpoint_.first_ack()));
  }
  if (extras == Extras::any && layout_.posts_writes) {
    const bool responds = credits_.owed() || may_give_credit();
    next = earlier(next, responds ? soonest : credits_.next_arrival());
  }
  return next;
}

void NvdimmSide::serialize_barrier(Archive& archive, TransactionPool& pool) {
  std::int64_t barred = 0;
  std::int64_t in_front = 0;
  pool.each_taken([&](const Transaction& each) {
    const bool waits = each.state == TransactionState::barred;
    barred += waits ? 1 : 0;
    in_front += !waits && is_nvdimm(each) ? 1 : 0;
  });
  barrier_.serialize(archive, pool, in_front, barred);
}

void NvdimmSide::restore(const std::vector<Transaction*>& held, TransactionPool& pool) {
  for (Transaction* each : held) {
    if (each->state == TransactionState::waiting) {
      endpoint_.restore_sent();
    } else if (is_nvdimm(*each) && (each->state == TransactionState::queued ||
                                    each->state == TransactionState::ready)) {
      endpoint_.restore(*each);
    }
  }
  if (Transaction* const flush = barrier_.sent(pool)) {
    flush->started ? endpoint_.restore_sent() : endpoint_.restore(*flush);
  }
}

void NvdimmSide::serialize_module(Archive& archive) {
  if (module_ != nullptr) {
    module_->serialize(archive);
    if (archive.loading() && !module_->off()) {
      endpoint_.check_module(archive, *module_);
    }
  }
}

}  // namespace hmsim
