// SPDX-License-Identifier: BSD-3-Clause
#include "agents/random_streams.h"

#include <map>
#include <string>

#include "core/archive.h"
#include "core/units.h"

namespace hmsim {

namespace {

// Returns the value of an integer key; 0, the default of these keys, if it is missing.
std::int64_t integer_of(const Assignments& keys, std::string_view name) {
  std::int64_t value = 0;
  for (const Assignment& key : keys) {
    if (key.first == name) {
      value = parse_integer(key.second).value.value_or(0);
    }
  }
  return value;
}

std::string kind_of(const Assignments& keys) {
  std::string kind;
  for (const Assignment& key : keys) {
    if (key.first == "kind") {
      kind = key.second;
    }
  }
  return kind;
}

}  // namespace

std::vector<std::int64_t> random_streams(const std::vector<Assignments>& agents) {
  constexpr int kBitsLeftOut = 16;
  std::map<std::string, std::int64_t> counts;
  std::vector<std::int64_t> streams;
  for (const Assignments& keys : agents) {
    const std::string place = kind_of(keys) + " " + std::to_string(integer_of(keys, "node")) + " " +
                              std::to_string(integer_of(keys, "core"));
    const std::string name = place + " " + std::to_string(counts[place]++);
    streams.push_back(static_cast<std::int64_t>(hash_bytes(name) >> kBitsLeftOut));
  }
  return streams;
}

}  // namespace hmsim
