// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/io_log.h"

#include <utility>

namespace hmsim {

const std::array<const char*, IoLog::kColumns> IoLog::kNames{
    "agent", "thread", "kind", "offset", "bytes", "submitted_ps", "done_ps"};

IoLog::Columns IoLog::take() { return std::exchange(columns_, Columns()); }

void IoLog::on_io(const IoRecord& record) {
  const auto bytes = [](std::uint64_t lines) {
    return static_cast<std::int64_t>(lines) * kLineBytes.value();
  };
  const std::array<std::int64_t, kColumns> row{static_cast<std::int64_t>(record.agent),
                                               record.thread,
                                               static_cast<std::int64_t>(record.kind),
                                               bytes(record.first_line),
                                               bytes(record.lines),
                                               (epoch_ + record.submitted).value(),
                                               (epoch_ + record.done).value()};
  for (std::size_t i = 0; i < kColumns; ++i) {
    columns_[i].push_back(row[i]);
  }
}

}  // namespace hmsim
