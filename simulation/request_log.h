// SPDX-License-Identifier: BSD-3-Clause
// A log of what became of every request, in columns, which are kept until somebody takes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/accounts/request_observer.h"

namespace hmsim {

class RequestLog final : public RequestObserver {
 public:
  static constexpr std::size_t kColumns = 22;
  // Times end in _ps: simulated time, and from `outside` on the parts of the latency, which add up
  // to done - arrival. `class`: 0 DRAM, 1 NVDIMM; `write`, `row_hit`: 0 or 1.
  static const std::array<const char*, kColumns> kNames;
  using Columns = std::array<std::vector<std::int64_t>, kColumns>;

  std::size_t rows() const { return columns_.front().size(); }
  Columns take();  // all rows

  // The port's time 0, as the host counts time.
  void set_epoch(Tick epoch) { epoch_ = epoch; }

  void on_request(const RequestRecord& record) override;

 private:
  Tick epoch_{0};
  Columns columns_;
};

}  // namespace hmsim
