// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/block_agent.h"

#include <algorithm>

#include "core/clock.h"
#include "core/errors.h"
#include "core/units.h"

namespace hmsim {

namespace {

constexpr auto kLines = static_cast<std::uint64_t>(kLinesPerPage);

// Throws InputError for a request that exceeds its device and 1 GiB.
[[gnu::noinline]] void check_size(std::size_t agent, const DeviceLayout::Extent& extent,
                                  const DeviceLayout& layout) {
  constexpr std::uint64_t kOnAnyDevice = (std::uint64_t{1} << 30) / kLineSize;
  if (extent.lines > std::max(layout.lines(), kOnAnyDevice)) {
    const Bytes size(static_cast<std::int64_t>(extent.lines) * kLineBytes.value());
    throw InputError("agent." + std::to_string(agent) + ".path: a request of " + format_size(size) +
                     " exceeds the device's " + format_size(layout.capacity()) +
                     "; use a larger device");
  }
}

}  // namespace

void BlockAgent::declare(ParameterSet& parameters) {
  declare_core(parameters);
  Agent::declare(parameters);
  declare_random_stream(parameters);
  keys_.declare(parameters);
}

void BlockAgent::prepare() {
  host_ = environment().storage;
  const Bytes capacity = host_ == nullptr ? Bytes(0) : host_->capacity();
  if (capacity < kPageBytes) {
    throw InputError("agent." + std::to_string(index()) + ".kind: " + kind() +
                     " needs an NVDIMM or storage, but the configuration has neither");
  }
  client_ = host_->join(*this);
  layout_ = DeviceLayout(capacity, keys_.device_stride, keys_.copies.offset(capacity));
  threads_.resize(request_slots());
  source_.open(keys_, index(), Random(environment().seed, random_stream()),
               open_source(layout_.capacity()), left_out());
  meter_.set_windows(source_.windows());
  open_loop_ = OpenLoop(keys_.arrivals, Random(mix64(environment().seed), random_stream()));
  if (keys_.think_time != Tick(0)) {
    think_times_ = ThinkTimes(keys_.think_every, static_cast<std::size_t>(keys_.software.threads));
  }
  if (keys_.stage != Stages::kNone && environment().stages != nullptr) {
    environment().stages->join(keys_.stage, *this);
  } else {
    steps_.schedule(keys_.start, Step::start_pass, 0);
  }
}

void BlockAgent::begin_stage(Tick now) {
  steps_.schedule(later(now, keys_.start), Step::start_pass, 0);
  notify();
}

std::size_t BlockAgent::request_slots() const {
  return keys_.replay == ReplayMode::inferred
             ? CausalQueue::kMostHeld
             : static_cast<std::size_t>(keys_.software.threads * keys_.depth);
}

// Returns the settings of the NVDIMM's I/O. A thread runs its software on a single context even if
// it has several requests in flight.
std::optional<NvdimmIo> BlockAgent::nvdimm_io(std::size_t /*which*/) const {
  return keys_.software.nvdimm_io(core(), static_cast<std::int64_t>(request_slots()) / keys_.depth);
}

std::unique_ptr<BlockSource> BlockAgent::open_source(Bytes) {
  return keys_.trace.descriptor()->blocks(keys_.trace.open(index(), environment()), keys_.columns);
}

Tick BlockAgent::advance(Tick now) {
  while (steps_.next_time() <= now) {
    const auto step = steps_.pop();
    switch (step.kind) {
      case Step::start_pass:
        start_pass(now);
        break;
      case Step::start_request:
        if (now <= stop_time_ || !source_.closed()) {  // otherwise it arrives after the agent's end
          send_next_part(step.payload, now);
        }
        break;
      case Step::arrive:
        arrive(now);
        break;
      case Step::end_think:
        end_think(step.payload, now);
        break;
      case Step::stop:
        stop(now);
        break;
    }
  }
  return next_event();
}

void BlockAgent::start_pass(Tick now) {
  if (source_.closed()) {
    return;
  }
  if (!started_) {
    started_ = true;
    begin_measured_time(now);
    schedule_stop(now);
  }
  between_passes_ = false;
  source_.begin_pass(now);
  meter_.begin_pass(now);
  if (open_loop_.open()) {
    start_arrivals(now);
    return;
  }
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    take_request(i, now);
  }
}

// Ends the pass if no request is under way and none remains. In a stage, an agent ends with its
// first measured pass.
void BlockAgent::end_pass(Tick now) {
  if (threads_.busy() > 0 || between_passes_ || blocks_open_ > 0 || source_.has_next()) {
    return;
  }
  if (!source_.closed() && source_.end_pass()) {
    finish(now);
  }
  between_passes_ = true;
  if (keys_.stage != Stages::kNone && finished_once()) {
    if (environment().stages != nullptr) {
      environment().stages->ended(now + kRestartGap);
    }
    return;
  }
  steps_.schedule(now + kRestartGap, Step::start_pass, 0);
  notify();
}

