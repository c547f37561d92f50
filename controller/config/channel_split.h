// SPDX-License-Identifier: BSD-3-Clause
// Interleaving of lines or pages over channels.
//
// Unit n is in channel n mod C and has the number n / C there. A power of two takes bits of n. Any
// other number of channels divides, as memory controllers with three or six channels do: Intel Xeon
// 5500 (datasheet volume 2, section 2.16.4, "divide-by-3") and Skylake-SP (Linux,
// drivers/edac/skx_base.c: channel (address >> 6, 8 or 12) % 3, address in the channel divided by
// the same number).
#pragma once

#include <cstdint>

namespace hmsim {

// Returns the smallest n for which 2^n is at least `number`.
inline int log2_of(std::int64_t number) {
  int bits = 0;
  while ((std::int64_t{1} << bits) < number) {
    ++bits;
  }
  return bits;
}

class ChannelSplit {
 public:
  struct Place {
    std::int64_t channel;
    std::int64_t unit;  // number within the channel
  };

  // Precondition: 1 <= channels <= 64.
  explicit ChannelSplit(std::int64_t channels)
      : channels_(channels),
        power_of_two_((channels & (channels - 1)) == 0),
        reciprocal_(power_of_two_ ? 0
                                  : ~std::uint64_t{0} / static_cast<std::uint64_t>(channels) + 1),
        bits_(log2_of(channels)) {}

  std::int64_t channels() const { return channels_; }
  bool power_of_two() const { return power_of_two_; }
  // Returns the bits that hold a channel's number.
  int bits() const { return bits_; }

  // Precondition: power_of_two().
  Place sliced(std::int64_t unit) const { return {unit & (channels_ - 1), unit >> bits_}; }

  // Precondition: 0 <= unit < 2^57.
  Place place(std::int64_t unit) const {
    if (power_of_two_) {
      return sliced(unit);
    }
    const std::int64_t own = quotient(unit);
    return {unit - own * channels_, own};
  }

  // Returns the channel of the XOR hash: each bit of place.channel is XORed with every bits()-th
  // bit of place.unit. Precondition: power_of_two().
  std::int64_t hashed(Place place) const {
    std::int64_t channel = place.channel;
    for (std::int64_t rest = place.unit; bits_ > 0 && rest != 0; rest >>= bits_) {
      channel ^= rest & (channels_ - 1);
    }
    return channel;
  }

 private:
  // Divides by multiplication. reciprocal * channels exceeds 2^64 by at most channels, so the
  // product exceeds unit / channels by at most unit / 2^64 < 1 / (2 * channels), too little to
  // reach the next integer.
  std::int64_t quotient(std::int64_t unit) const {
    __extension__ using Product = unsigned __int128;
    return static_cast<std::int64_t>((static_cast<Product>(unit) * reciprocal_) >> 64);
  }

  std::int64_t channels_;
  bool power_of_two_;
  std::uint64_t reciprocal_;  // 2^64 / channels, rounded up
  int bits_;
};

}  // namespace hmsim
