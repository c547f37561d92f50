// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/block_agent.h"

#include <algorithm>

#include "agents/clock.h"
#include "core/errors.h"

namespace hmsim {

namespace {

constexpr std::uint64_t kSectorsPerPage = 8;
constexpr std::uint64_t kLinesPerSector = 8;
constexpr std::uint64_t kDevices = 65'536;  // device numbers count modulo this
static_assert(kSectorsPerPage * kSectorBytes == kPageBytes.value());
static_assert(kLinesPerSector * kLineBytes.value() == kSectorBytes);

}  // namespace

void BlockAgent::prepare() {
  const Bytes capacity = surroundings().port->capacity(MemoryClass::nvdimm);
  if (capacity < kPageBytes) {
    throw InputError("agent." + std::to_string(index()) +
                     ".kind: block_trace needs an NVDIMM, and the configuration has none");
  }
  const Bytes pages = capacity - capacity % kPageBytes;
  capacity_ = static_cast<std::uint64_t>(pages.value());
  const Bytes sixteenth = pages / 16 - (pages / 16) % kPageBytes;
  const Bytes stride = device_stride_ == Bytes(0) ? sixteenth : device_stride_;
  stride_ = static_cast<std::uint64_t>(stride.value()) % capacity_;
  offset_ = copies_.offset(capacity);
  scale_ppm_ = static_cast<std::int64_t>(time_scale_ * 1'000'000 + 0.5);
  source_ = find_format(trace_.format)->blocks(trace_.open(index(), surroundings()));
  threads_.resize(static_cast<std::size_t>(parameters_.threads));
  window_ = std::min(parameters_.window, copy_of(parameters_.how.copy).window);
  if (parameters_.how.fault_time > Tick(0)) {
    touched_.assign(static_cast<std::size_t>(pages / kPageBytes), false);
  }
  windows_ = parts_.list();
  meter_.set_windows(windows_);
  open_pass();
  steps_.schedule(Tick(0), Step::start_pass, 0);
}

void BlockAgent::open_pass() {
  read_ = 0;
  part_ = 0;
  if (!windows_.empty()) {
    begin_window();
  }
  BlockRequest request;
  for (std::int64_t i = 0; i < parts_.skip; ++i) {
    if (!source_->next(request)) {
      throw InputError("agent." + std::to_string(index()) + ".skip: the trace has only " +
                       std::to_string(i) + " requests");
    }
  }
  fetch();
}

void BlockAgent::fetch() {
  have_request_ = windows_.empty()
                      ? (requests_ == 0 || taken_ < requests_) && source_->next(request_)
                      : next_of_windows();
}

bool BlockAgent::next_of_windows() {
  if (left_ == 0) {
    if (++part_ >= windows_.size()) {
      return false;
    }
    begin_window();
  }
  const TraceWindow& window = windows_[part_];
  const std::int64_t wanted = window.skip + window.warmup + window.length - left_;
  if (wanted < read_) {
    source_->rewind();
    read_ = 0;
  }
  for (; read_ <= wanted; ++read_) {
    if (!source_->next(request_)) {
      throw InputError("agent." + std::to_string(index()) + ".windows: window " +
                       std::to_string(part_) + " ends behind the trace, which has only " +
                       std::to_string(read_) + " requests");
    }
  }
  --left_;
  return true;
}

void BlockAgent::begin_window() {
  left_ = windows_[part_].warmup + windows_[part_].length;
  begins_window_ = true;
}

// Tells the meter up to which request all have ended.
void BlockAgent::meter(Tick now) {
  std::int64_t ended = taken_;
  for (const Thread& thread : threads_) {
    ended = thread.busy ? std::min(ended, thread.number) : ended;
  }
  meter_.ended(ended, now, !finished_once());
}

void BlockAgent::start_pass(Tick now) {
  origin_ = now;
  have_origin_ = false;
  between_passes_ = false;
  last_begin_ = now;
  meter_.begin_pass(now);
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    take_request(i, now);
  }
}

Tick BlockAgent::advance(Tick now) {
  while (steps_.next_time() <= now) {
    const auto step = steps_.pop();
    if (step.kind == Step::start_pass) {
      start_pass(now);
    } else if (step.kind == Step::start_lines) {
      begin_request(step.payload, now);
    } else {
      threads_[step.payload].paused &= step.kind != Step::end_pause;
      go_on(step.payload, now);
    }
  }
  return next_event();
}

// An arrival before the first one counts as 0. One before an earlier request's is counted: the
// trace's order stands.
Tick BlockAgent::arrival_of(const BlockRequest& request) {
  if (!have_origin_) {
    have_origin_ = true;
    origin_ns_ = request.arrival_ns;
    latest_ns_ = request.arrival_ns;
  }
  if (request.arrival_ns < latest_ns_) {
    count_backward_arrival();
  }
  latest_ns_ = later(latest_ns_, request.arrival_ns);
  const std::uint64_t after = request.arrival_ns > origin_ns_ ? request.arrival_ns - origin_ns_ : 0;
  // Nanoseconds x ppm / 1000 are picoseconds.
  const auto ppm = static_cast<std::uint64_t>(scale_ppm_);
  const auto longest = static_cast<std::uint64_t>(kLongestTime.value());
  if (ppm != 0 && after / 1'000 >= longest / ppm) {
    throw InputError(trace_.path + ": arrival " + std::to_string(request.arrival_ns) +
                     " ns lies past the longest simulated time, about 53 days");
  }
  const std::uint64_t scaled = after / 1'000 * ppm + after % 1'000 * ppm / 1'000;
  return sum_in_time(origin_, Tick(static_cast<std::int64_t>(scaled)));
}

