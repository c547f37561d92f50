// SPDX-License-Identifier: BSD-3-Clause
// Log of all requests. Rows are stored in columns until they are taken.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/accounts/request_observer.h"

namespace hmsim {

class RequestLog final : public RequestObserver {
 public:
  static constexpr std::size_t kColumns = 23;
  // Names of times end in _ps. They are simulated times and, from `admission` on, the parts of the
  // latency: all but `link` add up to done - arrival. `class`: 0 DRAM, 1 NVDIMM. `write`,
  // `row_hit`: 0 or 1.
  static const std::array<const char*, kColumns> kNames;
  using Columns = std::array<std::vector<std::int64_t>, kColumns>;

  std::size_t rows() const { return columns_.front().size(); }
  Columns take();  // all rows

  // Sets the host time that is time 0 of the port.
  void set_epoch(Tick epoch) { epoch_ = epoch; }

  void on_request(const RequestRecord& record) override;

 private:
  Tick epoch_{0};
  Columns columns_;
};

}  // namespace hmsim
