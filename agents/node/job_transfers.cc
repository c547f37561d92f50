// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/job_transfers.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "core/errors.h"

namespace hmsim {

namespace {}  // namespace

void JobTransfers::find_devices(std::size_t agent, const AgentEnvironment& environment) {
  agent_ = agent;
  const Host& host = *environment.storage;
  if (!host.is_memory()) {
    if (environment.nodes.size() > 1) {
      throw InputError("agent." + std::to_string(agent) +
                       ".nodes: a job with storage must run on the one node that has the storage");
    }
    keys_.node.engine = CopyEngine::dma;
  }
  has_nvdimm_ = environment.port->capacity(MemoryClass::nvdimm) > Bytes(0);
  block_lines_ = static_cast<std::uint64_t>(host.capacity() / kLineBytes);
}

void JobTransfers::open(const AgentEnvironment& environment) {
  for (std::size_t i = 0; i < job_nodes_.all().size(); ++i) {
    JobNode& site = job_nodes_.all()[i];
    site.io = std::make_unique<JobIo>(*environment.nodes[i].storage,
                                      static_cast<IoListener&>(*this), *site.node, site.job);
  }
  for (std::uint32_t flusher = job_nodes_.program_threads(); flusher < threads_.size(); ++flusher) {
    job_.enter(flusher, ThreadState::idle, Tick(0));
    job_nodes_.of(flusher).write_back.idle.push(flusher);
  }
}

Transfer JobTransfers::transfer_of(std::uint32_t number) const {
  const JobRecord& record = threads_[number].record;
  const std::uint64_t offset =
      job_nodes_.space(number).offset[static_cast<std::size_t>(MemoryClass::nvdimm)];
  return {record.first_line + offset / kLineSize, record.lines};
}

void JobTransfers::begin(std::uint32_t number, bool write, bool ahead, Tick now) {
  JobIo& io = *job_nodes_.of(number).io;
  const Transfer lines = transfer_of(number);
  const std::uint32_t index =
      transfers_.begin(number, lines, write, ahead, now, io.requests_of(lines));
  io.begin(index, number, lines, write, now);
}

SliceEnd JobTransfers::transfer(std::uint32_t number, Tick now) {
  const bool write = threads_[number].record.action == JobAction::write;
  job_.enter(number, write ? ThreadState::writing : ThreadState::reading, now);
  begin(number, write, false, now);
  return SliceEnd::waits;
}

SliceEnd JobTransfers::read_ahead(std::uint32_t number, Tick now) {
  if (!transfers_.may_read_ahead()) {
    return transfer(number, now);
  }
  begin(number, false, true, now);
  return SliceEnd::continues;
}

SliceEnd JobTransfers::use(std::uint32_t number, Tick now) {
  if (!transfers_.wait_for(transfer_of(number).first_line, number)) {
    return SliceEnd::continues;
  }
  job_.enter(number, ThreadState::read_ahead, now);
  return SliceEnd::waits;
}

SliceEnd JobTransfers::write(std::uint32_t number, Tick now) {
  const bool flusher = job_nodes_.is_flusher(number);
  if (flusher && keys_.node.engine != CopyEngine::dma) {
    if (!flushed(number, now)) {
      return SliceEnd::waits;
    }
    job_.enter(number, ThreadState::ready, now);
    return SliceEnd::yields;
  }
  if (flusher || keys_.flushers == 0) {
    return transfer(number, now);
  }
  WriteBack& write_back = job_nodes_.of(number).write_back;
  write_back.add(transfer_of(number));
  if (!write_back.idle.empty()) {
    const std::uint32_t idle = write_back.idle.take();
    next_transfer(idle);
    job_.make_ready(idle, true, now);
  }
  if (!write_back.over_limit()) {
    return SliceEnd::continues;
  }
  job_.enter(number, ThreadState::throttled, now);
  write_back.throttled.push(number);
  return SliceEnd::waits;
}

SliceEnd JobTransfers::sync(std::uint32_t number, Tick now) {
  job_.enter(number, ThreadState::syncing, now);
  threads_[number].sync_began = now;
  JobNode& site = job_nodes_.of(number);
  if (site.write_back.clean()) {
    site.io->flush(number, now);
  } else {
    site.write_back.syncing.push(number);
  }
  return SliceEnd::waits;
}

// Gives the flusher its next transfer. Returns false if the queue is empty.
bool JobTransfers::next_transfer(std::uint32_t flusher) {
  const std::optional<Transfer> transfer = job_nodes_.of(flusher).write_back.take();
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

// Records that the flusher's transfer is written, and makes the threads that waited for it
// continue. Returns whether the flusher has another transfer.
bool JobTransfers::flushed(std::uint32_t flusher, Tick now) {
  JobNode& site = job_nodes_.of(flusher);
  WriteBack& write_back = site.write_back;
  write_back.written(threads_[flusher].record.lines);
  while (!write_back.throttled.empty() && !write_back.over_limit()) {
    job_.make_ready(write_back.throttled.take(), true, now);
  }
  while (!write_back.syncing.empty() && write_back.clean()) {
    site.io->flush(write_back.syncing.take(), now);
  }
  if (next_transfer(flusher)) {
    return true;
  }
  job_.enter(flusher, ThreadState::idle, now);
  write_back.idle.push(flusher);
  job_.less_to_do(now);
  return false;
}

void JobTransfers::on_io_done(std::uint32_t tag, Tick now) {
  job_.request_ended();
  const JobIo::Subject subject = JobIo::subject_of(tag);
  if (subject.flush) {
    flush_ended(subject.number, now);
  } else {
    part_done(subject.number, now);
  }
}

void JobTransfers::flush_ended(std::uint32_t thread, Tick now) {
  ensure(thread < threads_.size(), "job", now, thread,
         "completion of a flush that no thread waits for");
  meter_.ended({agent_, thread, IoRecord::Kind::flush, 0, 0, threads_[thread].sync_began, now},
               job_.measures_io());
  job_.make_ready(thread, true, now);
}

void JobTransfers::part_done(std::uint32_t index, Tick now) {
  ensure(index < transfers_.size(), "job", now, index,
         "completion of a request without a transfer");
  if (!transfers_.part_done(index)) {
    return;
  }
  const TransferTable::Active& active = transfers_[index];
  const std::uint32_t thread = active.thread;
  const bool ahead = active.ahead;
  const IoRecord::Kind kind = active.write ? IoRecord::Kind::write : IoRecord::Kind::read;
  meter_.ended(
      {agent_, thread, kind, active.lines.first_line, active.lines.lines, active.began, now},
      job_.measures_io());
  transfers_.end(index, [this, now](std::uint32_t user) { job_.make_ready(user, true, now); });
  if (ahead) {
    job_.less_to_do(now);
    return;
  }
  if (!job_nodes_.is_flusher(thread) || flushed(thread, now)) {
    job_.make_ready(thread, true, now);
  }
}

void JobTransfers::granted(std::uint32_t io, Tick now) {
  job_nodes_.all().front().io->granted(io, now);  // a job whose software uses cores is on one node
}

void JobTransfers::copy_began(std::uint32_t number, bool write, Tick now) {
  JobThread& thread = threads_[number];
  thread.copies[write ? 1 : 0].push({thread.fetched_copy, now});
}

// A copy whose first line precedes the simulated part of the trace is not counted.
void JobTransfers::copy_ended(std::uint32_t number, bool write, Tick ended) {
  Ring<CopyUnderWay>& copies = threads_[number].copies[write ? 1 : 0];
  if (copies.empty()) {
    return;
  }
  const CopyUnderWay copy = copies.take();
  const IoRecord::Kind kind = write ? IoRecord::Kind::write : IoRecord::Kind::read;
  meter_.ended(
      {agent_, number, kind, copy.request.first_line, copy.request.lines, copy.began, ended},
      job_.measures_io());
}

bool JobTransfers::idle() const {
  return transfers_.idle() &&
         std::all_of(job_nodes_.all().begin(), job_nodes_.all().end(),
                     [](const JobNode& site) { return site.write_back.clean(); });
}

void JobTransfers::serialize(Archive& archive) {
  for (JobNode& site : job_nodes_.all()) {
    site.write_back.serialize(archive);
  }
  transfers_.serialize(archive);
  archive(meter_);
}

void JobTransfers::check(const Archive& archive) const {
  const auto check = [&](std::uint32_t thread) {
    archive.check_index(thread, threads_.size(), "invalid thread of a job");
  };
  for (const JobNode& site : job_nodes_.all()) {
    for (const auto* waiting :
         {&site.write_back.idle, &site.write_back.throttled, &site.write_back.syncing}) {
      waiting->each(check);
    }
  }
  transfers_.each_thread(check);
  check_blocks(archive);
}

// Checks only that a device exists: addresses are taken modulo its lines.
void JobTransfers::check_blocks(const Archive& archive) const {
  constexpr const char* kNone = "job with blocks in a system without storage or NVDIMM";
  for (std::uint32_t number = 0; number < threads_.size(); ++number) {
    const JobThread& thread = threads_[number];
    const JobRecord& record = thread.record;
    archive.check(has_nvdimm_ || (record.miss.memory == MemoryClass::dram && thread.lines == 0),
                  kNone);
    archive.check(has_blocks() || (record.lines == 0 && record.action != JobAction::sync), kNone);
  }
  for (const JobNode& site : job_nodes_.all()) {
    archive.check(has_blocks() || site.write_back.queue_is_empty(), kNone);
  }
}

}  // namespace hmsim
