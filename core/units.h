// SPDX-License-Identifier: BSD-3-Clause
// Parsing and formatting of numbers with units.
#pragma once

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
Parsed<bool> parse_boolean(std::string_view text);            // true false yes no on off
Parsed<Tick> parse_time(std::string_view text);               // ps ns us ms s
Parsed<Bytes> parse_size(std::string_view text);              // B kB MB GB TB KiB MiB GiB TiB
Parsed<std::int64_t> parse_rate(std::string_view text);       // T/s kT/s MT/s GT/s
Parsed<std::int64_t> parse_bit_rate(std::string_view text);   // b/s kb/s Mb/s Gb/s Tb/s
Parsed<std::int64_t> parse_frequency(std::string_view text);  // Hz kHz MHz GHz

Parsed<std::int64_t> parse_voltage(std::string_view text);  // uV mV V: microvolts
Parsed<std::int64_t> parse_current(std::string_view text);  // uA mA A: microamperes

// Format with the largest unit that divides the value. The text parses back to the same value.
std::string format_time(Tick value);
std::string format_size(Bytes value);
std::string format_rate(std::int64_t value);
std::string format_bit_rate(std::int64_t value);
std::string format_frequency(std::int64_t value);
std::string format_voltage(std::int64_t microvolts);
std::string format_current(std::int64_t microamperes);
std::string format_real(double value);  // shortest text that reads back as the same double

}  // namespace hmsim
