// SPDX-License-Identifier: BSD-3-Clause
// A log of every block request that agents asked for, in columns, which are kept until taken.
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
  // `kind`: a number, as in IoRecord::Kind; `offset` and `bytes`: on the device; times end in _ps.
  static const std::array<const char*, kColumns> kNames;
  using Columns = std::array<std::vector<std::int64_t>, kColumns>;

  std::size_t rows() const { return columns_.front().size(); }
  Columns take();  // all rows

  // The agents' time 0, as the host counts time.
  void set_epoch(Tick epoch) { epoch_ = epoch; }

  void on_io(const IoRecord& record) override;

 private:
  Tick epoch_{0};
  Columns columns_;
};

}  // namespace hmsim
