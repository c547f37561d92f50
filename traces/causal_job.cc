// SPDX-License-Identifier: BSD-3-Clause
#include "traces/causal_job.h"

#include <algorithm>
#include <utility>

#include "core/archive.h"
#include "core/errors.h"
#include "core/types.h"
#include "traces/cause_records.h"

namespace hmsim {

namespace {

constexpr auto kPageLines = static_cast<std::uint64_t>(kLinesPerPage);
constexpr std::uint64_t kEnded = UINT64_MAX;  // a place after the thread's last step

// Makes the step a miss of the record's line. If one instruction loads two lines, its second record
// has no instructions. Counts one for it, so that each loaded line has an instruction.
void take_miss(std::uint64_t word, MemoryClass memory, JobRecord& record) {
  const bool load = record_kind(word) == RecordKind::fill;
  const std::uint64_t address = (record_line(word) & ~kNvdimmLine) * kLineSize;
  record.action = JobAction::miss;
  record.miss.memory = memory;
  record.miss.load = load;
  record.miss.write = !load;
  record.miss.non_temporal = record_kind(word) == RecordKind::non_temporal;
  (load ? record.miss.load_address : record.miss.write_address) = address;
  record.gap += load && record.gap == 0 ? 1 : 0;
}

}  // namespace

CausalJob::CausalJob(std::unique_ptr<MissSource> source, std::uint64_t skip, std::uint64_t length,
                     bool transfers, std::string file)
    : file_(std::move(file)),
      source_(std::move(source)),
      tape_(*source_->causes()),
      skip_(skip),
      spans_(tape_, skip, length, file_),
      transfers_(transfers) {
  for (const CapturedThread& thread : spans_.threads()) {
    last_span_.push_back(thread.spans.data());
  }
}

std::string CausalJob::name_of(std::uint32_t thread) const {
  const CapturedThread& each = spans_.threads()[thread];
  const std::string number = std::to_string(each.number);
  return each.name.empty() ? number : each.name + " " + number;
}

JobPlace CausalJob::begin(std::uint32_t thread) const {
  return {thread, spans_.threads()[thread].spans.front().first};
}

// Returns a span that contains the place or ends there. Starts at the thread's previous span, which
// usually is the right one.
const ThreadSpan& CausalJob::span_at(const JobPlace& place) {
  const ThreadSpan*& span = last_span_[place.thread];
  if (span->first > place.record || span->last < place.record) {
    const std::vector<ThreadSpan>& spans = spans_of(place);
    const auto behind = std::upper_bound(
        spans.begin(), spans.end(), place.record,
        [](std::uint64_t record, const auto& each) { return record < each.first; });
    span = behind == spans.begin() ? &*behind : &*std::prev(behind);
  }
  return *span;
}

JobRecord CausalJob::next(JobPlace& place) {
  JobRecord record;
  while (place.record != kEnded) {
    const ThreadSpan& span = span_at(place);
    if (place.record == span.last) {
      if (end_span(place, span, record)) {
        return record;
      }
      continue;
    }
    const std::uint64_t word = tape_.at(place.record++);
    if (record_vcpu(word) != span.vcpu) {
      continue;
    }
    const bool escape = record_kind(word) == RecordKind::escape;
    if (escape ? take_escape(word, place, record) : take_line(word, place, record)) {
      return record;
    }
  }
  return record;
}

// Moves the place past a span. Returns true if the span's end is a step, which `record` then holds.
bool CausalJob::end_span(JobPlace& place, const ThreadSpan& span, JobRecord& record) const {
  place.record = &span != &spans_of(place).back() ? (&span + 1)->first : kEnded;
  if (span.end == SpanEnd::waits) {
    record.action = JobAction::wait;
    record.event = place.thread;
  } else if (span.end == SpanEnd::sleeps) {
    record.action = JobAction::sleep;
    record.time = static_cast<std::int64_t>(span.sleep_us) * kMicrosecond;
  }
  return span.end != SpanEnd::goes_on;
}

bool CausalJob::take_escape(std::uint64_t word, const JobPlace& place, JobRecord& record) const {
  const CauseRecord cause(word);
  switch (static_cast<EscapeCode>(record_high(word))) {
    case EscapeCode::add_instructions:
      record.gap += static_cast<std::int64_t>(record_line(word));
      if (static_cast<std::uint64_t>(record.gap) > kMaxGap) {
        throw InputError(where(place) + ": more than 2^48 instructions between two steps");
      }
      return false;
    case EscapeCode::wake: {
      const std::optional<std::uint32_t> woken = spans_.find(cause.thread());
      if (!woken || *woken == place.thread) {
        return false;
      }
      record.action = JobAction::wake;
      record.event = *woken;
      return true;
    }
    case EscapeCode::bio:
      end_copy(place, record);
      if (cause.operation() != BioOperation::flush && !cause.flushes_first()) {
        return false;
      }
      record.action = JobAction::sync;
      return true;
    case EscapeCode::bio_end:
      end_copy(place, record);
      return false;
    case EscapeCode::use:
      record.action = JobAction::use;
      record.first_line = cause.page() * kPageLines;
      return transfers_;
    default:
      return false;
  }
}

bool CausalJob::take_line(std::uint64_t word, JobPlace& place, JobRecord& record) const {
  if ((record_line(word) & kNvdimmLine) != 0) {
    return take_nvdimm_line(word, place, record);
  }
  record.gap += static_cast<std::int64_t>(record_high(word));
  take_miss(word, MemoryClass::dram, record);
  return true;
}

bool CausalJob::take_nvdimm_line(std::uint64_t word, JobPlace& place, JobRecord& record) const {
  const bool load = record_kind(word) == RecordKind::fill;
  std::uint64_t& copied_to = place.copied_to[load ? 0 : 1];
  const bool within = place.record <= copied_to;
  if (within && transfers_) {
    return false;
  }
  record.gap += static_cast<std::int64_t>(record_high(word));
  const CapturedBio* const bio = within ? nullptr : bio_at(place);
  if (bio != nullptr) {
    copied_to = bio->end;
  }
  if (bio != nullptr && transfers_) {
    const JobAction reads = bio->reads_ahead ? JobAction::read_ahead : JobAction::read;
    const std::uint64_t line = record_line(word) & ~kNvdimmLine;
    record.action = load ? reads : JobAction::write;
    record.first_line = line / kPageLines * kPageLines;
    record.lines = bio->pages * kPageLines;
    return true;
  }
  record.copies = bio != nullptr ? bio->pages * kPageLines : 0;
  take_miss(word, MemoryClass::nvdimm, record);
  return true;
}

// Returns the block request that contains the record before the place, or nullptr.
const CapturedBio* CausalJob::bio_at(const JobPlace& place) const {
  const std::vector<CapturedBio>& bios = spans_.threads()[place.thread].bios;
  const auto behind =
      std::upper_bound(bios.begin(), bios.end(), place.record - 1,
                       [](std::uint64_t record, const auto& bio) { return record < bio.begin; });
  const bool within = behind != bios.begin() && place.record - 1 < std::prev(behind)->end;
  return within && std::prev(behind)->pages > 0 ? &*std::prev(behind) : nullptr;
}

// Sets copy_ended if the record before the place was the last line of a block request that a thread
// copies by misses.
void CausalJob::end_copy(const JobPlace& place, JobRecord& record) const {
  for (std::size_t way = 0; way < place.copied_to.size() && !transfers_; ++way) {
    record.copy_ended[way] |= place.copied_to[way] == place.record - 1;
  }
}

double CausalJob::fraction(const JobPlace& place) const {
  const std::vector<ThreadSpan>& spans = spans_of(place);
  const auto length = static_cast<double>(spans.back().last - spans.front().first);
  return place.record == kEnded || length == 0
             ? 1
             : static_cast<double>(place.record - spans.front().first) / length;
}

std::string CausalJob::where(const JobPlace& place) const {
  return file_ + ": record " + std::to_string(place.record) + " of thread " + name_of(place.thread);
}

void CausalJob::check(const Archive& archive, const JobPlace& place) {
  if (place.record != kEnded) {
    const ThreadSpan& span = span_at(place);
    archive.check(place.record >= span.first && place.record <= span.last,
                  "invalid place of a thread in its trace");
  }
}

}  // namespace hmsim
