// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/nvdimm_side.h"

#include <utility>

#include "nvdimm/flash_shape.h"
#include "nvdimm/module_group.h"

namespace hmsim {

namespace {

// Distance of NVDIMM seeds; channels use consecutive seeds.
constexpr std::uint64_t kSeedsBetweenDevices = 64;

// The host has one pool of credits, and each of its NVDIMMs must be able to take all of them.
std::int64_t credits_of(const SystemConfig& config) {
  std::int64_t credits = config.nvdimm.posted_writes;
  for (const NvdimmParameters& nvdimm : config.nvdimms()) {
    credits = earlier(credits, nvdimm.posted_writes);
  }
  return credits;
}

}  // namespace

NvdimmSide::NvdimmSide(const SystemConfig& config, const ChannelLayout& layout,
                       const DramDevices& devices, TransactionPool& pool, AckListener& host,
                       std::uint64_t seed)
    : layout_(layout),
      timing_(*devices.timing, devices.native_timing, layout.nvdimm_rank,
              layout.nvdimm_rank * layout.banks_per_rank, config.dram.timing),
      endpoint_(layout.pseudo_banks, config.outstanding_limit(), layout.posts_writes, timing_,
                pool),
      credits_(credits_of(config), Cycle(config.controller.response_cycles)) {
  const std::vector<NvdimmParameters> all = config.nvdimms();
  NvdimmModules modules;
  const auto make = [&](std::size_t number, AckListener& listener) {
    const std::uint64_t own = seed + kSeedsBetweenDevices * number;
    handles_ = handles_ || ftl_demands(all[number]).streams > 1;
    auto module = design_of(all[number].kind).make(all[number], listener, own, config.assignments);
    modules.push_back(module.get());
    return module;
  };
  if (all.size() == 1) {
    module_ = make(0, host);
  } else if (!all.empty()) {
    auto group = std::make_unique<ModuleGroup>(host);
    for (std::size_t number = 0; number < all.size(); ++number) {
      group->add(make(number, group->listener()), logical_pages(all[number]) * kPageBytes);
    }
    module_ = std::move(group);
  }
  if (module_ != nullptr) {
    module_->keep_next_in(due_);
    memory_.emplace(*module_, modules);
  }
}

void NvdimmSide::attach(const Kernel& kernel, const Wakeup& channel) {
  if (module_ != nullptr) {
    module_->attach(kernel, channel);
  }
}

Cycle NvdimmSide::next_answer(Features features, Cycle soonest) const {
  if (features == Features::any && block_ != nullptr) {
    return later(soonest, endpoint_.earliest_burst(*block_));
  }
  Cycle next = kNeverCycle;
  if (endpoint_.has_ack()) {
    next =
        layout_.grants ? soonest : later(soonest, endpoint_.earliest_burst(endpoint_.first_ack()));
  }
  return features == Features::any ? earlier(next, next_credit(soonest)) : next;
}

void NvdimmSide::serialize_barrier(Archive& archive, TransactionPool& pool) {
  std::int64_t in_front = 0;
  pool.each_taken([&](const Transaction& each) {
    in_front += each.state != TransactionState::barred && is_nvdimm(each) ? 1 : 0;
  });
  barrier_.serialize(archive, pool, in_front);
}

void NvdimmSide::restore(const std::vector<Transaction*>& held, TransactionPool& pool) {
  block_ = nullptr;
  for (Transaction* each : held) {
    if (each->state == TransactionState::follows) {
      block_ = each;
    } else if (each->state == TransactionState::waiting) {
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
  }
}

}  // namespace hmsim
