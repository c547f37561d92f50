// SPDX-License-Identifier: BSD-3-Clause
// Fast reader for lines in the plainest form, which nearly all lines of a long trace have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hmsim {

// Value of each character as a hexadecimal digit, or 255.
inline constexpr auto kHexadecimalDigits = [] {
  std::array<std::uint8_t, 256> values{};
  for (std::uint8_t& value : values) {
    value = 255;
  }
  for (std::size_t digit = 0; digit < 16; ++digit) {
    values[static_cast<unsigned char>("0123456789abcdef"[digit])] =
        static_cast<std::uint8_t>(digit);
    values[static_cast<unsigned char>("0123456789ABCDEF"[digit])] =
        static_cast<std::uint8_t>(digit);
  }
  return values;
}();

// Reads the fields of a line in place: short numbers and words, separated by one blank and ended by
// a line feed. Rejects anything else; TextTrace then reads the line or reports what is wrong.
class FastLine {
 public:
  static constexpr std::size_t kText = 96;  // bytes that must be readable from the line's start

  explicit FastLine(const char* text) : start_(text), at_(text) {}

  // Each of these reads a field and the character after it. Returns false if the text does not
  // match. At most five fields fit kText.
  //
  // Reads a hexadecimal number, with or without 0x.
  bool hexadecimal(std::uint64_t& value, char end) {
    constexpr int kMost = 16;  // digits that fit 64 bits
    at_ += std::memcmp(at_, "0x", 2) == 0 ? 2 : 0;
    std::uint64_t sum = 0;
    int count = 0;
    for (; count < kMost; ++count) {
      const std::uint64_t digit = kHexadecimalDigits[static_cast<unsigned char>(at_[count])];
      if (digit > 15) {
        break;
      }
      sum = sum << 4 | digit;
    }
    value = sum;
    at_ += count;
    return count > 0 && passed(end);
  }
  // Reads a decimal number of at most 16 digits.
  bool decimal(std::uint64_t& value, char end) {
    const int count = eight_digits(at_, value);
    at_ += count;
    if (count == 8) {
      std::uint64_t more = 0;
      const int further = eight_digits(at_, more);
      value = value * kPowers[static_cast<std::size_t>(further)] + more;
      at_ += further;
    }
    return count > 0 && passed(end);
  }
  // Reads one of two words, which must differ in their first letter.
  template <std::size_t A, std::size_t B>
  bool either(const char (&first)[A], const char (&second)[B], bool& is_second, char end) {
    is_second = *at_ != *first;
    return (is_second ? word(second) : word(first)) && passed(end);
  }

  std::size_t length() const { return static_cast<std::size_t>(at_ - start_); }  // bytes read

 private:
  static constexpr std::array<std::uint64_t, 9> kPowers{
      1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};

  // Decodes the decimal digits among the next eight characters, up to the first other character.
  // Returns their number. Works on all eight bytes of a word at once, the first in the lowest byte.
  static int eight_digits(const char* text, std::uint64_t& value) {
    constexpr std::uint64_t kEach = 0x0101'0101'0101'0101;
    std::uint64_t word = 0;
    std::memcpy(&word, text, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    word ^= '0' * kEach;  // a digit's byte becomes its value, any other's exceeds 9
    const std::uint64_t others = ((word + (0x7f - 9) * kEach) | word) & (0x80 * kEach);
    const int count = others == 0 ? 8 : __builtin_ctzll(others) / 8;
    if (count == 0) {
      return 0;
    }
    word <<= 8 * (8 - count);        // leading zeros
    word = word * 10 + (word >> 8);  // combines pairs into every other byte
    word = (word & 0x00ff'00ff'00ff'00ff) * 100 + ((word >> 16) & 0x00ff'00ff'00ff'00ff);
    value = (word & 0xffff) * 10'000 + ((word >> 32) & 0xffff);
    return count;
  }

  template <std::size_t N>
  bool word(const char (&wanted)[N]) {
    if (std::memcmp(at_, wanted, N - 1) != 0) {
      return false;
    }
    at_ += N - 1;
    return true;
  }
  bool passed(char wanted) {
    if (*at_ != wanted) {
      return false;
    }
    ++at_;
    return true;
  }

  const char* start_;
  const char* at_;
};

}  // namespace hmsim
