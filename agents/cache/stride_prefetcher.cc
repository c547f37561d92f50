// SPDX-License-Identifier: BSD-3-Clause
#include "agents/cache/stride_prefetcher.h"

#include "core/archive.h"
#include "core/random.h"
#include "core/types.h"

namespace hmsim {

void StridePrefetcher::Entry::serialize(Archive& archive) { archive(ip, line, stride, valid); }

StridePrefetcher::StridePrefetcher(const PrefetcherParameters& parameters)
    : parameters_(parameters), entries_(parameters.kind == PrefetcherKind::none ? 0 : kEntries) {}

void StridePrefetcher::access(std::uint64_t ip, std::uint64_t line,
                              std::vector<std::uint64_t>& lines) {
  if (entries_.empty()) {
    return;
  }
  Entry& entry = entries_[mix64(ip) % entries_.size()];
  if (!entry.valid || entry.ip != ip) {
    entry = {ip, line, 0, true};
    return;
  }
  const auto stride = static_cast<std::int64_t>(line - entry.line);
  if (stride == 0) {
    return;
  }
  const bool follows = stride == entry.stride;
  entry.line = line;
  entry.stride = stride;
  if (!follows) {
    return;
  }
  for (std::int64_t i = 0; i < parameters_.degree; ++i) {
    const auto step =
        static_cast<std::uint64_t>(stride) * static_cast<std::uint64_t>(parameters_.distance + i);
    const std::uint64_t ahead = line + step;
    if (ahead / kLinesPerPage != line / kLinesPerPage) {
      return;
    }
    lines.push_back(ahead);
  }
}

void StridePrefetcher::serialize(Archive& archive) { archive.fixed(entries_); }

}  // namespace hmsim
