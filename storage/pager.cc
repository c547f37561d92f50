// SPDX-License-Identifier: BSD-3-Clause
#include "storage/pager.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/errors.h"
#include "policies/policy.h"

namespace hmsim {

namespace {

std::unique_ptr<BufferReplacement> replacement(const std::string& name,
                                               const Assignments& assignments) {
  auto policy = create_policy(PolicyKind::buffer_replacement, name, assignments);
  return std::unique_ptr<BufferReplacement>(static_cast<BufferReplacement*>(policy.release()));
}

}  // namespace

void PagingParameters::declare(ParameterSet& set) {
  const ParameterSet::Scope scope(set, "paging");
  set.size("memory", memory, {kPageBytes.value(), std::int64_t{1} << 40},
           {"page frames", "Caulfield et al., SC 2010: 8 GB, of footprints of 8 to 35 GB"});
  set.name_of("replacement", replacement, policy_names(PolicyKind::buffer_replacement),
              {"which page is given up next", "Linux: an approximation of LRU"});
  set.time("trap", trap, {"from a touch to the search for a frame", "assumed"});
  set.time("swap", swap,
           {"time of the swap path for each I/O, one at a time",
            "Caulfield et al., SC 2010: 100,000 updates a second, of two I/Os each"});
}

std::vector<ParameterError> PagingParameters::check() const {
  std::vector<ParameterError> errors;
  if (memory % kPageBytes != Bytes(0)) {
    errors.push_back(
        {"paging.memory", format_size(memory) + " is not a multiple of a page, 4KiB; nearest: " +
                              format_size((memory + kPageBytes / 2) / kPageBytes * kPageBytes)});
  }
  for (const auto& [name, time] : {std::pair("trap", trap), {"swap", swap}}) {
    if (time < kNanosecond || time > kSecond) {
      errors.push_back(
          {std::string("paging.") + name, format_time(time) + " is not between 1ns and 1s"});
    }
  }
  return errors;
}

Pager::Pager(const PagingParameters& parameters, std::unique_ptr<StorageDevice> device,
             const Assignments& assignments)
    : parameters_(parameters),
      device_(std::move(device)),
      frames_(parameters.memory / kPageBytes, replacement(parameters.replacement, assignments),
              no_prefetches_),
      saved_(static_cast<std::size_t>(pages())) {
  device_->listen(*this);
}

// --- Touches

bool Pager::touch(std::int64_t page, bool write, std::uint32_t tag, Tick now) {
  ensure(page >= 0 && page < pages(), "pager", now, tag, "a page is beyond the swap device");
  ++counts_.touches;
  const std::uint32_t frame = frames_.find(page);
  if (frame != kNoIndex && resident(frames_[frame])) {
    if (frames_[frame].pins == 0) {
      frames_.pin(frame);
      --frames_[frame].pins;
      frames_.list(frame, false);
    }
    frames_[frame].state = write ? FrameState::dirty : frames_[frame].state;
    return true;
  }
  ++counts_.faults;
  const std::uint32_t touch = touches_.take();
  touches_[touch] = {page, tag, kNoIndex, write, now};
  events_.schedule(now + parameters_.trap, Event::trapped, touch);
  return false;
}

void Pager::look_up(std::uint32_t touch, Tick now) {
  const std::int64_t page = touches_[touch].page;
  std::uint32_t frame = frames_.find(page);
  if (frame == kNoIndex) {
    frame = frames_.add(page);
    frames_[frame].waiters.push_back(links(), touch);
    admit(now);
  } else if (resident(frames_[frame])) {
    end(touch, frame, now);
  } else {
    frames_[frame].waiters.push_back(links(), touch);
  }
}

void Pager::end(std::uint32_t touch, std::uint32_t frame, Tick now) {
  const Touch done = touches_[touch];
  touches_.give_back(touch);
  frames_[frame].state = done.write ? FrameState::dirty : frames_[frame].state;
  counts_.latency.add((now - done.begin).value());
  listener_->on_page(done.tag, now);
}

// --- Frames

void Pager::admit(Tick now) {
  while (frames_.waiting() > 0) {
    if (!frames_.full()) {
      fill(frames_.admit(), now);
      continue;
    }
    const std::uint32_t victim = leaving_ < frames_.waiting() ? frames_.victim() : kNoIndex;
    if (victim == kNoIndex) {
      return;
    }
    evict(victim, now);
  }
}

void Pager::fill(std::uint32_t frame, Tick now) {
  Frame& record = frames_[frame];
  record.state = FrameState::filling;
  if (saved_[static_cast<std::size_t>(record.key)]) {
    ++counts_.reads;
    ask(frame, false, now);
  } else {
    ++counts_.zero_fills;
    filled(frame, now);
  }
}

// The frame stays while those who wait for it are told, whatever they do then.
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

void Pager::evict(std::uint32_t frame, Tick now) {
  frames_.unlist(frame);
  ++leaving_;
  const bool dirty = frames_[frame].state == FrameState::dirty;
  frames_[frame].state = FrameState::evicting;
  if (dirty) {
    ++counts_.writes;
    ask(frame, true, now);
  } else {
    gone(frame, now);
  }
}

// Who touches the page meanwhile waits, and has it come again. Whoever calls is to admit() then.
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
  }
}

void Pager::on_io_done(std::uint32_t tag, Tick now) {
  ensure(tag < ios_.size() && ios_[tag].frame != kNoIndex && ios_[tag].issued, "pager", now, tag,
         "the device ends what it was not asked");
  const Io done = ios_[tag];
  ios_[tag] = Io();
  ios_.give_back(tag);
  if (done.write) {
    saved_[static_cast<std::size_t>(frames_[done.frame].key)] = true;
    gone(done.frame, now);
  } else {
    filled(done.frame, now);
  }
  admit(now);
}