void BlockAgent::take_request(std::uint32_t index, Tick now) {
  if (!have_request_) {
    return;
  }
  const BlockRequest request = request_;
  if (begins_window_) {
    begins_window_ = false;
    have_origin_ = false;
    origin_ = later(now, last_begin_);
  }
  const Tick begin = replay_ == ReplayMode::timed ? later(now, arrival_of(request)) : now;
  const std::uint64_t base = (request.device % kDevices * stride_ + offset_) % capacity_;
  const std::uint64_t capacity_sectors = capacity_ / kSectorBytes;
  const std::uint64_t first = base / kSectorBytes + request.sector % capacity_sectors;
  count_wraps(request.sector >= capacity_sectors || first + request.sectors > capacity_sectors);
  Thread& thread = threads_[index];
  thread.busy = true;
  thread.paused = true;
  thread.number = taken_;
  thread.next_line = first % capacity_sectors * kLinesPerSector;
  thread.lines = request.sectors * kLinesPerSector;
  thread.write = request.write;
  thread.trim = request.trim;
  thread.flush_before = request.flush;
  thread.flush_after = request.fua && parameters_.how.barrier == Barrier::command;
  const std::uint64_t touched =
      (first % kSectorsPerPage + request.sectors + kSectorsPerPage - 1) / kSectorsPerPage;
  const std::uint64_t blocks = request.trim || request.sectors == 0 ? 1 : touched;
  meter_.taken(taken_,
               request.trim || request.sectors == 0 ? 0 : static_cast<std::int64_t>(touched));
  last_begin_ = begin;
  ++busy_;
  ++taken_;
  fetch();
  steps_.schedule(
      sum_in_time(begin, static_cast<std::int64_t>(blocks) * parameters_.how.software_time),
      Step::start_lines, index);
}

// Its software time is over.
void BlockAgent::begin_request(std::uint32_t index, Tick now) {
  Thread& thread = threads_[index];
  thread.paused = false;
  if (thread.trim) {
    discard(index, now);
  } else if (parameters_.how.barrier == Barrier::driver && (thread.write || thread.flush_before)) {
    thread.paused = true;
    gate_.push(index);
    open_gate(now);
  } else {
    go_on(index, now);
  }
}

// Lets threads pass the gate, in order: a flush only when no write request is under way.
void BlockAgent::open_gate(Tick now) {
  while (!gate_.empty()) {
    const std::uint32_t index = gate_.front();
    Thread& thread = threads_[index];
    if (thread.flush_before && writers_ > 0) {
      return;
    }
    gate_.pop();
    epoch_ += thread.flush_before ? 1 : 0;
    thread.flush_before = false;
    thread.past_gate = thread.write;
    writers_ += thread.write ? 1 : 0;
    steps_.schedule(now, Step::end_pause, index);
  }
}

void BlockAgent::discard(std::uint32_t index, Tick now) {
  Thread& thread = threads_[index];
  const std::int64_t first = static_cast<std::int64_t>(thread.next_line) * kLineBytes.value();
  const std::int64_t size = static_cast<std::int64_t>(thread.lines) * kLineBytes.value();
  const std::int64_t before_end = std::min(size, static_cast<std::int64_t>(capacity_) - first);
  thread.lines = 0;
  surroundings().port->trim(Address(first), Bytes(before_end), now);
  surroundings().port->trim(Address(0), Bytes(size - before_end), now);
  end_request(index, now);
}

void BlockAgent::end_request(std::uint32_t index, Tick now) {
  Thread& thread = threads_[index];
  thread.busy = false;
  --busy_;
  if (thread.past_gate) {
    thread.past_gate = false;
    --writers_;
    open_gate(now);
  }
  if (!meter_.empty()) {
    meter(now);
  }
  take_request(index, now);
  end_pass(now);
  notify();
}

// Once nothing is under way.
void BlockAgent::end_pass(Tick now) {
  if (busy_ > 0 || between_passes_ || free_blocks_.size() < blocks_.size()) {
    return;
  }
  passes_ = (passes_ + 1) % parts_.loop;
  if (passes_ == 0) {
    finish(now);
  }
  source_->rewind();
  taken_ = 0;
  open_pass();
  between_passes_ = true;
  steps_.schedule(now + kBreath, Step::start_pass, 0);
  notify();
}

// The limit counts requests taken from now on.
void BlockAgent::restart_limit(Tick now) {
  taken_ = 0;
  passes_ = 0;
  meter_.clear();
  if (have_request_) {
    return;
  }
  fetch();
  for (std::uint32_t i = 0; i < threads_.size() && !between_passes_; ++i) {
    if (!threads_[i].busy) {
      take_request(i, now);
    }
  }
  notify();
}

double BlockAgent::pass_fraction(Tick) const {
  const std::int64_t limit = meter_.empty() ? requests_ : meter_.requests();
  const double pass = limit == 0 ? source_->fraction()
                                 : static_cast<double>(taken_ - std::min(taken_, busy_)) /
                                       static_cast<double>(limit);
  return (static_cast<double>(passes_) + pass) / static_cast<double>(parts_.loop);
}

}  // namespace hmsim
