// SPDX-License-Identifier: BSD-3-Clause
#include "agents/random_streams.h"

#include <map>
#include <string>

#include "core/archive.h"
#include "core/units.h"

namespace hmsim {

namespace {

// Returns the text of a key; "" if it is missing.
std::string text_of(const Assignments& keys, std::string_view name) {
  std::string text;
  for (const Assignment& key : keys) {
    text = key.first == name ? key.second : text;
  }
  return text;
}

// Returns the value of an integer key; 0, the default of these keys, if it is missing.
std::string integer_of(const Assignments& keys, std::string_view name) {
  return std::to_string(parse_integer(text_of(keys, name)).value.value_or(0));
}

}  // namespace

std::vector<std::int64_t> random_streams(const std::vector<Assignments>& agents) {
  constexpr int kBitsLeftOut = 16;
  std::map<std::string, std::int64_t> counts;
  std::vector<std::int64_t> streams;
  for (const Assignments& keys : agents) {
    const std::string place =
        text_of(keys, "kind") + " " + integer_of(keys, "node") + " " + integer_of(keys, "core");
    const std::string name = place + " " + std::to_string(counts[place]++);
    streams.push_back(static_cast<std::int64_t>(hash_bytes(name) >> kBitsLeftOut));
  }
  return streams;
}

}  // namespace hmsim
