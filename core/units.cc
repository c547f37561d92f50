// SPDX-License-Identifier: BSD-3-Clause
#include "core/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/errors.h"

namespace hmsim {

namespace {

using Unit = UnitScale::Unit;

constexpr std::array<Unit, 5> kTimeUnits{
    {{"s", 1'000'000'000'000}, {"ms", 1'000'000'000}, {"us", 1'000'000}, {"ns", 1'000}, {"ps", 1}}};
constexpr std::array<Unit, 9> kSizeUnits{{{"TiB", std::int64_t{1} << 40},
                                          {"GiB", std::int64_t{1} << 30},
                                          {"MiB", std::int64_t{1} << 20},
                                          {"KiB", std::int64_t{1} << 10},
                                          {"TB", 1'000'000'000'000},
                                          {"GB", 1'000'000'000},
                                          {"MB", 1'000'000},
                                          {"kB", 1'000},
                                          {"B", 1}}};
constexpr std::array<Unit, 4> kRateUnits{
    {{"GT/s", 1'000'000'000}, {"MT/s", 1'000'000}, {"kT/s", 1'000}, {"T/s", 1}}};
constexpr std::array<Unit, 5> kBitRateUnits{{{"Tb/s", 1'000'000'000'000},
                                             {"Gb/s", 1'000'000'000},
                                             {"Mb/s", 1'000'000},
                                             {"kb/s", 1'000},
                                             {"b/s", 1}}};
constexpr std::array<Unit, 4> kFrequencyUnits{
    {{"GHz", 1'000'000'000}, {"MHz", 1'000'000}, {"kHz", 1'000}, {"Hz", 1}}};

constexpr std::array<Unit, 3> kVoltageUnits{{{"V", 1'000'000}, {"mV", 1'000}, {"uV", 1}}};
constexpr std::array<Unit, 3> kCurrentUnits{{{"A", 1'000'000}, {"mA", 1'000}, {"uA", 1}}};
constexpr std::array<Unit, 5> kBinaryUnits{{{"TiB", std::int64_t{1} << 40},
                                            {"GiB", std::int64_t{1} << 30},
                                            {"MiB", std::int64_t{1} << 20},
                                            {"KiB", std::int64_t{1} << 10},
                                            {"B", 1}}};
constexpr UnitScale kTimes("time", kTimeUnits, "52ns");
constexpr UnitScale kSizes("size", kSizeUnits, "4MiB");
constexpr UnitScale kBinarySizes("size", kBinaryUnits, "4MiB");

// Parses "5M", "2.5k" or "1e6": decimal digits times a power of ten. Returns nullopt unless the
// result is a whole number.
std::optional<std::int64_t> parse_scaled(std::string_view text) {
  constexpr std::array<Unit, 3> kPowers{{{"k", 3}, {"M", 6}, {"G", 9}}};
  constexpr std::int64_t kMost = 18;  // powers of ten that fit 64 bits
  const std::size_t end = text.find_first_not_of("0123456789.");
  const std::size_t point = text.find('.');
  if (end == text.npos || end == 0 || text[0] == '.') {
    return {};
  }
  std::string digits(text.substr(0, end));
  std::int64_t power = 0;
  if (text[end] == 'e' || text[end] == 'E') {
    const std::string_view exponent = text.substr(end + 1);
    const auto [last, status] =
        std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
    if (status != std::errc() || last != exponent.data() + exponent.size() || power > kMost ||
        power < -kMost) {
      return {};
    }
  } else {
    for (const Unit& unit : kPowers) {
      power = text.substr(end) == unit.name ? unit.factor : power;
    }
    if (power == 0) {
      return {};
    }
  }
  if (point < end) {
    digits.erase(point, 1);
    power -= static_cast<std::int64_t>(end - point) - 1;
  }
  while (power < 0 && !digits.empty() && digits.back() == '0') {
    digits.pop_back();
    ++power;
  }
  if (power < 0 || power > kMost) {
    return {};
  }
  digits.append(static_cast<std::size_t>(power), '0');
  std::int64_t value = 0;
  const auto [last, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return status == std::errc() && last == digits.data() + digits.size() ? std::optional(value)
                                                                        : std::nullopt;
}

}  // namespace

const UnitScale kTransferRates("rate", kRateUnits, "200MT/s");
const UnitScale kBitRates("rate", kBitRateUnits, "10Gb/s");
const UnitScale kFrequencies("frequency", kFrequencyUnits, "2GHz");
const UnitScale kVoltages("voltage", kVoltageUnits, "1.35V");
const UnitScale kCurrents("current", kCurrentUnits, "55mA");

// Parses "12.5us" as 12.5 x factor, exactly: the decimal digits are an integer over a power of ten.
Parsed<std::int64_t> UnitScale::parse(std::string_view text) const {
  const std::string shown(text.substr(0, 80));
  std::int64_t digits = 0;
  std::int64_t scale = 1;
  bool fraction = false;
  bool any = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !fraction) {
      fraction = true;
    } else if (c >= '0' && c <= '9') {
      if (digits > (std::numeric_limits<std::int64_t>::max() - (c - '0')) / 10 ||
          scale > 1'000'000'000'000) {
        return {{}, "'" + shown + "' has too many digits"};
      }
      digits = digits * 10 + (c - '0');
      scale *= fraction ? 10 : 1;
      any = true;
    } else {
      break;
    }
  }
  while (i < text.size() && text[i] == ' ') {
    ++i;
  }
  const std::string_view unit_text = text.substr(i);
  if (!any) {
    return {{}, "'" + shown + "' is not a number with a unit such as " + example_};
  }
  if (unit_text.empty()) {
    return {{}, "'" + shown + "' lacks a unit (" + names() + "), such as " + example_};
  }
  for (const Unit* unit = first_; unit != first_ + count_; ++unit) {
    if (unit_text == unit->name) {
      if (digits > std::numeric_limits<std::int64_t>::max() / unit->factor) {
        return {{}, "'" + shown + "' is too large"};
      }
      const std::int64_t product = digits * unit->factor;
      if (product % scale != 0) {
        return {{},
                "'" + shown + "' is finer than the smallest unit, 1 " + first_[count_ - 1].name};
      }
      return {product / scale, ""};
    }
  }
  return {{}, "'" + shown + "' has an unknown unit; known: " + names()};
}

std::string UnitScale::names() const {
  std::string text;
  for (std::size_t i = 0; i < count_; ++i) {
    text += std::string(i == 0 ? "" : ", ") + first_[i].name;
  }
  return text;
}

std::string UnitScale::format(std::int64_t value) const {
  const Unit* unit = first_;
  while (unit != first_ + count_ - 1 && (value == 0 || value % unit->factor != 0)) {
    ++unit;
  }
  return std::to_string(value / unit->factor) + unit->name;
}

Parsed<std::int64_t> parse_integer(std::string_view text) {
  const std::string shown(text.substr(0, 80));
  std::string_view digits = text;
  const bool negative = !digits.empty() && digits.front() == '-';
  if (negative) {
    digits.remove_prefix(1);
  }
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
    base = 16;
    digits.remove_prefix(2);
  }
  std::uint64_t magnitude = 0;
  const auto [end, status] =
      std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  if (status == std::errc::result_out_of_range ||
      magnitude > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    return {{}, "'" + shown + "' does not fit 64 bits"};
  }
  auto value = static_cast<std::int64_t>(magnitude);
  if (status != std::errc() || end != digits.data() + digits.size()) {
    const std::optional<std::int64_t> scaled = parse_scaled(digits);
    if (!scaled || base == 16) {
      return {{}, "'" + shown + "' is not a whole number"};
    }
    value = *scaled;
  }
  return {negative ? -value : value, ""};
}

Parsed<double> parse_real(std::string_view text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return {{}, in_quotes(text.substr(0, 80)) + " is not a number"};
  }
  return {value, ""};
}

Parsed<bool> parse_boolean(std::string_view text) {
  for (const char* yes : {"true", "yes", "on"}) {
    if (text == yes) {
      return {true, ""};
    }
  }
  for (const char* no : {"false", "no", "off"}) {
    if (text == no) {
      return {false, ""};
    }
  }
  return {{}, in_quotes(text.substr(0, 80)) + " is not a truth value: must be true or false"};
}

Parsed<Tick> parse_time(std::string_view text) {
  const auto parsed = kTimes.parse(text);
  return {parsed.value ? std::optional(Tick(*parsed.value)) : std::nullopt, parsed.error};
}

Parsed<Bytes> parse_size(std::string_view text) {
  const auto parsed = kSizes.parse(text);
  return {parsed.value ? std::optional(Bytes(*parsed.value)) : std::nullopt, parsed.error};
}

std::string format_time(Tick value) {
  return value == Tick(0) ? "0s" : kTimes.format(value.value());
}

std::string format_size(Bytes value) { return kBinarySizes.format(value.value()); }

std::string format_real(double value) {
  std::array<char, 32> buffer{};
  const auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return status == std::errc() ? std::string(buffer.data(), end) : std::string("0");
}

}  // namespace hmsim
