// SPDX-License-Identifier: BSD-3-Clause
#include "storage/pager.h"

#include <optional>
#include <utility>

#include "core/errors.h"

namespace hmsim {

void PagingParameters::declare(ParameterSet& set) {
  const ParameterSet::Scope scope(set, "paging");
  set.size("memory", memory, {0, std::int64_t{1} << 40},
           {"page frames of agents that are `paged`, which swap to the device; 0: no paging",
            "Caulfield et al., SC 2010: 8 GB, of footprints of 8 to 35 GB"});
  set.name_of("replacement", replacement, policy_names(PolicyKind::buffer_replacement),
              {"replacement policy of the pages", "Linux: an approximation of LRU"});
  set.time("trap", trap, {"time from an access to the search for a frame", "assumed"});
  set.time("swap", swap,
           {"time of the swap path for each I/O, one at a time",
            "Caulfield et al., SC 2010: 100,000 updates a second, of two I/Os each"});
  set.integer("write_cluster", write_cluster, {1, 256}, "pages",
              {"pages evicted together; above 1, a page gets its place on the device when it is "
               "written, after those written before it; 1: each page keeps one place",
               "Linux: SWAP_CLUSTER_MAX is 32; places in clusters of 256"});
  set.integer("read_cluster", read_cluster, {1, 256}, "pages",
              {"pages of the aligned group of places that a fault reads: its page, and the absent "
               "ones next to it up to the first free place; 1: its page alone",
               "Linux: vm.page-cluster, 8 pages by default"});
}

std::vector<ParameterError> PagingParameters::check() const {
  std::vector<ParameterError> errors;
  if (memory % kPageBytes != Bytes(0)) {
    errors.push_back({"storage.paging.memory",
                      format_size(memory) + " is not a multiple of a page, 4KiB; nearest: " +
                          format_size((memory + kPageBytes / 2) / kPageBytes * kPageBytes)});
  }
  for (const auto& [name, time] : {std::pair("trap", trap), {"swap", swap}}) {
    if (time < kNanosecond) {
      errors.push_back({std::string("storage.paging.") + name,
                        format_time(time) + " is not between 1ns and 1s"});
    }
  }
  return errors;
}

Pager::Pager(const PagingParameters& parameters, Host& host, const Assignments& assignments)
    : parameters_(parameters),
      host_(host),
      client_(host.join(*this)),
      frames_(parameters.memory / kPageBytes,
              create_replacement(parameters.replacement, assignments), counts_.read_ahead_unused),
      slots_(static_cast<std::uint64_t>(host.capacity() / kPageBytes),
             parameters.write_cluster == 1) {}

std::uint16_t Pager::join(PagingListener& client) {
  listeners_.push_back(&client);
  return static_cast<std::uint16_t>(listeners_.size() - 1);
}

// --- Touches

void Pager::use(const VirtualPage& page, bool write) {
  const std::uint32_t frame = frame_of(page);
  if (frames_[frame].pins == 0) {
    frames_.pin(frame);
    --frames_[frame].pins;
    frames_.list(frame, false);
  }
  touched(frames_[frame], write);
}

void Pager::touched(Frame& frame, bool write) {
  frame.state = write ? FrameState::dirty : frame.state;
  if (frame.prefetched) {
    frame.prefetched = false;
    ++counts_.read_ahead_used;
  }
}

std::uint32_t Pager::number_of(const VirtualPage& page) {
  const std::uint32_t known = numbers_.find(page.key());
  if (known != kNoIndex) {
    return known;
  }
  const auto number = static_cast<std::uint32_t>(keys_.size());
  const auto pages = static_cast<std::uint64_t>(host_.capacity() / kPageBytes);
  if (number >= pages) {
    throw InputError("storage.capacity: agents touch more pages than the " + std::to_string(pages) +
                     " of the device that they are swapped to");
  }
  keys_.push_back(page.key());
  slots_.add();
  numbers_.insert(page.key(), number);
  return number;
}

void Pager::fault(std::uint16_t client, const VirtualPage& page, bool write, Tick now) {
  ++counts_.faults;
  const std::uint32_t number = number_of(page);
  const std::uint32_t touch = touches_.take();
  touches_[touch] = {number, client, kNoIndex, write, now};
  events_.schedule(now + parameters_.trap, Event::trapped, touch);
  wakeup_.notify();
}

void Pager::look_up(std::uint32_t touch, Tick now) {
  const std::uint32_t page = touches_[touch].page;
  std::uint32_t frame = frames_.find(page);
  if (frame == kNoIndex) {
    frame = bring(page);
    frames_[frame].waiters.push_back(links(), touch);
    admit(now);
  } else if (resident(frame)) {
    end(touch, frame, now);
  } else {
    frames_[frame].waiters.push_back(links(), touch);
  }
}

// Adds a record for the page, and for the absent pages of its read cluster, in the order of slots.
// Returns the page's record.
std::uint32_t Pager::bring(std::uint32_t page) {
  const std::uint32_t slot = slots_.slot_of(page);
  const auto cluster = static_cast<std::uint32_t>(parameters_.read_cluster);
  if (slot == kNoIndex || cluster == 1) {
    return frames_.add(page);
  }
  const auto is_absent = [this](std::uint32_t place) {
    const std::uint32_t other = slots_.page_at(place);
    return other != kNoIndex && frames_.find(other) == kNoIndex;
  };
  const std::uint32_t begin = slot / cluster * cluster;
  std::uint32_t first = slot;
  while (first > begin && is_absent(first - 1)) {
    --first;
  }
  std::uint32_t last = slot;
  while (last + 1 < begin + cluster && is_absent(last + 1)) {
    ++last;
  }
  std::uint32_t own = kNoIndex;
  for (std::uint32_t place = first; place <= last; ++place) {
    const std::uint32_t frame = frames_.add(slots_.page_at(place));
    frames_[frame].prefetched = place != slot;
    counts_.read_ahead += place != slot ? 1 : 0;
    own = place == slot ? frame : own;
  }
  return own;
}

void Pager::end(std::uint32_t touch, std::uint32_t frame, Tick now) {
  const Touch done = touches_[touch];
  touches_.give_back(touch);
  touched(frames_[frame], done.write);
  counts_.latency.add((now - done.begin).value());
  listeners_[done.client]->on_page(now);
}

// --- Frames

void Pager::admit(Tick now) {
  while (frames_.waiting() > 0) {
    if (!frames_.full()) {
      fill(frames_.admit(), now);
      continue;
    }
    if (leaving_ >= frames_.waiting() || !evict_cluster(now)) {
      return;
    }
  }
}

void Pager::fill(std::uint32_t frame, Tick now) {
  Frame& record = frames_[frame];
  ensure(record.state == FrameState::waiting, "pager", now, frame,
         "fill of a frame that does not wait");
  record.state = FrameState::filling;
  if (slots_.slot_of(static_cast<std::uint32_t>(record.key)) != kNoIndex) {
    ++counts_.reads;
    ask(frame, false, now);
  } else {
    ++counts_.zero_fills;
    filled(frame, now);
  }
}

// Completes the faults on a filled frame. The frame is pinned meanwhile, because listeners may
// begin other faults.
void Pager::filled(std::uint32_t frame, Tick now) {
  frames_[frame].state = FrameState::clean;
  ++frames_[frame].pins;
  SlotChain waiters = std::exchange(frames_[frame].waiters, SlotChain());
  while (!waiters.empty()) {
    end(waiters.pop_front(links()), frame, now);
  }
  --frames_[frame].pins;
  frames_.list(frame, false);
}

// Evicts a write cluster, or as many pages as may leave. Returns whether any page leaves.
bool Pager::evict_cluster(Tick now) {
  std::int64_t pages = 0;
  for (; pages < parameters_.write_cluster; ++pages) {
    const std::uint32_t victim = frames_.victim();
    if (victim == kNoIndex) {
      break;
    }
    evict(victim, now);
  }
  return pages > 0;
}

void Pager::evict(std::uint32_t frame, Tick now) {
  frames_.unlist(frame);
  ++leaving_;
  const bool dirty = frames_[frame].state == FrameState::dirty;
  frames_[frame].state = FrameState::evicting;
  if (dirty) {
    ++counts_.writes;
    slots_.place(static_cast<std::uint32_t>(frames_[frame].key));
    ask(frame, true, now);
  } else {
    gone(frame, now);
  }
}

// Frees the frame. Faults on its page that arrived meanwhile fetch it again. The caller calls
// admit() afterwards.
void Pager::gone(std::uint32_t frame, Tick now) {
  SlotChain waiters = std::exchange(frames_[frame].waiters, SlotChain());
  frames_.release(frame);
  --leaving_;
  while (!waiters.empty()) {
    look_up(waiters.pop_front(links()), now);
  }
}

// --- I/O

void Pager::ask(std::uint32_t frame, bool write, Tick now) {
  const std::uint32_t io = ios_.take();
  ios_[io] = {frame, write, false};
  if (swap_.offer(io, now)) {
    events_.schedule(now + parameters_.swap, Event::issued, io);
    wakeup_.notify();
  }
}

void Pager::issue(std::uint32_t io, Tick now) {
  ensure(ios_[io].frame != kNoIndex && !ios_[io].issued, "pager", now, io, "duplicate I/O");
  ios_[io].issued = true;
  const bool write = ios_[io].write;
  const auto page = static_cast<std::uint32_t>(frames_[ios_[io].frame].key);
  IoRequest request;
  request.kind = write ? IoRequest::Kind::write : IoRequest::Kind::read;
  request.offset = static_cast<std::uint64_t>(slots_.slot_of(page) * kPageBytes.value());
  request.bytes = static_cast<std::uint64_t>(kPageBytes.value());
  request.tag = io;
  host_.begin(client_, request, now);
}

void Pager::on_io_done(std::uint32_t tag, Tick now) {
  ensure(tag < ios_.size() && ios_[tag].frame != kNoIndex && ios_[tag].issued, "pager", now, tag,
         "completion that was not requested from the device");
  const Io done = ios_[tag];
  ensure(frames_[done.frame].state == (done.write ? FrameState::evicting : FrameState::filling),
         "pager", now, tag, "move of a page that was not requested");
  ios_[tag] = Io();
  ios_.give_back(tag);
  if (done.write) {
    gone(done.frame, now);
  } else {
    filled(done.frame, now);
  }
  admit(now);
}

Tick Pager::advance(Tick now) {
  while (events_.next_time() <= now) {
    const auto event = events_.pop();
    if (event.kind == Event::trapped) {
      look_up(event.payload, event.time);
      admit(event.time);
      continue;
    }
    if (const std::optional<std::uint32_t> io = swap_.end(event.time)) {
      events_.schedule(event.time + parameters_.swap, Event::issued, *io);
    }
    issue(event.payload, event.time);
  }
  return next_event();
}

void Pager::register_statistics(StatisticRegistry& registry) {
  const StatisticGroup group(registry, "storage.paging");
  group.counter("faults", "", "accesses to pages that were not in memory", counts_.faults);
  group.counter("zero_fills", "pages", "first accesses to pages, without I/O", counts_.zero_fills);
  group.counter("reads", "pages", "pages read from the device", counts_.reads);
  group.counter("writes", "pages", "dirty pages written to the device", counts_.writes);
  group.counter("read_ahead", "pages", "pages read that no fault asked for", counts_.read_ahead);
  group.counter("read_ahead_used", "pages", "pages read ahead and accessed later",
                counts_.read_ahead_used);
  group.counter("read_ahead_unused", "pages", "pages read ahead and evicted without an access",
                counts_.read_ahead_unused);
  group.times("fault_us", "time of a fault, from the access to its end", counts_.latency);
  group.level("swap.busy", "", "share of time in which the swap path is held", swap_.level());
}

// --- Checkpoints

// Checks that a touch is free, waits for one frame or is in its trap. The chains therefore contain
// no cycle.
void Pager::serialize(Archive& archive) {
  archive.section("pager");
  archive(frames_, keys_, touches_, ios_, swap_, events_, leaving_, counts_);
  slots_.serialize(archive, keys_.size());
  SlotClaims touches_held(archive, touches_.size(), "fault in two places");
  if (archive.loading()) {
    touches_.claim_free(touches_held);
    numbers_.clear();
    for (std::size_t number = 0; number < keys_.size(); ++number) {
      numbers_.insert(keys_[number], static_cast<std::uint32_t>(number));
    }
  }
  serialize_waiters(archive, frames_, links(), touches_.size(), touches_held);
  if (archive.loading()) {
    check_indices(archive);
    events_.each([&](const auto& event) {
      if (event.kind == Event::trapped) {
        touches_held.claim(event.payload);
      }
    });
  }
}

void Pager::check_indices(const Archive& archive) const {
  check_frames(archive, frames_, static_cast<std::int64_t>(keys_.size()));
  for (const std::uint32_t touch : touches_.taken()) {
    archive.check_index(touches_[touch].page, keys_.size(), "page without a number");
    archive.check_index(touches_[touch].client, listeners_.size(), "fault without a client");
  }
  for (const std::uint32_t io : ios_.taken()) {
    archive.check_index(ios_[io].frame, frames_.records(), "I/O without a frame");
    const auto page = static_cast<std::uint32_t>(frames_[ios_[io].frame].key);
    archive.check(slots_.slot_of(page) != kNoIndex, "I/O of a page without a place");
  }
  const auto check_io = each_is_one_of(archive, ios_.in_use());
  swap_.waiting().each(check_io);
  events_.each([&](const auto& event) {
    if (event.kind == Event::issued) {
      check_io(event.payload);
    }
  });
}

}  // namespace hmsim
