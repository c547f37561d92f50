// SPDX-License-Identifier: BSD-3-Clause
#include "core/request.h"

namespace hmsim {

LineData Requester::write_data(const Request& request) const {
  constexpr std::size_t kWord = 8;
  LineData data;
  for (std::size_t i = 0; i < data.bytes.size(); ++i) {
    data.bytes[i] = static_cast<std::uint8_t>(request.id >> (8 * (i % kWord)));
  }
  return data;
}

}  // namespace hmsim
