// SPDX-License-Identifier: BSD-3-Clause
#include "embed/written_pages.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "core/errors.h"
#include "core/text.h"

namespace hmsim {

namespace {

// Parses a whole number of at least `least`. Returns -1 if the text is anything else.
std::int64_t number(std::string_view text, std::int64_t least) {
  std::int64_t value = -1;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && value >= least ? value : -1;
}

}  // namespace

std::vector<std::int64_t> WrittenPages::oldest_first() const {
  std::vector<std::pair<std::uint64_t, std::int64_t>> order;
  order.reserve(last_write_.size());
  for (const auto& [page, write] : last_write_) {
    order.emplace_back(write, page);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::int64_t> pages;
  pages.reserve(order.size());
  for (const auto& [write, page] : order) {
    pages.push_back(page);
  }
  return pages;
}

std::string WrittenPages::text() const {
  const std::vector<std::int64_t> pages = oldest_first();
  std::string lines;
  for (std::size_t begin = 0, end = 0; begin < pages.size(); begin = end) {
    while (end < pages.size() &&
           pages[end] - pages[begin] == static_cast<std::int64_t>(end - begin)) {
      ++end;
    }
    lines += std::to_string(pages[begin]) + ' ' + std::to_string(end - begin) + '\n';
  }
  return lines;
}

std::vector<std::int64_t> written_pages(std::string_view text, std::int64_t end) {
  std::vector<std::int64_t> pages;
  for (std::int64_t line = 1; !text.empty(); ++line) {
    std::string_view rest = cut(text, '\n');
    const std::int64_t first = number(cut(rest, ' '), 0);
    const std::int64_t count = number(rest, 1);
    if (first < 0 || count < 0 || first >= end || count > end - first) {
      throw InputError("line " + std::to_string(line) + ": expected 'FIRST COUNT', pages below " +
                       std::to_string(end));
    }
    if (pages.size() + static_cast<std::size_t>(count) > static_cast<std::size_t>(end)) {
      throw InputError("line " + std::to_string(line) + ": more pages than the " +
                       std::to_string(end) + " of the NVDIMM: each page may occur once");
    }
    for (std::int64_t page = first; page < first + count; ++page) {
      pages.push_back(page);
    }
  }
  return pages;
}

}  // namespace hmsim
