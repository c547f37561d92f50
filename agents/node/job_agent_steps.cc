// SPDX-License-Identifier: BSD-3-Clause
// The steps of a job's threads, as cores fetch them and take them back.
#include <algorithm>
#include <utility>

#include "agents/node/job_agent.h"
#include "core/errors.h"

namespace hmsim {

namespace {

constexpr auto kLine = static_cast<std::uint64_t>(kLineBytes.value());

}  // namespace

// Reads the thread's next record, cut at its limit of instructions.
void JobAgent::fetch(JobThread& thread) {
  thread.record = program_->next(thread.place);
  thread.has_record = true;
  if (thread.record.gap > thread.left) {
    thread.record = JobRecord();
    thread.record.gap = thread.left;
  }
  thread.left -= thread.record.gap;
  const bool line =
      thread.record.action == JobAction::miss && thread.record.miss.memory == MemoryClass::nvdimm;
  if (line && !has_nvdimm_) {
    throw InputError(
        program_->where(thread.place) +
        ": a line of an NVDIMM is accessed, and the configuration has none: its blocks "
        "are in storage");
  }
  thread.copied = !line ? 0 : thread.record.gap <= keys_.transfer_gap ? thread.record.gap : 1;
}

ThreadStep JobAgent::next(std::uint32_t number, std::int64_t most) {
  JobThread& thread = threads_[number];
  if (thread.lines > 0) {
    return copy_line(thread, {});
  }
  if (is_flusher(number)) {
    return next_of_flusher(number);
  }
  if (!thread.has_record) {
    fetch(thread);
  }
  const CopiesEnded ended = std::exchange(thread.record.copy_ended, {});
  if (thread.record.gap > most || most == 0) {
    return part_of_step(thread, most, ended);
  }
  if (thread.record.action == JobAction::miss) {
    return miss_of(thread, ended);
  }
  if (copies_by_itself(number, thread.record.action)) {
    thread.has_record = false;
    thread.next_line = thread.record.first_line;
    thread.lines = thread.record.lines;
    return copy_line(thread, ended);
  }
  ThreadStep step;
  step.miss.gap = std::exchange(thread.record.gap, 0);
  step.copy.ended = ended;
  return step;
}

ThreadStep JobAgent::next_of_flusher(std::uint32_t number) {
  JobThread& thread = threads_[number];
  if (thread.has_record && copies_by_itself(number, thread.record.action) &&
      thread.next_line == thread.record.first_line) {
    thread.lines = thread.record.lines;
    return copy_line(thread, {});
  }
  return ThreadStep();
}

// The record does not fit into the time slice: its first `most` instructions.
ThreadStep JobAgent::part_of_step(JobThread& thread, std::int64_t most, CopiesEnded ended) {
  ThreadStep step;
  step.kind = ThreadStep::Kind::preempted;
  step.miss.gap = most;
  step.copy.ended = ended;
  step.copy.instructions = std::min(thread.copied, thread.record.gap) -
                           std::min(thread.copied, thread.record.gap - most);
  thread.record.gap -= most;
  return step;
}

// The record is a miss, which may copy a line of a block request.
ThreadStep JobAgent::miss_of(JobThread& thread, CopiesEnded ended) {
  const std::int64_t gap = std::exchange(thread.record.gap, 0);
  const JobRecord& record = thread.record;
  thread.has_record = false;
  const bool begins = record.copies > 0;
  if (begins) {
    const std::uint64_t address =
        record.miss.load ? record.miss.load_address : record.miss.write_address;
    thread.fetched_copy = {address / kLine, record.copies};
  }
  ThreadStep step{
      ThreadStep::Kind::miss,
      record.miss,
      {std::min(thread.copied, gap), !record.miss.load, begins, record.ends_copy, ended}};
  step.miss.gap = gap;
  return step;
}

// A flusher's transfer is never taken back. The instructions before a transfer of the program
// belong to the step that copies its first line.
bool JobAgent::may_take_back(std::uint32_t number) const {
  const JobThread& thread = threads_[number];
  const bool copies = copies_by_itself(number, thread.record.action) && !thread.has_record;
  return !is_flusher(number) && (!copies || thread.next_line == thread.record.first_line + 1);
}

void JobAgent::take_back(std::uint32_t number, std::int64_t instructions) {
  JobThread& thread = threads_[number];
  if (copies_by_itself(number, thread.record.action) && !thread.has_record) {
    thread.lines = 0;
    instructions = std::max<std::int64_t>(0, instructions - keys_.node.copy_instructions);
  }
  thread.record.gap += instructions;
  thread.has_record = true;
}

}  // namespace hmsim
