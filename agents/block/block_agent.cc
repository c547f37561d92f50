// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/block_agent.h"

#include <algorithm>

#include "core/clock.h"
#include "core/errors.h"

namespace hmsim {

namespace {

constexpr auto kLines = static_cast<std::uint64_t>(kLinesPerPage);

}  // namespace

void BlockAgent::declare(ParameterSet& parameters) {
  declare_core(parameters);
  Agent::declare(parameters);
  declare_random_stream(parameters);
  keys_.declare(parameters);
}

void BlockAgent::prepare() {
  if (environment().storage != nullptr) {
    carrier_.emplace(*environment().storage, static_cast<IoListener&>(*this), keys_.depth);
  }
  const Bytes capacity = this->capacity();
  if (capacity < kPageBytes) {
    throw InputError("agent." + std::to_string(index()) + ".kind: " + kind() +
                     " needs an NVDIMM or storage, and the configuration has neither");
  }
  layout_ = DeviceLayout(capacity, keys_.device_stride, keys_.copies.offset(capacity));
  if (!carrier_) {
    copier_ = BlockCopier(keys_.software, layout_.lines());
  }
  const auto depth = static_cast<std::size_t>(keys_.depth);
  threads_.resize(keys_.replay == ReplayMode::inferred
                      ? CausalQueue::kMostHeld
                      : static_cast<std::size_t>(keys_.software.threads) * depth,
                  depth);
  source_.open(keys_, index(), Random(environment().seed, random_stream()),
               open_source(layout_.capacity()));
  meter_.set_windows(source_.windows());
  steps_.schedule(Tick(0), Step::start_pass, 0);
}

Bytes BlockAgent::capacity() const {
  return carrier_ ? environment().storage->capacity()
                  : environment().port->capacity(MemoryClass::nvdimm);
}

// Of a request of so many blocks, before the first line.
Tick BlockAgent::software_time(std::int64_t blocks) const {
  const BlockDriver& how = keys_.software.how;
  return carrier_ ? Tick(0) : how.request_time + blocks * how.software_time;
}

std::unique_ptr<BlockSource> BlockAgent::open_source(Bytes) {
  return keys_.trace.descriptor()->blocks(keys_.trace.open(index(), environment()), keys_.columns);
}

Tick BlockAgent::advance(Tick now) {
  while (steps_.next_time() <= now) {
    const auto step = steps_.pop();
    if (step.kind == Step::start_pass) {
      start_pass(now);
    } else if (step.kind == Step::start_request) {
      start_request(step.payload, now);
    } else {
      threads_[step.payload].paused &= step.kind != Step::end_pause;
      go_on(step.payload, now);
    }
  }
  return next_event();
}

void BlockAgent::start_pass(Tick now) {
  between_passes_ = false;
  source_.begin_pass(now);
  meter_.begin_pass(now);
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    take_request(i, now);
  }
}

// Ends the pass once nothing is under way.
void BlockAgent::end_pass(Tick now) {
  if (threads_.busy() > 0 || between_passes_ || !ledger_.all_closed()) {
    return;
  }
  if (source_.end_pass()) {
    finish(now);
  }
  between_passes_ = true;
  steps_.schedule(now + kRestartGap, Step::start_pass, 0);
  notify();
}

// Gives a free thread the next request of the pass, if there is one, and lets the software time of
// the request begin.
void BlockAgent::take_request(std::uint32_t index, Tick now) {
  if (!source_.has_next()) {
    return;
  }
  const RequestSource::Taken taken = source_.take(now);
  const BlockRequest& request = taken.request;
  const DeviceLayout::Extent extent = layout_.extent(request);
  if (taken.backward) {
    count_backward_arrival();
  }
  count_wraps(extent.wraps ? 1 : 0);
  const bool moves_data = !request.trim && request.sectors > 0;
  meter_.taken(taken.number, moves_data ? extent.pages : 0);
  BlockThread& thread = threads_.begin(index, taken.number);
  thread.serial = taken.serial;
  thread.submitted = taken.begin;
  thread.first_line = thread.next_line = extent.first_line;
  thread.all_lines = thread.lines = extent.lines;
  thread.write = request.write;
  thread.trim = request.trim;
  thread.flush_before = request.flush;
  thread.flush_after = request.fua && keys_.software.how.barrier == Barrier::command;
  const std::int64_t blocks = moves_data ? extent.pages : 1;
  thread.blocks = moves_data && carrier_ ? extent.pages : 0;
  steps_.schedule(threads_.run(index, taken.begin, software_time(blocks)), Step::start_request,
                  index);
}

// A thread has become free; inferred: any request may have become ready, and a thread is free for
// each.
void BlockAgent::take_requests(std::uint32_t index, Tick now) {
  if (!source_.inferred()) {
    take_request(index, now);
    return;
  }
  while (source_.has_next()) {
    take_request(static_cast<std::uint32_t>(threads_.first_free()), now);
  }
}

// The software time of the thread's request is over.
void BlockAgent::start_request(std::uint32_t index, Tick now) {
  BlockThread& thread = threads_[index];
  const bool waits = !carrier_ && keys_.software.how.barrier == Barrier::driver &&
                     (thread.write || thread.flush_before);
  thread.paused = false;
  if (thread.trim) {
    discard(index, now);
  } else if (waits) {
    thread.paused = true;
    barrier_.wait(index);
    pass_barrier(now);
  } else {
    go_on(index, now);
  }
}

