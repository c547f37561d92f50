// SPDX-License-Identifier: BSD-3-Clause
#include "traces/trace_formats.h"

#include <algorithm>
#include <array>

#include "core/archive.h"
#include "core/text.h"

namespace hmsim {

void Miss::serialize(Archive& archive) {
  archive(gap, load, write, dependent, non_temporal, memory, load_address, write_address);
  archive.check(gap >= 0, "miss before the preceding one");
}

bool MissSource::seek(std::uint64_t instructions, Miss& miss) {
  rewind();
  std::uint64_t passed = 0;
  bool found = false;
  do {
    found = next(miss);
    passed += static_cast<std::uint64_t>(miss.gap);
  } while (found && instructions != 0 && passed <= instructions);
  miss.gap = static_cast<std::int64_t>(passed - std::min(passed, instructions));
  return found;
}

void Access::serialize(Archive& archive) { archive(address, write, cycle, requestor); }

void BlockRequest::serialize(Archive& archive) {
  archive(arrival_ns, device, sector, sectors, write, trim, flush, fua, handle, completion_ns);
  archive.check(sectors <= kMaxSectors, "block request too long");
}

void Instruction::serialize(Archive& archive) { archive(ip, sources, destinations, loads, stores); }

const char* name_of(TraceKind kind) {
  constexpr std::array<const char*, 5> kNames{"misses", "accesses", "blocks", "instructions",
                                              "jobs"};
  return kNames[static_cast<std::size_t>(kind)];
}

const char* name_of(TimeUnit unit) {
  constexpr std::array<const char*, 5> kNames{"", "instructions", "cycles", "ns", "ps"};
  return kNames[static_cast<std::size_t>(unit)];
}

std::vector<std::string> format_names(TraceKind kind) {
  std::vector<std::string> names;
  for (const FormatDescriptor* format : kFormatTable) {
    if (format->kind() == kind) {
      names.emplace_back(format->name);
    }
  }
  return names;
}

const FormatDescriptor* find_format(const std::string& name) {
  for (const FormatDescriptor* format : kFormatTable) {
    if (name == format->name) {
      return format;
    }
  }
  return nullptr;
}

Parsed<AddressLevels> parse_levels(std::string_view text) {
  constexpr std::size_t kMost = 16;
  constexpr std::int64_t kMostLines = std::int64_t{1} << 56;
  AddressLevels levels;
  std::int64_t left = kMostLines;  // factor by which the product may still grow
  while (!text.empty()) {
    const std::string_view word = cut(text, ',');
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
