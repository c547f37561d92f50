// SPDX-License-Identifier: BSD-3-Clause
#include "traces/trace_summary.h"

#include <algorithm>
#include <iterator>

#include "core/random.h"

namespace hmsim {

namespace {

constexpr std::uint64_t kPageLines = RunCounts::kPage / kLineSize;

constexpr std::uint64_t bits(std::uint64_t first, std::uint64_t count) {
  return (count >= kPageLines ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << first;
}

}  // namespace

bool DistinctCount::keeps(std::uint64_t number) const {
  return (mix64(number) & ((std::uint64_t{1} << zeros_) - 1)) == 0;
}

void DistinctCount::add(std::uint64_t number) {
  if (!keeps(number) || !kept_.insert(number).second) {
    return;
  }
  while (kept_.size() > kMost) {
    ++zeros_;
    for (auto kept = kept_.begin(); kept != kept_.end();) {
      kept = keeps(*kept) ? std::next(kept) : kept_.erase(kept);
    }
  }
}

void Intensity::add(std::uint64_t time, std::size_t kind) {
  while (time / length_ >= kBuckets) {
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      const std::array<std::uint64_t, 2> counts = buckets_[i];
      buckets_[i] = {0, 0};
      for (std::size_t each = 0; each < counts.size(); ++each) {
        buckets_[i / 2][each] += counts[each];
      }
    }
    buckets_.resize((buckets_.size() + 1) / 2);
    length_ *= 2;
  }
  const auto bucket = static_cast<std::size_t>(time / length_);
  if (bucket >= buckets_.size()) {
    buckets_.resize(bucket + 1);
  }
  ++buckets_[bucket][kind];
}

void RunCounts::add(std::uint64_t first_line, std::uint64_t last_line, std::uint64_t size) {
  const auto begun = [&](std::uint64_t part_lines) -> std::uint64_t {
    const std::uint64_t first = first_line / part_lines;
    return last_line / part_lines - first + (accesses == 0 || first != last_ / part_lines ? 1 : 0);
  };
  page_runs += begun(kPage / kLineSize);
  row_runs += begun(kRow / kLineSize);
  sequential += last_line - first_line + (accesses != 0 && first_line == last_ + 1 ? 1 : 0);
  lines += last_line - first_line + 1;
  bytes += size;
  ++accesses;
  last_ = last_line;
}

void PageVisits::touch(std::uint64_t page, std::uint64_t mask) {
  auto visit = std::find_if(recent_.begin(), recent_.end(),
                            [page](const Visit& each) { return each.page == page; });
  if (visit == recent_.end()) {
    pages_.add(page);
    ++visits_;
    if (recent_.size() < kRecent) {
      recent_.push_back({page, 0});
    } else {
      recent_.back() = {page, 0};
    }
    visit = recent_.end() - 1;
  }
  lines_ += static_cast<std::uint64_t>(__builtin_popcountll(mask & ~visit->touched));
  visit->touched |= mask;
  std::rotate(recent_.begin(), visit, visit + 1);
}

void PageVisits::add(std::uint64_t first_line, std::uint64_t last_line) {
  const std::uint64_t end = last_line / kPageLines;
  for (std::uint64_t page = first_line / kPageLines; page <= end; ++page) {
    if (page - first_line / kPageLines == kMostPages && end - page > kRecent) {
      const std::uint64_t whole = end - page - kRecent;
      pages_.add_others(whole);
      visits_ += whole;
      lines_ += whole * kPageLines;
      page += whole;
    }
    const std::uint64_t first = std::max(first_line, page * kPageLines) % kPageLines;
    const std::uint64_t last = std::min(last_line, page * kPageLines + kPageLines - 1) % kPageLines;
    touch(page, bits(first, last - first + 1));
  }
}

void TraceSummary::add(const TraceRecord& record) {
  if (record.bytes == 0) {
    return;
  }
  const std::uint64_t most = ~std::uint64_t{0} - record.address;  // bytes after the first one
  const std::uint64_t first = record.address / kLineSize;
  const std::uint64_t last = (record.address + std::min(record.bytes - 1, most)) / kLineSize;
  Memory& memory = memories_[record.address >= nvdimm_ ? 1 : 0];
  const std::size_t kind = record.write ? 1 : 0;
  memory.runs[kind].add(first, last, record.bytes);
  memory.visits.add(first, last);
  if (!first_time_) {
    first_time_ = times_ == Times::from_first ? record.time : 0;
  }
  const std::uint64_t time = record.time - std::min(record.time, *first_time_);
  memory.intensity.add(times_ == Times::none ? accesses_++ : time, kind);
  sources_.add(record.device);
  last_time_ = std::max(last_time_, time);
}

}  // namespace hmsim
