// SPDX-License-Identifier: BSD-3-Clause
#include "check/violations.h"

#include <utility>

namespace hmsim {

std::string_view name_of(ChannelCommand command) {
  switch (command) {
    case ChannelCommand::activate:
      return "activate";
    case ChannelCommand::precharge:
      return "precharge";
    case ChannelCommand::read:
      return "read";
    case ChannelCommand::write:
      return "write";
    case ChannelCommand::refresh:
      return "refresh";
    case ChannelCommand::refresh_same_bank:
      return "refresh_same_bank";
    case ChannelCommand::power_down_enter:
      return "power_down_enter";
    case ChannelCommand::power_down_exit:
      return "power_down_exit";
    case ChannelCommand::self_refresh_enter:
      return "self_refresh_enter";
    case ChannelCommand::self_refresh_exit:
      return "self_refresh_exit";
    case ChannelCommand::data_clock_start:
      return "data_clock_start";
    case ChannelCommand::nvdimm_read_command:
      return "nvdimm_read_command";
    case ChannelCommand::nvdimm_write_command:
      return "nvdimm_write_command";
    case ChannelCommand::nvdimm_flush_command:
      return "nvdimm_flush_command";
    case ChannelCommand::nvdimm_ack:
      return "nvdimm_ack";
    case ChannelCommand::nvdimm_read:
      return "nvdimm_read";
    case ChannelCommand::nvdimm_write:
      return "nvdimm_write";
    case ChannelCommand::nvdimm_credit:
      return "nvdimm_credit";
    case ChannelCommand::refresh_management:
      return "refresh_management";
  }
  return "";
}

std::string Violation::describe() const {
  const auto text = [](std::int64_t number) { return std::to_string(number); };
  std::string line = "channel " + text(channel);
  line += rank < 0 ? "" : ", rank " + text(rank);
  line += bank < 0 ? "" : ", bank " + text(bank);
  line += request < 0 ? "" : ", request " + text(request);
  line += ", cycle " + text(cycle.value()) + ": ";
  line += command + (command.empty() ? "" : ": ") + rule + ": needed " + text(needed);
  line += ", got " + text(got);
  if (!earlier.empty()) {
    line += " cycles after " + earlier + " in cycle " + text(earlier_cycle.value());
  }
  return line;
}

namespace {

Violation about(const char* rule, const CommandRecord& record, std::int64_t needed,
                std::int64_t got) {
  Violation violation;
  violation.channel = record.channel;
  violation.cycle = record.cycle;
  violation.rule = rule;
  violation.command = name_of(record.command);
  violation.rank = record.rank;
  violation.bank = record.bank;
  violation.request = record.request;
  violation.needed = needed;
  violation.got = got;
  return violation;
}

}  // namespace

void ViolationLog::add(Violation violation) {
  if (++total_ <= static_cast<std::int64_t>(kKept)) {
    first_.push_back(std::move(violation));
  }
}

void ViolationLog::add(const char* rule, const CommandRecord& record, std::int64_t needed,
                       std::int64_t got) {
  add(about(rule, record, needed, got));
}

void ViolationLog::add_early(const char* rule, const CommandRecord& record, EarlierCommand past,
                             std::int64_t needed) {
  Violation violation = about(rule, record, needed, record.cycle.value() - past.cycle);
  violation.earlier = name_of(past.command);
  violation.earlier_cycle = Cycle(past.cycle);
  add(std::move(violation));
}

}  // namespace hmsim
