// SPDX-License-Identifier: BSD-3-Clause
#include "core/errors.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
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

constexpr std::size_t kLongestName = 256;  // edit distance costs |a| x |b|

// Returns the Levenshtein distance.
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

// Returns `name` in lower case, without separators between words.
std::string letters(std::string_view name) {
  std::string kept;
  for (const char c : name) {
    if (c != '_' && c != '-' && c != '.' && c != ' ') {
      kept += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return kept;
}

std::string_view first_part(std::string_view name) { return name.substr(0, name.find('.')); }
std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

// Returns whether `word` is the plural of the part whose `count` the candidate is.
bool asks_for_count(std::string_view word, std::string_view candidate) {
  return word == std::string(first_part(candidate)) + "s" && last_part(candidate) == "count";
}

bool ends_with(const std::string& name, const std::string& end) {
  return name.size() >= end.size() && name.compare(name.size() - end.size(), end.npos, end) == 0;
}

// Returns whether two names share a word of at least four letters.
bool share_word(std::string_view a, std::string_view b) {
  constexpr std::size_t kShortest = 4;
  const std::string others = '_' + std::string(b) + '_';
  while (!a.empty()) {
    const std::size_t end = std::min(a.find('_'), a.size());
    const std::string word = '_' + std::string(a.substr(0, end)) + '_';
    if (end >= kShortest && others.find(word) != others.npos) {
      return true;
    }
    a.remove_prefix(std::min(end + 1, a.size()));
  }
  return false;
}

// Distance of a candidate from a name: first by the kind of similarity, then by edit distance.
struct Difference {
  enum class Shared : std::uint8_t { letters, ends, most, end, last_part, word, little };

  Difference(std::string_view name, std::string_view candidate)
      : distance(edit_distance(name, candidate)) {
    const bool parts = name.find('.') != name.npos && candidate.find('.') != candidate.npos &&
                       last_part(name) == last_part(candidate);
    if (letters(name) == letters(candidate) || asks_for_count(last_part(name), candidate)) {
      shared = Shared::letters;
    } else if (parts && first_part(name) == first_part(candidate)) {
      shared = Shared::ends;
    } else if (distance <= std::max<std::size_t>(2, name.size() / 3)) {
      shared = Shared::most;
    } else if (name.size() > 3 && ends_with(letters(candidate), letters(name))) {
      shared = Shared::end;
    } else if (parts) {
      shared = Shared::last_part;
    } else if ((name.find('.') == name.npos || first_part(name) == first_part(candidate)) &&
               share_word(last_part(name), last_part(candidate))) {
      shared = Shared::word;
    }
  }

  friend bool operator<(const Difference& a, const Difference& b) {
    return std::tie(a.shared, a.distance) < std::tie(b.shared, b.distance);
  }

  Shared shared = Shared::little;
  std::size_t distance;
};

}  // namespace

Fault::Fault(std::string_view component, Tick now, std::int64_t request, std::string_view message)
    : std::logic_error(describe(component, now, request, message)) {}

void raise_fault(std::string_view component, Tick now, std::int64_t request,
                 std::string_view message) {
  throw Fault(component, now, request, message);
}

std::string in_quotes(std::string_view text) {
  std::string quoted;
  quoted.reserve(text.size() + 2);
  quoted += '\'';
  quoted += text;
  quoted += '\'';
  return quoted;
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  const std::vector<std::string> nearest = nearest_names(name, candidates, 1);
  return nearest.empty() || Difference(name, nearest[0]).shared == Difference::Shared::little
             ? ""
             : nearest[0];
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

std::vector<std::string> nearest_names(std::string_view name,
                                       const std::vector<std::string>& candidates,
                                       std::size_t count) {
  if (name.size() > kLongestName) {
    return {};
  }
  std::vector<std::pair<Difference, std::size_t>> by_difference;  // with the candidate's index
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    by_difference.emplace_back(Difference(name, candidates[i]), i);
  }
  std::sort(by_difference.begin(), by_difference.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(count, by_difference.size()); ++i) {
    names.push_back(candidates[by_difference[i].second]);
  }
  return names;
}

}  // namespace hmsim
