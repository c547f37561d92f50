// SPDX-License-Identifier: BSD-3-Clause
#include "check/ack_checker.h"

#include <algorithm>

namespace hmsim {

namespace {

std::size_t table_size(std::int64_t entries) {
  std::size_t size = 2;
  while (size < 2 * static_cast<std::size_t>(entries)) {
    size *= 2;
  }
  return size;
}

}  // namespace

AckChecker::AckChecker(const SystemConfig& config, ViolationLog& violations)
    : ack_(config.controller.ack),
      period_(config.dram.clock_period()),
      outstanding_limit_(config.outstanding_limit()),
      slots_(config.nvdimm.present ? config.transaction_slots() : 0),
      grant_delay_(config.controller.ack == AckMode::nvdimm_p ? config.controller.response_cycles
                                                              : 1),
      write_cycles_(config.dram.command_delay() + config.dram.timing.cwl +
                    config.dram.timing.burst),
      first_rank_(static_cast<int>(config.dram.ranks)),
      violations_(violations),
      table_(table_size(slots_)) {
  for (const NvdimmParameters& nvdimm : config.nvdimms()) {
    const bool flash = nvdimm.kind == NvdimmKind::flash;
    const Tick lookup = flash ? nvdimm.buffer.lookup : nvdimm.media.command_time;
    const Tick credit = flash ? lookup : earlier(lookup, nvdimm.media.technology.write_time);
    const bool first = devices_.empty();
    credit_time_ = first ? credit : earlier(credit_time_, credit);
    credits_ = first ? nvdimm.posted_writes : earlier(credits_, nvdimm.posted_writes);
    devices_.push_back({lookup, flash && nvdimm.buffer.port == BufferPort::serial});
  }
}

bool AckChecker::check(const CommandRecord& record) {
  if (record.command == ChannelCommand::nvdimm_ack) {
    check_ack(record);
  } else if (record.command == ChannelCommand::nvdimm_credit) {
    check_credit(record);
  } else if (record.command == ChannelCommand::nvdimm_write && ack_ == AckMode::nvdimm_p) {
    check_posted(record);
  } else if (record.command == ChannelCommand::nvdimm_read ||
             record.command == ChannelCommand::nvdimm_write) {
    return check_burst(record);
  } else {
    check_command(record);
  }
  return true;
}

void AckChecker::check_command(const CommandRecord& record) {
  if (find(record.request) != nullptr) {
    violations_.add("command sent twice", record, 0, 1);
    return;
  }
  check_barrier(record);
  if (record.command == ChannelCommand::nvdimm_write_command && ack_ == AckMode::nvdimm_p) {
    violations_.add("command for a write", record, 0, 1);
  }
  // The host's queues limit the commands that wait for their ack, and the slots.
  if (waiting_ >= outstanding_limit_) {
    violations_.add("outstanding commands", record, outstanding_limit_, waiting_ + 1);
  } else if (count_ >= slots_) {
    violations_.add("outstanding commands", record, slots_, count_ + 1);
  }
  const Tick sent = (record.cycle.value() + 1) * period_;
  Device& device = devices_[static_cast<std::size_t>(record.rank - first_rank_)];
  device.lookup_end =
      (device.serial_lookups ? later(sent, device.lookup_end) : sent) + device.lookup;
  if (count_ < slots_) {
    insert({record.request, record.command, device.lookup_end, kNoAck, record.lines, false});
    ++waiting_;
  }
}

// A flush is a barrier for older and for younger requests.
void AckChecker::check_barrier(const CommandRecord& record) {
  if (flushing_) {
    violations_.add("command during a flush", record, 0, 1);
  }
  if (record.request < last_flush_) {
    violations_.add("older than the flush before", record, last_flush_, record.request);
  }
  if (record.command == ChannelCommand::nvdimm_flush_command) {
    if (count_ > 0) {
      violations_.add("flush before the end of others", record, 0, count_);
    }
    if (record.request < youngest_) {
      violations_.add("flush overtaken", record, record.request, youngest_);
    }
    last_flush_ = record.request;
    flushing_ = true;
  }
  youngest_ = std::max(youngest_, record.request);
}

void AckChecker::check_ack(const CommandRecord& record) {
  check_ack_line(record);
  Exchange* const exchange = find(record.request);
  if (exchange == nullptr) {
    violations_.add("ack without command", record, 1, 0);
    return;
  }
  if (exchange->ack != kNoAck) {
    violations_.add("acknowledged twice", record, 1, 2);
    return;
  }
  check_lookup(record, exchange->lookup_end);
  exchange->ack = record.cycle.value();
  --waiting_;
  if (exchange->command == ChannelCommand::nvdimm_flush_command) {
    flushing_ = false;
    erase(exchange);
  }
}

// The line carries at most one ack or other response per edge.
void AckChecker::check_ack_line(const CommandRecord& record) {
  violations_.require("ack line", record, last_ack_, 1);
  last_ack_ = {record.command, record.cycle.value()};
}

// The lookup starts one edge after the command and takes tBC. `end`: of the lookup.
void AckChecker::check_lookup(const CommandRecord& record, Tick end) {
  if (record.cycle.value() * period_ < end) {
    const std::int64_t cycle = (end.value() + period_.value() - 1) / period_.value();
    violations_.add("lookup", record, cycle, record.cycle.value());
  }
}

void AckChecker::check_posted(const CommandRecord& record) {
  check_barrier(record);
  for (; !arriving_.empty() && arriving_.front() <= record.cycle.value(); arriving_.pop()) {
    ++credits_;
  }
  if (credits_ == 0) {
    violations_.add("write without credit", record, 1, 0);
  } else {
    --credits_;
  }
  posted_.push((record.cycle.value() + write_cycles_) * period_ + credit_time_);
}

// Credits return in order. Each stands for a write whose lookup has ended.
void AckChecker::check_credit(const CommandRecord& record) {
  check_ack_line(record);
  if (posted_.empty()) {
    violations_.add("credit without write", record, 1, 0);
    return;
  }
  check_lookup(record, posted_.front());
  posted_.pop();
  arriving_.push(record.cycle.value() + grant_delay_);
}

bool AckChecker::check_burst(const CommandRecord& record) {
  Exchange* const exchange = find(record.request);
  if (exchange == nullptr) {
    violations_.add("burst without command", record, 1, 0);
    return true;
  }
  check_grant(record, *exchange);
  const bool announced = exchange->command == ChannelCommand::nvdimm_write_command;
  const bool written = record.command == ChannelCommand::nvdimm_write;
  if (announced != written) {
    violations_.add("direction", record, announced ? 1 : 0, written ? 1 : 0);
  }
  if (exchange->ack == kNoAck) {
    --waiting_;
    exchange->ack = record.cycle.value();
  }
  exchange->began = true;
  const bool last = --exchange->lines <= 0;
  block_ = last || ack_ != AckMode::automatic ? kNone : record.request;
  if (last) {
    erase(exchange);
  }
  return last;
}

// A grant follows the ack by at least one edge. Without grants, the data of the first line belong
// to the ack's own edge, and those of the others follow before any other data of NVDIMMs.
void AckChecker::check_grant(const CommandRecord& record, const Exchange& exchange) {
  if (exchange.ack == kNoAck) {
    violations_.add("burst without ack", record, 1, 0);
  } else if (ack_ != AckMode::automatic) {
    violations_.require("grant after ack", record, {ChannelCommand::nvdimm_ack, exchange.ack},
                        grant_delay_);
  } else if (block_ != kNone && block_ != record.request) {
    violations_.add("burst within a block", record, block_, record.request);
  } else if (!exchange.began && record.cycle.value() != exchange.ack) {
    violations_.add("burst with ack", record, exchange.ack, record.cycle.value());
  }
}

AckChecker::Exchange* AckChecker::find(std::int64_t request) {
  for (std::size_t i = home_of(request); table_[i].request != kNone;
       i = (i + 1) & (table_.size() - 1)) {
    if (table_[i].request == request) {
      return &table_[i];
    }
  }
  return nullptr;
}

void AckChecker::insert(const Exchange& exchange) {
  std::size_t i = home_of(exchange.request);
  while (table_[i].request != kNone) {
    i = (i + 1) & (table_.size() - 1);
  }
  table_[i] = exchange;
  ++count_;
}

// Moves later entries of the same probe sequence up, so that each remains reachable from its home.
void AckChecker::erase(Exchange* exchange) {
  const std::size_t mask = table_.size() - 1;
  auto hole = static_cast<std::size_t>(exchange - table_.data());
  for (std::size_t i = (hole + 1) & mask; table_[i].request != kNone; i = (i + 1) & mask) {
    if (((i - home_of(table_[i].request)) & mask) >= ((i - hole) & mask)) {
      table_[hole] = table_[i];
      hole = i;
    }
  }
  table_[hole].request = kNone;
  --count_;
}

}  // namespace hmsim
