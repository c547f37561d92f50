// SPDX-License-Identifier: BSD-3-Clause
// Log of all block requests of agents. Rows are stored in columns until they are taken.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "agents/io_meter.h"

namespace hmsim {

class IoLog final : public IoObserver {
 public:
  static constexpr std::size_t kColumns = 7;
  // `kind`: a number, as in IoRecord::Kind. `offset` and `bytes`: on the device. Names of times end
  // in _ps.
  static const std::array<const char*, kColumns> kNames;
  using Columns = std::array<std::vector<std::int64_t>, kColumns>;

  std::size_t rows() const { return columns_.front().size(); }
  Columns take();  // all rows

  // Sets the host time that is time 0 of the agents.
  void set_epoch(Tick epoch) { epoch_ = epoch; }

  void on_io(const IoRecord& record) override;

 private:
  Tick epoch_{0};
  Columns columns_;
};

}  // namespace hmsim
