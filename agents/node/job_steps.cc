// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/job_steps.h"

#include <algorithm>
#include <utility>

#include "core/errors.h"

namespace hmsim {

namespace {

constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;

}  // namespace

void JobSteps::open(std::unique_ptr<JobProgram> program, bool nvdimm) {
  program_ = std::move(program);
  has_nvdimm_ = nvdimm;
}

void JobSteps::start() {
  for (std::uint32_t thread = 0; thread < job_nodes_.program_threads(); ++thread) {
    JobThread& each = threads_[thread];
    each.place = program_->begin(job_nodes_.in_task(thread));
    each.left = keys_.instructions == 0 ? kNoLimit : keys_.instructions;
    for (Ring<CopyUnderWay>& copies : each.copies) {
      copies.clear();
    }
  }
}

double JobSteps::fraction() const {
  double sum = 0;
  for (std::uint32_t thread = 0; thread < job_nodes_.program_threads(); ++thread) {
    const JobThread& each = threads_[thread];
    const auto left = static_cast<double>(each.left);
    const auto limit = static_cast<double>(keys_.instructions);
    const double limited = keys_.instructions == 0 ? 0 : 1 - left / limit;
    sum += each.state == ThreadState::done ? 1 : std::max(limited, program_->fraction(each.place));
  }
  return sum / static_cast<double>(job_nodes_.program_threads());
}

// Reads the thread's next record, truncated at its instruction limit.
void JobSteps::fetch(JobThread& thread) {
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
    throw InputError(program_->where(thread.place) +
                     ": access to a line of an NVDIMM, but the configuration has none: the job's "
                     "blocks are in storage");
  }
  thread.copy_instructions = !line                                     ? 0
                             : thread.record.gap <= keys_.transfer_gap ? thread.record.gap
                                                                       : 1;
}

