// SPDX-License-Identifier: BSD-3-Clause
// Log of all requests.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "controller/accounts/request_observer.h"
#include "simulation/log_table.h"

namespace hmsim {

class RequestLog final : public RequestObserver, public LogTable<23> {
 public:
  // Names of times end in _ps. They are simulated times and, from `admission` on, the parts of the
  // latency: all but `link` add up to done - arrival. `class`: 0 DRAM, 1 NVDIMM. `write`,
  // `row_hit`: 0 or 1.
  static constexpr std::array kNames{
      "id",          "arrival_ps",    "admitted_ps",  "first_command_ps",
      "issue_ps",    "done_ps",       "channel",      "source",
      "class",       "write",         "address",      "rank",
      "bank",        "row_hit",       "admission_ps", "queueing_ps",
      "bank_ps",     "bus_ps",        "transfer_ps",  "refresh_ps",
      "ack_wait_ps", "gc_blocked_ps", "link_ps"};

  // Sets the host time that is time 0 of the port.
  void set_epoch(Tick epoch) { epoch_ = epoch; }

  void on_request(const RequestRecord& record) override {
    const Request& request = record.request;
    const auto time = [this](Tick of_port) { return (epoch_ + of_port).value(); };
    Row row{static_cast<std::int64_t>(request.id),
            time(request.arrival),
            time(record.admitted),
            time(record.first_command),
            time(record.issued),
            time(record.done),
            record.channel,
            request.source,
            static_cast<std::int64_t>(request.memory),
            request.write ? 1 : 0,
            request.address.value(),
            record.rank,
            record.bank,
            record.row_hit ? 1 : 0};
    std::transform(record.parts.begin(), record.parts.end(), row.end() - 1 - record.parts.size(),
                   [](Tick part) { return part.value(); });
    row.back() = record.link.value();
    add(row);
  }

 private:
  Tick epoch_{0};
};

}  // namespace hmsim
