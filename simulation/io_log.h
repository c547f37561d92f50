// SPDX-License-Identifier: BSD-3-Clause
// Log of all block requests of agents.
#pragma once

#include <array>
#include <cstdint>

#include "agents/io_meter.h"
#include "simulation/log_table.h"

namespace hmsim {

class IoLog final : public IoObserver, public LogTable<7> {
 public:
  // `kind`: a number, as in IoRecord::Kind. `offset` and `bytes`: on the device. Names of times end
  // in _ps.
  static constexpr std::array kNames{"agent", "thread",       "kind",   "offset",
                                     "bytes", "submitted_ps", "done_ps"};

  // Sets the host time that is time 0 of the agents.
  void set_epoch(Tick epoch) { epoch_ = epoch; }

  void on_io(const IoRecord& record) override {
    const auto bytes = [](std::uint64_t lines) {
      return static_cast<std::int64_t>(lines) * kLineBytes.value();
    };
    add({static_cast<std::int64_t>(record.agent), record.thread,
         static_cast<std::int64_t>(record.kind), bytes(record.first_line), bytes(record.lines),
         (epoch_ + record.submitted).value(), (epoch_ + record.done).value()});
  }

 private:
  Tick epoch_{0};
};

}  // namespace hmsim