ThreadStep JobSteps::next(std::uint32_t number, std::int64_t most) {
  JobThread& thread = threads_[number];
  if (thread.lines > 0) {
    return copy_line(thread, {});
  }
  if (job_nodes_.is_flusher(number)) {
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
  if (copied_by_core(number, thread.record.action)) {
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

ThreadStep JobSteps::next_of_flusher(std::uint32_t number) {
  JobThread& thread = threads_[number];
  if (thread.has_record && copied_by_core(number, thread.record.action) &&
      thread.next_line == thread.record.first_line) {
    thread.lines = thread.record.lines;
    return copy_line(thread, {});
  }
  return ThreadStep();
}

// Returns the first `most` instructions of a record that does not fit into the time slice.
ThreadStep JobSteps::part_of_step(JobThread& thread, std::int64_t most, CopiesEnded ended) {
  ThreadStep step;
  step.kind = ThreadStep::Kind::preempted;
  step.miss.gap = most;
  step.copy.ended = ended;
  step.copy.instructions = std::min(thread.copy_instructions, thread.record.gap) -
                           std::min(thread.copy_instructions, thread.record.gap - most);
  thread.record.gap -= most;
  return step;
}

// Returns the step of a miss, which may copy a line of a block request.
ThreadStep JobSteps::miss_of(JobThread& thread, CopiesEnded ended) {
  const std::int64_t gap = std::exchange(thread.record.gap, 0);
  const JobRecord& record = thread.record;
  thread.has_record = false;
  const bool begins = record.copies > 0;
  if (begins) {
    const std::uint64_t address =
        record.miss.load ? record.miss.load_address : record.miss.write_address;
    thread.fetched_copy = {address / kLineSize, record.copies};
  }
  ThreadStep step{ThreadStep::Kind::miss,
                  record.miss,
                  {std::min(thread.copy_instructions, gap), !record.miss.load, begins,
                   record.ends_copy, ended}};
  step.miss.gap = gap;
  return step;
}

// Returns whether the thread's last step may be taken back. A flusher's transfer never is. A
// transfer of the program may be, but only while its first line alone has been fetched: that step
// also holds the instructions before the transfer.
bool JobSteps::may_take_back(std::uint32_t number) const {
  const JobThread& thread = threads_[number];
  const bool copies = copied_by_core(number, thread.record.action) && !thread.has_record;
  return !job_nodes_.is_flusher(number) &&
         (!copies || thread.next_line == thread.record.first_line + 1);
}

void JobSteps::take_back(std::uint32_t number, std::int64_t instructions) {
  JobThread& thread = threads_[number];
  if (copied_by_core(number, thread.record.action) && !thread.has_record) {
    thread.lines = 0;
    instructions = std::max<std::int64_t>(0, instructions - keys_.node.copy_instructions);
  }
  thread.record.gap += instructions;
  thread.has_record = true;
}

const JobRecord& JobSteps::take(std::uint32_t number) {
  JobThread& thread = threads_[number];
  thread.has_record = false;
  return thread.record;
}

bool JobSteps::copied_by_core(std::uint32_t thread, JobAction action) const {
  const bool reads = action == JobAction::read || action == JobAction::read_ahead;
  const bool transfers = reads || (action == JobAction::write &&
                                   (job_nodes_.is_flusher(thread) || keys_.flushers == 0));
  return transfers && keys_.node.engine == CopyEngine::core;
}

ThreadStep JobSteps::copy_line(JobThread& thread, CopiesEnded ended) const {
  const std::uint64_t address = thread.next_line * kLineSize;
  const bool write = thread.record.action == JobAction::write;
  ThreadStep step;
  step.kind = ThreadStep::Kind::miss;
  Miss& miss = step.miss;
  miss.gap = thread.record.gap + keys_.node.copy_instructions;
  miss.memory = MemoryClass::nvdimm;
  miss.load = !write;
  miss.write = miss.non_temporal = write;
  (write ? miss.write_address : miss.load_address) = address;
  step.copy.instructions = keys_.node.copy_instructions;
  step.copy.begins = thread.next_line == thread.record.first_line;
  step.copy.ends = thread.lines == 1;
  step.copy.write = write;
  step.copy.ended = ended;
  thread.fetched_copy = {thread.record.first_line, thread.record.lines};
  thread.record.gap = 0;
  ++thread.next_line;
  --thread.lines;
  return step;
}

// Threads take turns, one step each. The instruction limit always applies, because the threads'
// places after a warm-up are unknown.
void JobSteps::each_page_read(const PageVisitor& visit) {
  bool any = program_->has_nvdimm();
  while (any) {
    any = false;
    for (std::uint32_t number = 0; number < job_nodes_.program_threads(); ++number) {
      JobThread& thread = threads_[number];
      if (!job_nodes_.takes_part(number) ||
          (thread.has_record && thread.record.action == JobAction::end)) {
        continue;
      }
      fetch(thread);
      any = true;
      if (!visit_reads(number, visit)) {
        return;
      }
    }
  }
}

// Visits the pages that the thread's step reads. Returns false if the visitor wants no more.
bool JobSteps::visit_reads(std::uint32_t number, const PageVisitor& visit) const {
  const JobRecord& record = threads_[number].record;
  std::uint64_t first = record.first_line;
  const bool reads = record.action == JobAction::read || record.action == JobAction::read_ahead;
  std::uint64_t lines = reads ? record.lines : 0;
  if (record.action == JobAction::miss && record.miss.load &&
      record.miss.memory == MemoryClass::nvdimm) {
    first = record.miss.load_address / kLineSize;
    lines = 1;
  }
  for (std::uint64_t line = first; line < first + lines; line += kLinesPerPage) {
    if (!visit(job_nodes_.page_of(number, line))) {
      return false;
    }
  }
  return lines == 0 || visit(job_nodes_.page_of(number, first + lines - 1));
}

void JobSteps::each_page_written_before(const PageVisitor& visit) const {
  for (const std::uint64_t page : program_->written_before()) {
    for (std::uint32_t first = 0; first < job_nodes_.program_threads();
         first += program_->threads()) {
      if (!visit(job_nodes_.page_of(first, page * kLinesPerPage))) {
        return;
      }
    }
  }
}

void JobSteps::check(const Archive& archive) {
  for (std::uint32_t thread = 0; thread < job_nodes_.program_threads(); ++thread) {
    threads_[thread].place.thread = job_nodes_.in_task(thread);
    program_->check(archive, threads_[thread].place);
  }
}

}  // namespace hmsim
