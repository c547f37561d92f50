// SPDX-License-Identifier: BSD-3-Clause
// What a job's threads and flushers do to the NVDIMM.
#include <optional>

#include "agents/node/job_agent.h"

namespace hmsim {

namespace {

constexpr auto kLine = static_cast<std::uint64_t>(kLineBytes.value());

}  // namespace

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
  WriteBack& write_back = site_of(number).write_back;
  if (write_back.clean()) {
    flush(number, now);
  } else {
    write_back.syncing.push(number);
  }
}

void JobAgent::flush(std::uint32_t thread, Tick now) {
  Request request;
  request.tag = thread;
  request.memory = MemoryClass::nvdimm;
  request.flush = true;
  send(*site_of(thread).port, site_of(thread).core, request, now);
}

void JobAgent::transfer(std::uint32_t number, Tick now) {
  const JobRecord& record = threads_[number].record;
  const bool write = record.action == JobAction::write;
  enter(number, write ? ThreadState::writing : ThreadState::reading, now);
  const std::uint64_t offset = space(number).offset[static_cast<std::size_t>(MemoryClass::nvdimm)];
  engine_.begin(number, {record.first_line + offset / kLine, record.lines}, write,
                [this, now](std::uint64_t line, bool writes, std::uint32_t index) {
                  send_line(line, writes, index, now);
                });
}

// Where too much is being read ahead already, the thread waits for its part.
StintEnd JobAgent::read_ahead(std::uint32_t number, Tick now) {
  if (!engine_.may_read_ahead()) {
    transfer(number, now);
    return StintEnd::waits;
  }
  const JobRecord& record = threads_[number].record;
  const std::uint64_t offset = space(number).offset[static_cast<std::size_t>(MemoryClass::nvdimm)];
  engine_.begin_ahead(number, {record.first_line + offset / kLine, record.lines},
                      [this, now](std::uint64_t line, bool write, std::uint32_t index) {
                        send_line(line, write, index, now);
                      });
  return StintEnd::goes_on;
}

StintEnd JobAgent::use(std::uint32_t number, Tick now) {
  const std::uint64_t offset = space(number).offset[static_cast<std::size_t>(MemoryClass::nvdimm)];
  if (!engine_.wait_for(threads_[number].record.first_line + offset / kLine, number)) {
    return StintEnd::goes_on;
  }
  enter(number, ThreadState::read_ahead, now);
  return StintEnd::waits;
}

void JobAgent::send_line(std::uint64_t line, bool write, std::uint32_t transfer, Tick now) {
  const JobSite& site = site_of(engine_[transfer].thread);
  Request request;
  request.address = Address(static_cast<std::int64_t>(line % nvdimm_lines_ * kLine));
  request.tag = transfer;
  request.memory = MemoryClass::nvdimm;
  request.write = write;
  send(*site.port, site.core, request, now);
}

void JobAgent::handle_completion(const Request& request, Tick now) {
  if (request.flush) {
    make_ready(request.tag, true, now);
    return;
  }
  const std::uint32_t index = request.tag;
  const bool last =
      engine_.line_done(index, [this, now](std::uint64_t line, bool write, std::uint32_t transfer) {
        send_line(line, write, transfer, now);
      });
  if (!last) {
    return;
  }
  const std::uint32_t thread = engine_[index].thread;
  const bool ahead = engine_[index].ahead;
  engine_.end(index, [this, now](std::uint32_t user) { make_ready(user, true, now); });
  if (ahead) {
    less_to_do(now);
    return;
  }
  if (!is_flusher(thread) || flushed(thread, now)) {
    make_ready(thread, true, now);
  }
}

}  // namespace hmsim