// Schedules the end of the duration, which counts from `now` if the agent runs and is measured.
void BlockAgent::schedule_stop(Tick now) {
  if (keys_.duration != Tick(0) && started_ && measuring_) {
    stop_time_ = sum_in_time(now, keys_.duration);
    steps_.schedule(stop_time_, Step::stop, 0);
  }
}

void BlockAgent::stop(Tick now) {
  if (source_.closed()) {
    return;
  }
  stop_time_ = now;
  source_.close();
  if (!finished_once()) {
    finish(now);
  }
  end_pass(now);
  notify();
}

// Gives a free thread the next request of the pass, if there is one. flatten: begin_request has
// other callers, and each request of a closed loop takes this path.
[[gnu::flatten]] void BlockAgent::take_request(std::uint32_t index, Tick now) {
  if (source_.has_next() && think_times_.may_take(thread_of(index))) {
    begin_request(index, source_.take(now), now);
  }
}

// Gives a free thread a request that was taken from the source at `now` or earlier.
void BlockAgent::begin_request(std::uint32_t index, const RequestSource::Taken& taken, Tick now) {
  const BlockRequest& request = taken.request;
  const DeviceLayout::Extent extent = layout_.extent(request);
  if (taken.backward) {
    count_backward_arrival();
  }
  if (extent.wraps) {
    check_size(this->index(), extent, layout_);
    count_wraps(1);
  }
  const std::int64_t blocks = request.trim || request.sectors == 0 ? 0 : extent.pages;
  blocks_open_ += blocks;
  meter_.taken(taken.number, blocks);
  BlockThread& thread = threads_.begin(index, taken.number);
  thread.serial = taken.serial;
  thread.submitted = taken.begin;
  thread.begin(request, extent);
  think_times_.taken(thread_of(index), request.sectors == 0);
  steps_.schedule(later(taken.begin, now), Step::start_request, index);
}

// Gives requests to threads after one became free. inferred: gives out every ready request, since
// each has a thread.
void BlockAgent::take_requests(std::uint32_t index, Tick now) {
  if (open_loop_.open()) {
    take_waiting(index, now);
    return;
  }
  if (!source_.inferred()) {
    take_request(index, now);
    return;
  }
  while (source_.has_next()) {
    take_request(static_cast<std::uint32_t>(threads_.first_free()), now);
  }
}

// Schedules the first arrival of a pass or, after a warm-up, of what remains of it.
void BlockAgent::start_arrivals(Tick now) {
  open_loop_.restart(now);
  steps_.schedule(open_loop_.next(), Step::arrive, 0);
}

// Gives the arriving request to a free thread, or queues it, and schedules the next arrival.
void BlockAgent::arrive(Tick now) {
  if (source_.closed()) {
    return;
  }
  const RequestSource::Taken taken = source_.take(now);
  open_loop_.arrived();
  if (threads_.busy() < static_cast<std::int64_t>(threads_.size())) {
    open_loop_.begun(Tick(0));
    begin_request(static_cast<std::uint32_t>(threads_.first_free()), taken, now);
  } else {
    open_loop_.wait(taken);
  }
  if (source_.has_next()) {
    steps_.schedule(open_loop_.next(), Step::arrive, 0);
  }
}

// Gives a free thread the first request that waits, if there is one.
[[gnu::noinline]] void BlockAgent::take_waiting(std::uint32_t index, Tick now) {
  if (open_loop_.waiting() > 0 && !source_.closed()) {
    const RequestSource::Taken taken = open_loop_.pop();
    open_loop_.begun(now - taken.begin);
    begin_request(index, taken, now);
  }
}

// Lets a thread take requests again after its think time.
void BlockAgent::end_think(std::uint32_t thread, Tick now) {
  think_times_.end(thread);
  const auto depth = static_cast<std::uint32_t>(keys_.depth);
  for (std::uint32_t i = 0; i < depth && !between_passes_; ++i) {
    take_request(thread * depth + i, now);
  }
}

// Sends the next part of the thread's request, or ends the request.
void BlockAgent::send_next_part(std::uint32_t index, Tick now) {
  BlockThread& thread = threads_[index];
  if (!thread.has_part()) {
    end_request(index, now);
    return;
  }
  IoRequest request = thread.next_part(host_->capacity(), host_->granularity());
  request.tag = index;
  request.submitter = static_cast<std::uint16_t>(thread_of(index));
  request.measured = !finished_once();
  host_->begin(client_, request, now);
}