Tick Pager::advance(Tick now) {
  for (Tick next = next_event(); next <= now; next = next_event()) {
    if (device_->next_event() <= next) {
      device_->advance(next);
    }
    while (events_.next_time() <= next) {
      const auto event = events_.pop();
      if (event.kind == Event::trapped) {
        look_up(event.payload, event.time);
        admit(event.time);
        continue;
      }
      if (const std::optional<std::uint32_t> io = swap_.end(event.time)) {
        events_.schedule(event.time + parameters_.swap, Event::issued, *io);
      }
      Io& io = ios_[event.payload];
      io.issued = true;
      IoRequest request;
      request.kind = io.write ? IoRequest::Kind::write : IoRequest::Kind::read;
      request.offset = static_cast<std::uint64_t>(frames_[io.frame].key * kPageBytes.value());
      request.bytes = static_cast<std::uint64_t>(kPageBytes.value());
      request.tag = event.payload;
      device_->submit(request, event.time);
    }
  }
  return next_event();
}

void Pager::account(Tick now) {
  swap_.level().account(now);
  device_->account(now);
}

void Pager::register_statistics(StatisticRegistry& registry, const std::string& path) {
  registry.counter(path + ".touches", "touches", "touches of pages", {&counts_.touches});
  registry.counter(path + ".faults", "touches", "touches of pages that were not there",
                   {&counts_.faults});
  registry.counter(path + ".zero_fills", "pages", "pages that came for the first time, without I/O",
                   {&counts_.zero_fills});
  registry.counter(path + ".reads", "pages", "pages read from the swap device", {&counts_.reads});
  registry.counter(path + ".writes", "pages", "dirty pages written there", {&counts_.writes});
  registry.histogram(path + ".fault_us", "us", "a fault, from the touch to its end",
                     kMicrosecond.value(), {&counts_.latency});
  registry.gauge(path + ".swap.busy", "", "share of time in which the swap path is held",
                 [this] { return swap_.level().mean(); });
  registry.on_reset([this](Tick now) { swap_.level().reset(now); });
  device_->register_statistics(registry, path + ".device");
}

void Pager::serialize(Archive& archive) {
  archive.section("pager");
  archive(frames_, touches_, ios_, swap_, events_, leaving_, counts_);
  archive.fixed(saved_);
  if (archive.loading()) {
    check_loaded(archive);
  }
  device_->serialize(archive);
  if (archive.loading()) {
    std::vector<std::uint32_t> asked = ios_.taken();
    const auto waits = [this](std::uint32_t io) { return !ios_[io].issued; };
    asked.erase(std::remove_if(asked.begin(), asked.end(), waits), asked.end());
    archive.check(asked == device_->under_way(), "a pager waits for other pages than are moved");
  }
}

// Each touch is trapped or waits for one frame; each frame that comes or goes has one I/O.
void Pager::check_loaded(const Archive& archive) const {
  constexpr const char* kWrong = "the pages of a pager do not hold together";
  Places touches(archive, touches_.size(), kWrong);
  Places moving(archive, frames_.records(), kWrong);
  Places swapping(archive, ios_.size(), kWrong);
  touches_.take_free(touches);
  std::size_t waiting = 0;
  const std::vector<bool> asked = ios_.in_use();
  for (std::uint32_t io = 0; io < ios_.size(); ++io) {
    archive.check(asked[io] == (ios_[io].frame != kNoIndex), kWrong);
    if (asked[io]) {
      archive.check_index(ios_[io].frame, frames_.records(), kWrong);
      archive.check(frames_[ios_[io].frame].state ==
                        (ios_[io].write ? FrameState::evicting : FrameState::filling),
                    kWrong);
      moving.take(ios_[io].frame);
      waiting += ios_[io].issued ? 0 : 1;
    }
  }
  std::size_t leaving = 0;
  const auto links = links_of(touches_.data(), &Touch::next);
  for (std::uint32_t frame = 0; frame < frames_.records(); ++frame) {
    const Frame& record = frames_[frame];
    const bool comes = record.state == FrameState::waiting || record.state == FrameState::filling;
    const bool goes = record.state == FrameState::evicting;
    archive.check(moving.has(frame) == (goes || record.state == FrameState::filling), kWrong);
    archive.check(record.key >= 0 && record.key < pages() && record.pins == 0 &&
                      comes <= !record.waiters.empty() &&
                      !record.waiters.empty() <= (comes || goes),
                  kWrong);
    archive.check(
        record.listing == (resident(record) ? FrameListing::replaceable : FrameListing::none),
        kWrong);
    record.waiters.take_all(links, touches, [&](std::uint32_t touch) {
      archive.check(touches_[touch].page == record.key, kWrong);
    });
    leaving += goes ? 1 : 0;
  }
  const auto in_line = [&](std::uint32_t io) {
    swapping.take(io);
    archive.check(asked[io] && !ios_[io].issued, kWrong);
  };
  std::size_t issuing = 0;
  events_.each([&](const auto& event) {
    archive.check(event.time >= Tick(0) && event.time < kNever, kWrong);
    if (event.kind == Event::issued) {
      in_line(event.payload);
      ++issuing;
    } else {
      touches.take(event.payload);
      const Touch& touch = touches_[event.payload];
      archive.check(touch.page >= 0 && touch.page < pages(), kWrong);
    }
  });
  swap_.waiting().each(in_line);
  archive.check(touches.all() && leaving == leaving_ && swapping.count() == waiting &&
                    issuing == (swap_.busy() ? 1 : 0),
                kWrong);
}

}  // namespace hmsim
