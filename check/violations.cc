// SPDX-License-Identifier: BSD-3-Clause
#include "check/violations.h"

#include <array>
#include <utility>

namespace hmsim {

namespace {

// By ChannelCommand.
constexpr std::array kCommandNames{
    "activate",
    "precharge",
    "read",
    "write",
    "refresh",
    "refresh_same_bank",
    "power_down_enter",
    "power_down_exit",
    "self_refresh_enter",
    "self_refresh_exit",
    "data_clock_start",
    "nvdimm_read_command",
    "nvdimm_write_command",
    "nvdimm_flush_command",
    "nvdimm_ack",
    "nvdimm_read",
    "nvdimm_write",
    "nvdimm_credit",
    "refresh_management",
};
static_assert(kCommandNames.size() == static_cast<std::size_t>(ChannelCommand::last) + 1);

}  // namespace

const char* name_of(ChannelCommand command) {
  return kCommandNames[static_cast<std::size_t>(command)];
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

void ViolationLog::add(Violation violation) {
  if (++total_ <= static_cast<std::int64_t>(kKept)) {
    first_.push_back(std::move(violation));
  }
}

void ViolationLog::add(const char* rule, const CommandRecord& record, std::int64_t needed,
                       std::int64_t got) {
  add({record.channel, record.cycle, rule, name_of(record.command), record.rank, record.bank,
       record.request, needed, got});
}

void ViolationLog::add_early(const char* rule, const CommandRecord& record, EarlierCommand past,
                             std::int64_t needed) {
  add({record.channel, record.cycle, rule, name_of(record.command), record.rank, record.bank,
       record.request, needed, record.cycle.value() - past.cycle, name_of(past.command),
       Cycle(past.cycle)});
}

}  // namespace hmsim