// Returns the record of the request that the thread completed.
IoRecord BlockAgent::record_of(std::uint32_t index, Tick now) const {
  const BlockThread& thread = threads_[index];
  IoRecord::Kind kind = thread.write ? IoRecord::Kind::write : IoRecord::Kind::read;
  if (thread.trim) {
    kind = IoRecord::Kind::trim;
  } else if (thread.all_lines == 0) {
    kind = IoRecord::Kind::flush;
  }
  return {this->index(), index, kind, thread.first_line, thread.all_lines, thread.submitted, now};
}

void BlockAgent::end_request(std::uint32_t index, Tick now) {
  threads_.end(index);
  io_meter_.ended(record_of(index, now), !finished_once());
  if (!meter_.empty()) {
    meter_.ended(threads_.first_under_way(source_.taken()), now, !finished_once());
  }
  source_.ended(threads_[index].serial, now);
  if (think_times_.ended(thread_of(index))) {
    steps_.schedule(now + keys_.think_time, Step::end_think,
                    static_cast<std::uint32_t>(thread_of(index)));
  }
  take_requests(index, now);
  end_pass(now);
  notify();
}

void BlockAgent::each_page_read(bool to_limit, const PageVisitor& visit) {
  constexpr std::int64_t kMostOfEndless = 1 << 22;  // requests
  const Copy& copy = copy_of(keys_.software.how.copy);
  source_.begin_pass(Tick(0));
  for (std::int64_t i = 0; source_.has_next() && (!source_.endless() || i < kMostOfEndless); ++i) {
    const RequestSource::Taken taken = source_.take(Tick(0));
    const BlockRequest& request = taken.request;
    source_.ended(taken.serial, Tick(0));
    if (!to_limit) {
      source_.restart_limit();
    }
    if (request.trim || !copy.reads(request.write)) {
      continue;
    }
    const DeviceLayout::Extent extent = layout_.extent(request);
    for (std::uint64_t line = 0; line < extent.lines;) {
      const std::uint64_t at = (extent.first_line + line) % layout_.lines();
      if (!visit(static_cast<std::int64_t>(at / kLines))) {
        return;
      }
      line += kLines - at % kLines;
    }
  }
}

// Continues a request whose part has completed. A thread has at most one part at the host. A loaded
// part may have any tag.
void BlockAgent::on_io_done(std::uint32_t index, Tick now) {
  ensure(index < threads_.size() && threads_[index].busy, "block I/O", now, index,
         "completion of a request that no thread waits for");
  if (!threads_[index].trim) {
    count_completion();
  }
  send_next_part(index, now);
}

void BlockAgent::on_blocks_done(std::int64_t blocks, Tick now) {
  blocks_done_ += blocks;
  blocks_open_ -= blocks;
  end_pass(now);
}

// The limit counts requests taken from now on.
void BlockAgent::restart_limit(Tick now) {
  measuring_ = true;
  schedule_stop(now);
  const bool had_next = source_.has_next();
  source_.restart_limit();
  meter_.clear();
  if (!had_next && !between_passes_ && open_loop_.open()) {
    start_arrivals(now);
  } else if (!had_next && !between_passes_) {
    for (std::uint32_t i = 0; i < threads_.size(); ++i) {
      if (!threads_[i].busy) {
        take_request(i, now);
      }
    }
  }
  notify();
}

double BlockAgent::pass_fraction(Tick now) const {
  const std::int64_t present = threads_.busy() + open_loop_.waiting();
  const double done = source_.fraction(source_.taken() - std::min(source_.taken(), present));
  if (keys_.duration == Tick(0) || !started_) {
    return done;
  }
  return std::max(done, static_cast<double>(measured_time(now).value()) /
                            static_cast<double>(keys_.duration.value()));
}

void BlockAgent::serialize_state(Archive& archive) {
  archive.section("block");
  archive(source_, threads_, meter_, io_meter_, steps_, blocks_done_, blocks_open_);
  archive(between_passes_, started_, measuring_, stop_time_, open_loop_, think_times_);
  threads_.check(archive, layout_.lines());
  std::size_t arrivals = 0;
  steps_.each([&](const auto& step) {
    const bool thinks = step.kind == Step::end_think;
    arrivals += step.kind == Step::arrive ? 1 : 0;
    archive.check_index(step.payload, thinks ? think_times_.size() : threads_.size(),
                        "invalid thread of a block agent");
  });
  const bool may_arrive = open_loop_.open() && (source_.closed() || source_.has_next());
  archive.check(arrivals <= (may_arrive ? 1u : 0u), "invalid arrival at a block agent");
}

}  // namespace hmsim
