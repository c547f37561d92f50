// SPDX-License-Identifier: BSD-3-Clause
#include "core/errors.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hmsim {

namespace {

std::string describe(std::string_view component, Tick now, std::int64_t request,
                     std::string_view message) {
  std::string text(component);
  text += " at " + std::to_string(now.value()) + " ps";
  if (request >= 0) {
    text += ", request " + std::to_string(request);
  }
  return text + ": " + std::string(message);
}

constexpr std::size_t kLongestName = 256;  // the distance costs |a| x |b|

// Levenshtein distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace

Fault::Fault(std::string_view component, Tick now, std::int64_t request, std::string_view message)
    : std::logic_error(describe(component, now, request, message)) {}

void raise_fault(std::string_view component, Tick now, std::int64_t request,
                 std::string_view message) {
  throw Fault(component, now, request, message);
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.size() > kLongestName) {
    return "";
  }
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::vector<std::string> nearest_names(std::string_view name,
                                       const std::vector<std::string>& candidates,
                                       std::size_t count) {
  if (name.size() > kLongestName) {
    return {};
  }
  std::vector<std::pair<std::size_t, std::size_t>> by_distance;  // distance, place
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    by_distance.emplace_back(edit_distance(name, candidates[i]), i);
  }
  std::sort(by_distance.begin(), by_distance.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(count, by_distance.size()); ++i) {
    names.push_back(candidates[by_distance[i].second]);
  }
  return names;
}

}  // namespace hmsim
