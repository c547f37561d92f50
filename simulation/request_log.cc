// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/request_log.h"

#include <utility>

namespace hmsim {

const std::array<const char*, RequestLog::kColumns> RequestLog::kNames{
    "id",          "arrival_ps",    "admitted_ps",  "first_command_ps",
    "issue_ps",    "done_ps",       "channel",      "source",
    "class",       "write",         "address",      "rank",
    "bank",        "row_hit",       "admission_ps", "queueing_ps",
    "bank_ps",     "bus_ps",        "transfer_ps",  "refresh_ps",
    "ack_wait_ps", "gc_blocked_ps", "link_ps"};

RequestLog::Columns RequestLog::take() { return std::exchange(columns_, Columns()); }

void RequestLog::on_request(const RequestRecord& record) {
  const Request& request = record.request;
  std::size_t column = 0;
  const auto add = [&](std::int64_t value) { columns_[column++].push_back(value); };
  const auto add_time = [&](Tick time) { add((epoch_ + time).value()); };
  add(static_cast<std::int64_t>(request.id));
  add_time(request.arrival);
  add_time(record.admitted);
  add_time(record.first_command);
  add_time(record.issued);
  add_time(record.done);
  add(record.channel);
  add(request.source);
  add(static_cast<std::int64_t>(request.memory));
  add(request.write ? 1 : 0);
  add(request.address.value());
  add(record.rank);
  add(record.bank);
  add(record.row_hit ? 1 : 0);
  for (const Tick part : record.parts) {
    add(part.value());
  }
  add(record.link.value());
}

}  // namespace hmsim
