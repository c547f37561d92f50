// SPDX-License-Identifier: BSD-3-Clause
#include "traces/captured_job.h"

#include <algorithm>
#include <utility>

#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

namespace {

std::uint64_t line_of(const Miss& miss) {
  const auto line = static_cast<std::uint64_t>(kLineBytes.value());
  return (miss.load ? miss.load_address : miss.write_address) / line;
}

}  // namespace

CapturedJob::CapturedJob(std::unique_ptr<MissSource> source, std::uint64_t skip, std::string file,
                         const TransferLimits& limits, bool reads, bool writes)
    : file_(std::move(file)),
      tape_(std::move(source), skip, file_),
      limits_(limits),
      reads_(reads),
      writes_(writes) {}

JobRecord CapturedJob::next(JobPlace& place) {
  JobRecord record;
  while (const Miss* miss = tape_.at(place.record)) {
    ++place.record;
    const bool nvdimm = miss->memory == MemoryClass::nvdimm;
    std::uint64_t& copied_to = place.copied_to[miss->load ? 0 : 1];
    const bool within = nvdimm && place.record <= copied_to;
    const bool transfers = miss->load ? reads_ : writes_;
    if (within && transfers) {
      continue;
    }
    record.gap += miss->gap;
    record.miss = *miss;
    record.action = JobAction::miss;
    if (nvdimm && !within) {
      const std::uint64_t lines = take_lines(place, *miss);
      if (transfers) {
        record.action = record.miss.load ? JobAction::read : JobAction::write;
        record.first_line = line_of(record.miss);
        record.lines = lines;
      } else {
        record.copies = lines;
      }
    }
    record.ends_copy = nvdimm && !transfers && place.record == copied_to;
    return record;
  }
  record.gap += tape_.rest();
  return record;
}

// Finds the lines that form one transfer with `first`. Returns their number.
std::uint64_t CapturedJob::take_lines(JobPlace& place, Miss first) {
  std::uint64_t lines = 1;
  std::uint64_t& copied_to = place.copied_to[first.load ? 0 : 1];
  copied_to = place.record;
  for (std::uint64_t number = place.record; lines < limits_.lines; ++number) {
    const Miss* miss = tape_.at(number);
    if (miss == nullptr || miss->gap > limits_.gap) {
      return lines;
    }
    if (miss->memory == MemoryClass::dram || miss->load != first.load) {
      continue;
    }
    if (line_of(*miss) != line_of(first) + lines) {
      return lines;
    }
    ++lines;
    copied_to = number + 1;
  }
  return lines;
}

void CapturedJob::check(const Archive& archive, const JobPlace& place) {
  // Read the tape up to the place, so that fraction() is known.
  archive.check(place.record == 0 || tape_.at(place.record - 1) != nullptr,
                "invalid place of a thread in its trace");
}

}  // namespace hmsim
