// SPDX-License-Identifier: BSD-3-Clause
#include "traces/address_levels.h"

#include <algorithm>

namespace hmsim {

Parsed<AddressLevels> parse_levels(std::string_view text) {
  constexpr std::size_t kMost = 16;
  constexpr std::int64_t kMostLines = std::int64_t{1} << 56;
  AddressLevels levels;
  std::int64_t left = kMostLines;  // factor by which the product may still grow
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
    word = word.substr(0, word.find_last_not_of(' ') + 1);
    const Parsed<std::int64_t> number = parse_integer(word);
    if (!number.value || *number.value < 1 || *number.value > left || levels.size() == kMost) {
      return {std::nullopt, "'" + std::string(word.substr(0, 80)) +
                                "' is not a level's size: expected 1 to 16 whole numbers with "
                                "commas between them, whose product is at most 2^56 lines"};
    }
    left /= *number.value;
    levels.push_back(static_cast<std::uint64_t>(*number.value));
  }
  return {levels, ""};
}

}  // namespace hmsim
