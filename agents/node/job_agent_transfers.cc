// SPDX-License-Identifier: BSD-3-Clause
// What a job's threads and flushers do to the NVDIMM.
#include <limits>
#include <optional>

#include "agents/node/job_agent.h"
#include "core/errors.h"

namespace hmsim {

namespace {

constexpr auto kLine = static_cast<std::uint64_t>(kLineBytes.value());

}  // namespace

// The NVDIMM's copy engine: no software, and a window of lines for each transfer.
std::optional<NvdimmIo> JobAgent::nvdimm_io(std::size_t which) const {
  NvdimmIo io;
  io.path.max_request = Bytes(std::numeric_limits<std::int64_t>::max());
  io.device.window = keys_.node.dma_lines;
  io.device.source = static_cast<std::uint16_t>(keys_.node_cores(which).front().number);
  return io;
}

// A device that is not memory moves data by itself: then cores load no lines, and a trace's copies
// are transfers.
void JobAgent::open_blocks() {
  const Host& host = *environment().storage;
  if (!host.is_memory()) {
    if (environment().nodes.size() > 1) {
      throw InputError("agent." + std::to_string(index()) +
                       ".nodes: a job with storage runs on one node, whose storage it is");
    }
    keys_.node.engine = CopyEngine::dma;
  }
  has_nvdimm_ = environment().port->capacity(MemoryClass::nvdimm) > Bytes(0);
  block_lines_ = static_cast<std::uint64_t>(host.capacity() / kLineBytes);
}

void JobAgent::copy_began(std::uint32_t number, bool write, Tick now) {
  JobThread& thread = threads_[number];
  thread.copies[write ? 1 : 0].push({thread.fetched_copy, now});
}

// A copy whose first line lies before the part of the trace that is run is not counted.
void JobAgent::copy_ended(std::uint32_t number, bool write, Tick ended) {
  Ring<CopyUnderWay>& copies = threads_[number].copies[write ? 1 : 0];
  if (copies.empty()) {
    return;
  }
  const CopyUnderWay copy = copies.front();
  copies.pop();
  const IoRecord::Kind kind = write ? IoRecord::Kind::write : IoRecord::Kind::read;
  io_meter_.ended(
      {index(), number, kind, copy.request.first_line, copy.request.lines, copy.began, ended},
      !finished_once());
}

// A program's thread hands its lines to the flushers; a flusher has written its own.
StintEnd JobAgent::write(std::uint32_t number, Tick now) {
  JobThread& thread = threads_[number];
  const bool engine = keys_.node.engine == CopyEngine::dma;
  if (is_flusher(number) && !engine) {
    return flushed(number, now) ? yield(number, now) : StintEnd::waits;
  }
  if (is_flusher(number) || keys_.flushers == 0) {
    transfer(number, now);
    return StintEnd::waits;
  }
  const std::uint64_t offset = space(number).offset[static_cast<std::size_t>(MemoryClass::nvdimm)];
  WriteBack& write_back = site_of(number).write_back;
  write_back.add({thread.record.first_line + offset / kLine, thread.record.lines});
  if (!write_back.idle.empty()) {
    const std::uint32_t flusher = write_back.idle.front();
    write_back.idle.pop();
    next_transfer(flusher);
    make_ready(flusher, true, now);
  }
  if (!write_back.over_limit()) {
    return StintEnd::goes_on;
  }
  enter(number, ThreadState::throttled, now);
  write_back.throttled.push(number);
  return StintEnd::waits;
}

bool JobAgent::next_transfer(std::uint32_t flusher) {
  const std::optional<Transfer> transfer = site_of(flusher).write_back.take();
  JobThread& thread = threads_[flusher];
  thread.has_record = transfer.has_value();
  if (!transfer) {
    return false;
  }
  thread.record = JobRecord();
  thread.record.action = JobAction::write;
  thread.record.first_line = thread.next_line = transfer->first_line;
  thread.record.lines = transfer->lines;
  return true;
}

// A flusher's transfer is written: whoever waited for it goes on. True: there is another.
bool JobAgent::flushed(std::uint32_t flusher, Tick now) {
  WriteBack& write_back = site_of(flusher).write_back;
  write_back.written(threads_[flusher].record.lines);
  while (!write_back.throttled.empty() && !write_back.over_limit()) {
    const std::uint32_t thread = write_back.throttled.front();
    write_back.throttled.pop();
    make_ready(thread, true, now);
  }
  while (!write_back.syncing.empty() && write_back.clean()) {
    flush(write_back.syncing.front(), now);
    write_back.syncing.pop();
  }
  if (next_transfer(flusher)) {
    return true;
  }
  enter(flusher, ThreadState::idle, now);
  write_back.idle.push(flusher);
  less_to_do(now);
  return false;
}

void JobAgent::sync(std::uint32_t number, Tick now) {
  enter(number, ThreadState::syncing, now);
  threads_[number].sync_began = now;
  WriteBack& write_back = site_of(number).write_back;
  if (write_back.clean()) {
    flush(number, now);
  } else {
    write_back.syncing.push(number);
  }
}

void JobAgent::flush(std::uint32_t thread, Tick now) { site_of(thread).io->flush(thread, now); }

void JobAgent::transfer(std::uint32_t number, Tick now) {
  const bool write = threads_[number].record.action == JobAction::write;
  enter(number, write ? ThreadState::writing : ThreadState::reading, now);
  begin_transfer(number, write, false, now);
}

void JobAgent::begin_transfer(std::uint32_t number, bool write, bool ahead, Tick now) {
  JobIo& io = *site_of(number).io;
  const Transfer lines = transfer_of(number);
  const std::uint32_t index =
      transfers_.begin(number, lines, write, ahead, now, io.requests_of(lines));
  io.begin(index, number, lines, write, now);
}

// The record's, where its task's blocks are.
Transfer JobAgent::transfer_of(std::uint32_t number) const {
  const JobRecord& record = threads_[number].record;
  const std::uint64_t offset = space(number).offset[static_cast<std::size_t>(MemoryClass::nvdimm)];
  return {record.first_line + offset / kLine, record.lines};
}

// Where too much is being read ahead already, the thread waits for its part.
StintEnd JobAgent::read_ahead(std::uint32_t number, Tick now) {
  if (!transfers_.may_read_ahead()) {
    transfer(number, now);
    return StintEnd::waits;
  }
  begin_transfer(number, false, true, now);
  return StintEnd::goes_on;
}

StintEnd JobAgent::use(std::uint32_t number, Tick now) {
  if (!transfers_.wait_for(transfer_of(number).first_line, number)) {
    return StintEnd::goes_on;
  }
  enter(number, ThreadState::read_ahead, now);
  return StintEnd::waits;
}

void JobAgent::on_io_done(std::uint32_t tag, Tick now) {
  count_completion();
  const JobIo::Subject subject = JobIo::subject_of(tag);
  if (subject.flush) {
    flush_ended(subject.number, now);
  } else {
    part_done(subject.number, now);
  }
}

void JobAgent::flush_ended(std::uint32_t thread, Tick now) {
  ensure(thread < threads_.size(), "job", now, thread, "a flush ends that no thread waits for");
  io_meter_.ended({index(), thread, IoRecord::Kind::flush, 0, 0, threads_[thread].sync_began, now},
                  !finished_once());
  make_ready(thread, true, now);
}

// A request of a transfer has ended.
void JobAgent::part_done(std::uint32_t index, Tick now) {
  ensure(index < transfers_.size(), "job", now, index, "a request ends that is of no transfer");
  if (!transfers_.part_done(index)) {
    return;
  }
  const Transfers::Active& active = transfers_[index];
  const std::uint32_t thread = active.thread;
  const bool ahead = active.ahead;
  const IoRecord::Kind kind = active.write ? IoRecord::Kind::write : IoRecord::Kind::read;
  io_meter_.ended(
      {this->index(), thread, kind, active.lines.first_line, active.lines.lines, active.began, now},
      !finished_once());
  transfers_.end(index, [this, now](std::uint32_t user) { make_ready(user, true, now); });
  if (ahead) {
    less_to_do(now);
    return;
  }
  if (!is_flusher(thread) || flushed(thread, now)) {
    make_ready(thread, true, now);
  }
}

}  // namespace hmsim
