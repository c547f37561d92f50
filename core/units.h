// SPDX-License-Identifier: BSD-3-Clause
// Parsing and formatting of numbers with units.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/types.h"

namespace hmsim {

// Parsed value, or an error message.
template <class T>
struct Parsed {
  std::optional<T> value;
  std::string error;
};

// Decimal or 0x, optional sign. Decimal numbers may end in k, M, G or an exponent: 5M, 1e6.
Parsed<std::int64_t> parse_integer(std::string_view text);
Parsed<double> parse_real(std::string_view text);
Parsed<bool> parse_boolean(std::string_view text);  // true false yes no on off
Parsed<Tick> parse_time(std::string_view text);     // ps ns us ms s
Parsed<Bytes> parse_size(std::string_view text);    // B kB MB GB TB KiB MiB GiB TiB

// Format with the largest unit that divides the value. The text parses back to the same value.
std::string format_time(Tick value);
std::string format_size(Bytes value);
std::string format_real(double value);  // shortest text that reads back as the same double

// Units of one quantity, largest first. Values count the smallest unit.
class UnitScale {
 public:
  struct Unit {
    const char* name;
    std::int64_t factor;
  };
  // `quantity` names the type of parameters, and `example` a value, for messages.
  template <std::size_t N>
  constexpr UnitScale(const char* quantity, const std::array<Unit, N>& units, const char* example)
      : quantity_(quantity), first_(units.data()), count_(N), example_(example) {}

  const char* quantity() const { return quantity_; }
  Parsed<std::int64_t> parse(std::string_view text) const;
  std::string format(std::int64_t value) const;

 private:
  std::string names() const;

  const char* quantity_;
  const Unit* first_;
  std::size_t count_;
  const char* example_;
};

extern const UnitScale kTransferRates;  // T/s kT/s MT/s GT/s
extern const UnitScale kBitRates;       // b/s kb/s Mb/s Gb/s Tb/s
extern const UnitScale kFrequencies;    // Hz kHz MHz GHz
extern const UnitScale kVoltages;       // uV mV V
extern const UnitScale kCurrents;       // uA mA A

}  // namespace hmsim
