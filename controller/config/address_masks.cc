// SPDX-License-Identifier: BSD-3-Clause
#include "controller/config/address_masks.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "controller/config/channel_split.h"
#include "core/units.h"

namespace hmsim {

namespace {

constexpr int kLineBits = 6;  // log2 of kLineBytes
constexpr std::array<const char*, 6> kNames{"channel", "rank", "group", "bank", "row", "column"};
constexpr std::size_t kColumn = 5;

using Widths = std::array<int, kNames.size()>;  // of the fields, in bits
using Masks = std::vector<std::int64_t>;        // of line numbers

std::int64_t bit(int number) { return std::int64_t{1} << number; }

Widths widths_of(const SystemConfig& config) {
  const DramOrganisation& part = config.dram.organisation;
  return {log2_of(config.controller.channels), log2_of(config.dram.ranks), log2_of(part.groups),
          log2_of(part.banks_per_group()),     log2_of(part.rows),         log2_of(part.columns)};
}

Masks mop4clxor(const Widths& widths) {
  constexpr int kLow = 2;  // bits of the column below the bank
  const int first = widths[0];
  const int columns = widths[kColumn];
  const int banks = widths[1] + widths[2] + widths[3];
  const auto column = [=](int n) { return bit(first + n + (n < kLow ? 0 : banks)); };
  Masks masks;
  for (int n = 0; n < first; ++n) {
    masks.push_back(bit(n));
  }
  for (int n = 0; n < banks + widths[4]; ++n) {
    const std::int64_t own = bit(first + kLow + n + (n < banks ? 0 : columns - kLow));
    masks.push_back(own | (n < columns ? column(n) : 0));
  }
  for (int n = 0; n < columns; ++n) {
    masks.push_back(column(n));
  }
  return masks;
}

// Reads masks of byte addresses, separated by commas. Returns the error, or "".
std::string read(const std::string& text, const Widths& widths, Masks& masks) {
  const int bits = std::accumulate(widths.begin(), widths.end(), 0);
  const auto count = std::count(text.begin(), text.end(), ',') + 1;
  if (count != bits) {
    std::string sum;
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      sum += (i > 0 ? ", " : "") + std::to_string(widths[i]) + " of " + kNames[i];
    }
    return "must have " + std::to_string(bits) + " masks (bits: " + sum + "), got " +
           std::to_string(count);
  }
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::string each = text.substr(at, end - at);
    each.erase(std::remove(each.begin(), each.end(), ' '), each.end());
    const Parsed<std::int64_t> mask = parse_integer(each);
    if (!mask.value) {
      return "mask " + std::to_string(masks.size()) + ": " + mask.error;
    }
    if (*mask.value < 0 || *mask.value >= bit(kLineBits + bits) ||
        *mask.value % bit(kLineBits) != 0) {
      return "mask " + std::to_string(masks.size()) + ": must have only bits " +
             std::to_string(kLineBits) + " to " + std::to_string(kLineBits + bits - 1) + ", got " +
             each;
    }
    masks.push_back(*mask.value >> kLineBits);
    at = end + 1;
  }
  return "";
}

std::string read(const SystemConfig& config, Masks& masks) {
  const std::int64_t channels = config.controller.channels;
  if (!ChannelSplit(channels).power_of_two()) {
    return "a map of masks needs a power of two of controller.channels, got " +
           std::to_string(channels);
  }
  const Widths widths = widths_of(config);
  if (config.controller.address_map == AddressMasks::kMop4clxor) {
    masks = mop4clxor(widths);
    return "";
  }
  return read(config.controller.address_map, widths, masks);
}

// Returns one bit for each mask: the least significant bit of the mask after XORing earlier ones
// so that it lacks theirs. Stops at the first mask that is the XOR of earlier ones. Given all
// parities, each such bit follows from the more significant bits.
Masks eliminated(const Masks& masks) {
  Masks reduced;
  Masks lowest;
  for (std::int64_t mask : masks) {
    for (std::size_t i = 0; i < reduced.size(); ++i) {
      mask ^= (mask & lowest[i]) != 0 ? reduced[i] : 0;
    }
    if (mask == 0) {
      break;
    }
    reduced.push_back(mask);
    lowest.push_back(mask & -mask);
  }
  return lowest;
}

}  // namespace

bool AddressMasks::describe(const SystemConfig& config) {
  const std::string& text = config.controller.address_map;
  return text == kMop4clxor || (!text.empty() && text.front() >= '0' && text.front() <= '9');
}

std::string AddressMasks::check(const SystemConfig& config) {
  Masks masks;
  std::string error = read(config, masks);
  if (error.empty()) {
    const std::size_t count = eliminated(masks).size();
    if (count < masks.size()) {
      const Widths widths = widths_of(config);
      std::size_t field = 0;
      auto number = static_cast<int>(count);
      for (; number >= widths[field]; ++field) {
        number -= widths[field];
      }
      error = "mask " + std::to_string(count) + " (bit " + std::to_string(number) + " of " +
              kNames[field] +
              "): must not be 0 or the XOR of masks before it, or lines would share a place";
    }
  }
  return error;
}

AddressMasks::AddressMasks(const SystemConfig& config) {
  Masks masks;
  if (!describe(config) || !read(config, masks).empty()) {
    return;
  }
  tables_.resize((masks.size() + 7) / 8);
  for (std::size_t byte = 0; byte < tables_.size(); ++byte) {
    for (std::size_t value = 0; value < tables_[byte].size(); ++value) {
      const auto part = static_cast<std::int64_t>(value << (8 * byte));
      std::int64_t mapped = 0;
      for (std::size_t n = 0; n < masks.size(); ++n) {
        const auto set = static_cast<unsigned long long>(masks[n] & part);
        mapped |= std::int64_t{__builtin_parityll(set)} << n;
      }
      tables_[byte][value] = mapped;
    }
  }
  masks.resize(static_cast<std::size_t>(widths_of(config)[0]));
  dropped_ = eliminated(masks);
  std::sort(dropped_.begin(), dropped_.end(), std::greater<>());
}

}  // namespace hmsim
