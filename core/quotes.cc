// SPDX-License-Identifier: BSD-3-Clause
#include "core/quotes.h"

namespace hmsim {

std::string in_quotes(std::string_view text) {
  std::string quoted;
  quoted.reserve(text.size() + 2);
  quoted += '\'';
  quoted += text;
  quoted += '\'';
  return quoted;
}

}  // namespace hmsim
