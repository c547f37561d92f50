// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/rigs/rehearsal.h"

#include <algorithm>

#include "core/errors.h"

namespace hmsim {

ChannelShape Rehearsal::ddr3_1600(std::int64_t rank_switch) {
  const auto cycles = [](std::int64_t count) { return Tick(1250) * count; };
  ChannelShape shape;
  shape.clock_period = cycles(1);
  shape.slots = 512;
  shape.dram_slots = 512;  // one queue for both
  shape.nvdimm_slots = 512;
  shape.ranks = 1;
  shape.banks_per_rank = 8;
  shape.pseudo_banks = 8;
  shape.burst = cycles(4);
  shape.read_to_write = cycles(1 + rank_switch);  // CL 11, CWL 10
  shape.write_to_read = cycles(16);               // tWTR 6
  shape.rank_switch = cycles(rank_switch);
  shape.row_miss = cycles(22);
  return shape;
}

Rehearsal::Rehearsal(const std::string& scheduler, const Assignments& assignments,
                     const ChannelShape& shape)
    : policy_(create_policy<TransactionScheduler>(PolicyKind::transaction_scheduler, scheduler,
                                                  assignments)),
      shape_(shape) {
  policy_->connect(shape, *this);
}

std::uint32_t Rehearsal::enqueue(RequestView request) {
  const auto number = static_cast<std::uint32_t>(views_.size());
  if (number == shape_.slots) {
    throw InputError("a rehearsal takes " + std::to_string(shape_.slots) + " requests");
  }
  if (request.bank < 0 || request.bank >= shape_.banks_per_rank) {
    throw InputError("a rehearsal has banks 0 .. " + std::to_string(shape_.banks_per_rank - 1));
  }
  request.slot = number;
  request.id = number;
  request.arrival = now_;
  request.rank = request.memory == MemoryClass::nvdimm ? shape_.ranks : request.rank;
  views_.push_back(request);
  issued_.push_back(false);
  policy_->on_enqueue(request, now_);
  return number;
}

void Rehearsal::notify(Hook hook, std::uint32_t number, bool row_hit) {
  RequestView view = views_.at(number);
  view.row_hit = row_hit;
  ((*policy_).*hook)(view, now_);
}

void Rehearsal::issue(std::uint32_t number, bool row_hit) {
  notify(&TransactionPolicy::on_issue, number, row_hit);
  issued_[number] = true;
}

void Rehearsal::run_to(Tick time) {
  while (policy_->next_change() <= time) {
    now_ = later(now_, policy_->next_change());
    policy_->change(now_);
  }
  now_ = later(now_, time);
}

void Rehearsal::retire(std::uint16_t source, std::int64_t instructions) {
  if (source >= instructions_.size()) {
    instructions_.resize(std::size_t{source} + 1);
  }
  instructions_[source] += instructions;
}

std::int64_t Rehearsal::instructions(std::uint16_t source) const {
  return source < instructions_.size() ? instructions_[source] : 0;
}

std::vector<std::uint32_t> Rehearsal::order() const {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t number = 0; number < views_.size(); ++number) {
    if (!issued_[number]) {
      numbers.push_back(number);
    }
  }
  std::stable_sort(numbers.begin(), numbers.end(),
                   [this](std::uint32_t a, std::uint32_t b) { return key(a) > key(b); });
  return numbers;
}

}  // namespace hmsim