// The request that the thread has ended.
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
  ledger_.count(threads_[index].blocks);
  if (threads_[index].past_barrier) {
    barrier_.leave(threads_[index]);
    pass_barrier(now);
  }
  if (!meter_.empty()) {
    meter_.ended(threads_.first_under_way(source_.taken()), now, !finished_once());
  }
  source_.ended(threads_[index].serial, now);
  take_requests(index, now);
  end_pass(now);
  notify();
}

// Carries out a trim, which runs on from the capacity's end to its start.
void BlockAgent::discard(std::uint32_t index, Tick now) {
  BlockThread& thread = threads_[index];
  const Bytes first = static_cast<std::int64_t>(thread.next_line) * kLineBytes;
  const Bytes size = static_cast<std::int64_t>(thread.lines) * kLineBytes;
  const Bytes before_end = std::min(size, layout_.capacity() - first);
  thread.lines = 0;
  if (carrier_) {
    end_request(index, now);
    return;
  }
  environment().port->trim(Address(first.value()), before_end, now);
  environment().port->trim(Address(0), size - before_end, now);
  end_request(index, now);
}

// Lets all threads pass the barrier that may. A flush is done when its thread passes.
void BlockAgent::pass_barrier(Tick now) {
  while (const std::optional<std::uint32_t> index = barrier_.pass(threads_)) {
    BlockThread& thread = threads_[*index];
    if (thread.flush_before) {
      thread.flush_before = false;
      copier_.end_epoch();
    }
    steps_.schedule(now, Step::end_pause, *index);
  }
}

// Does all that the thread can do now.
void BlockAgent::go_on(std::uint32_t index, Tick now) {
  BlockThread& thread = threads_[index];
  if (!thread.can_go_on()) {
    return;
  }
  if (carrier_) {
    if (!carrier_->go_on(thread, index, now)) {
      end_request(index, now);
    }
    return;
  }
  const CopyStep step =
      copier_.go_on(thread, [&](std::uint64_t line, bool write, bool opens_block) {
        if (opens_block) {
          open_block(index, now);
        }
        sender_ = index;
        send(MemoryClass::nvdimm, Address(static_cast<std::int64_t>(line) * kLineBytes.value()),
             write, thread.page.block, now, 0, copier_.epoch());
        sender_.reset();
      });
  if (step.action == CopyAction::flush) {
    send_flush(index, now);
  } else if (step.action == CopyAction::pause) {
    thread.paused = true;
    steps_.schedule(threads_.run(index, now, step.time), Step::end_pause, index);
    notify();
  } else if (step.action == CopyAction::end) {
    end_request(index, now);
  }
}

void BlockAgent::each_page_read(bool to_limit, const PageVisitor& visit) {
  constexpr std::int64_t kMostOfEndless = 1 << 22;  // requests
  source_.begin_pass(Tick(0));
  for (std::int64_t i = 0; source_.has_next() && (!source_.endless() || i < kMostOfEndless); ++i) {
    const RequestSource::Taken taken = source_.take(Tick(0));
    const BlockRequest& request = taken.request;
    source_.ended(taken.serial, Tick(0));
    if (!to_limit) {
      source_.restart_limit();
    }
    if (request.trim || !copier_.copy().reads(request.write)) {
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

void BlockAgent::open_block(std::uint32_t index, Tick now) {
  BlockThread& thread = threads_[index];
  thread.page.block =
      ledger_.open(index, copier_.accesses(thread), now, environment().port->collections().ended);
}

// A thread no longer waits for a write that is accepted. The port may accept writes, of any thread,
// while it takes an access: then no thread acts within the other's sending. The one that sends
// looks at its window itself behind each access; others go on in a step of this instant.
void BlockAgent::on_admit(const Request& request, Tick now) {
  if (!ends_when_accepted(request)) {
    return;
  }
  const std::uint32_t index = ledger_.thread_of(request.tag);
  --threads_[index].outstanding;
  if (!sender_) {
    go_on(index, now);
  } else if (*sender_ != index) {
    steps_.schedule(now, Step::go_on, index);
    notify();
  }
}

// A flush or a request of the storage that was loaded may have any tag.
void BlockAgent::check_thread(std::uint32_t index, Tick now) const {
  ensure(index < threads_.size(), "block I/O", now, index,
         "a request ends that no thread waits for");
}

// The tag of an access is its block, that of a flush its thread.
void BlockAgent::handle_completion(const Request& request, Tick now) {
  const std::uint32_t index = request.flush ? request.tag : ledger_.thread_of(request.tag);
  if (request.flush) {
    check_thread(index, now);
  }
  if (!request.flush && ledger_.end_access(request.tag)) {
    ledger_.close(request.tag, now, environment().port->collections().begun, !finished_once());
  }
  if (ends_when_accepted(request)) {
    end_pass(now);
    return;
  }
  BlockThread& thread = threads_[index];
  --thread.outstanding;
  thread.fetches -= thread.fetches > 0 && !request.write && !request.flush ? 1 : 0;
  go_on(index, now);
}

// Of the storage: a thread has one request there.
void BlockAgent::on_io_done(std::uint32_t index, Tick now) {
  check_thread(index, now);
  count_completion();
  --threads_[index].outstanding;
  go_on(index, now);
}

// The limit counts requests taken from now on.
void BlockAgent::restart_limit(Tick now) {
  const bool had_next = source_.has_next();
  source_.restart_limit();
  meter_.clear();
  if (had_next) {
    return;
  }
  for (std::uint32_t i = 0; i < threads_.size() && !between_passes_; ++i) {
    if (!threads_[i].busy) {
      take_request(i, now);
    }
  }
  notify();
}

double BlockAgent::pass_fraction(Tick) const {
  return source_.fraction(source_.taken() - std::min(source_.taken(), threads_.busy()));
}

}  // namespace hmsim
