// SPDX-License-Identifier: BSD-3-Clause
#include "storage/host.h"

#include <algorithm>
#include <utility>

#include "core/errors.h"
#include "core/units.h"

namespace hmsim {

namespace {

// Returns the number of pages for which a request takes software time. A request that others
// continue (`more_pages`) takes the time of all pages, and those that continue it take none. A
// flush or a trim counts as one page.
std::uint64_t software_pages(const IoRequest& request) {
  const std::uint64_t own = request.moves_data() ? request.pages() : 0;
  return request.further ? 0 : std::max<std::uint64_t>(1, own + request.more_pages);
}

constexpr NamedPart<Layer> kLayerNames[] = {
    {Layer::entry, "entry", "system call and entry"},
    {Layer::file_system, "file_system", "in the file system"},
    {Layer::queue, "queue", "in the block layer's queue"},
    {Layer::tag, "tag", "taking a tag"},
    {Layer::copy_in, "copy_in", "copying data to be written"},
    {Layer::issue, "issue", "handing the request to the device"},
    {Layer::device, "device", "the device had the whole request"},
    {Layer::interrupt, "interrupt", "in the interrupt at the request's end"},
    {Layer::wake, "wake", "waking the sleeping thread"},
    {Layer::copy_out, "copy_out", "copying read data"},
    {Layer::leave, "leave", "on the way back to the program"},
    {Layer::context_wait, "context_wait", "waiting for a hardware context"},
    {Layer::section_wait, "section_wait", "waiting for a lock, the queue or the file system"},
};
static_assert(std::size(kLayerNames) == kLayers);

constexpr NamedPart<Section> kSectionNames[] = {
    {Section::file_system, "file_system", "share of time in which the file system was held"},
    {Section::queue, "queue", "share of time in which the block layer's queue was held"},
    {Section::lock, "lock", "share of time in which the lock for issuing was held"},
};
static_assert(std::size(kSectionNames) == kSections);

}  // namespace

Host::Host(const PathParameters& parameters, StorageDevice& device)
    : parameters_(parameters),
      read_(parameters, false),
      write_(parameters, true),
      device_(device),
      may_bypass_kernel_(!device.notifies_others()),
      contexts_(parameters.contexts) {
  device_.listen(*this);
}

std::uint16_t Host::join(IoListener& client, Contexts* contexts) {
  ensure(!device_.is_memory() || clients_.empty(), "storage host", Tick(0), -1,
         "second client of a device that is memory");
  clients_.push_back({&client, contexts});
  return static_cast<std::uint16_t>(clients_.size() - 1);
}

void Host::check_request(const IoRequest& request) const {
  const auto capacity = static_cast<std::uint64_t>(device_.capacity().value());
  const auto sector = static_cast<std::uint64_t>(device_.granularity().value());
  if (request.offset % sector != 0 || request.bytes % sector != 0) {
    throw InputError("a request of " + std::to_string(request.bytes) + " bytes at byte " +
                     std::to_string(request.offset) +
                     " of the storage device must consist of sectors of " + std::to_string(sector) +
                     " bytes");
  }
  if (request.offset > capacity || request.bytes > capacity - request.offset) {
    throw InputError("a request of " + std::to_string(request.bytes) + " bytes at byte " +
                     std::to_string(request.offset) +
                     " is beyond the end of the storage device, whose storage.capacity is " +
                     format_size(device_.capacity()));
  }
}

void Host::begin(std::uint16_t client, const IoRequest& request, Tick now) {
  check_request(request);
  const std::uint32_t slot = ios_.take();
  Io& io = ios_[slot];
  io.request = request;
  io.request.bytes = request.kind == IoRequest::Kind::flush ? 0 : request.bytes;
  io.client = client;
  io.begun = now;
  io.times.since = now;
  io.spins =
      io.request.bytes <= static_cast<std::uint64_t>(parameters_.driver.spin_up_to.value()) &&
      parameters_.driver.spin_up_to > Bytes(0);
  outstanding_.add(1, now);
  if (ignores(request)) {
    io.stage = static_cast<std::uint32_t>(path(io).stages.size() - 1);
    events_.schedule(now, Event::resume, slot);
  } else {
    resume(slot, now);
  }
  wakeup_.notify();
}

Tick Host::advance(Tick now) {
  notified_client_ = false;
  for (;;) {
    if (device_next_ <= now) {
      device_next_ = device_.advance(now);
    }
    while (events_.next_time() <= now) {
      const auto event = events_.pop();
      if (event.kind == Event::section_end) {
        end_section(event.payload, now);
      } else {
        resume(event.payload, now);
      }
    }
    const Tick next = next_event();
    if (next > now) {
      if (notified_client_ || !may_bypass_kernel_ || next == kNever || !wakeup_.try_advance(next)) {
        return next;
      }
      now = next;
    }
  }
}

// Advances the request as far as possible at `now`.
void Host::resume(std::uint32_t slot, Tick now) {
  for (;;) {
    Io& io = ios_[slot];
    const std::vector<Stage>& stages = path(io).stages;
    while (skips(io, stages[io.stage])) {
      ++io.stage;
    }
    const Stage& stage = stages[io.stage];
    switch (stage.where) {
      case Stage::Where::core:
        if (io.in_context || take_context(slot, now)) {
          run(slot, now);
        }
        return;
      case Stage::Where::section:
        leave_context(slot, now);
        if (sections_[static_cast<std::size_t>(stage.section)].offer(slot, now)) {
          start_section(slot, stage.section, now);
        }
        return;
      case Stage::Where::nowhere:
        leave_context(slot, now);
        io.times.charge(stage.layer, now + stage.pass);
        ++io.stage;
        events_.schedule(now + stage.pass, Event::resume, slot);
        return;
      case Stage::Where::device:
        if (io.request.kind == IoRequest::Kind::trim && device_.is_memory()) {
          device_.trim(io.request.offset, io.request.bytes, now);
          ++io.stage;
          break;
        }
        if (!issue(slot, now)) {
          return;
        }
        break;
      case Stage::Where::end:
        end(slot, now);
        return;
    }
  }
}

// Returns the time that a request spends in a stage if `bytes` of the request are issued now.
Tick Host::time_in(const Stage& stage, const IoRequest& request, std::uint64_t bytes) {
  Tick time = stage.pass;
  if (stage.per_kib > Tick(0)) {
    time += time_of(bytes, stage.per_kib);
  }
  if (stage.per_page > Tick(0)) {
    time += static_cast<std::int64_t>(software_pages(request)) * stage.per_page;
  }
  return time;
}

// Runs all consecutive layers on the request's context.
void Host::run(std::uint32_t slot, Tick now) {
  Io& io = ios_[slot];
  io.times.charge(Layer::context_wait, now);
  const std::vector<Stage>& stages = path(io).stages;
  const auto most = static_cast<std::uint64_t>(parameters_.max_request.value());
  const std::uint64_t moved = io.issued_all ? io.request.bytes : io.piece(most);
  const std::uint64_t bytes = io.request.moves_data() ? moved : 0;
  Tick end = now;
  const Stage* stage = &stages[io.stage];
  for (; stage->where == Stage::Where::core; ++stage) {
    if (skips(io, *stage)) {
      continue;
    }
    end += time_in(*stage, io.request, bytes);
    io.times.charge(stage->layer, end);
  }
  io.stage = static_cast<std::uint32_t>(stage - stages.data());
  counts_.processor_time += static_cast<Counter>((end - now).value());
  events_.schedule(end, Event::resume, slot);
}

void Host::start_section(std::uint32_t slot, Section section, Tick now) {
  Io& io = ios_[slot];
  const Stage& stage = path(io).stages[io.stage];
  ensure(stage.where == Stage::Where::section, "storage host", now, slot,
         "request in a section that its path does not have");
  io.times.charge(Layer::section_wait, now);
  io.times.charge(stage.layer, now + stage.pass);
  ++io.stage;
  counts_.processor_time += static_cast<Counter>(stage.pass.value());
  events_.schedule(now + stage.pass, Event::resume, slot);
  events_.schedule(now + stage.hold, Event::section_end, static_cast<std::uint32_t>(section));
}

void Host::end_section(std::size_t section, Tick now) {
  if (const auto next = sections_[section].end(now)) {
    start_section(*next, static_cast<Section>(section), now);
  }
}

// Issues the next piece to the device. Returns true if more pieces follow; these begin at the queue
// layer.
bool Host::issue(std::uint32_t slot, Tick now) {
  Io& io = ios_[slot];
  const std::uint64_t bytes = io.piece(static_cast<std::uint64_t>(parameters_.max_request.value()));
  IoRequest piece = io.request;
  piece.offset += io.issued;
  piece.bytes = bytes;
  piece.tag = pieces_.take();
  pieces_[piece.tag].io = slot;
  ++io.pieces;
  io.issued += bytes;
  io.issued_all = io.issued == io.request.bytes;
  const bool more = !io.issued_all;
  if (more) {
    io.stage = static_cast<std::uint32_t>(path(io).again);
  } else if (!io.spins) {
    leave_context(slot, now);
  }
  device_.submit(piece, now);
  device_next_ = device_.next_event();
  return more;
}

void Host::on_io_done(std::uint32_t tag, Tick now) {
  ensure(tag < pieces_.size() && pieces_[tag].io != kNoIndex, "storage host", now, tag,
         "completion of a request that is not in flight");
  const std::uint32_t slot = pieces_[tag].io;
  pieces_[tag].io = kNoIndex;
  pieces_.give_back(tag);
  Io& io = ios_[slot];
  if (--io.pieces > 0 || !io.issued_all) {
    return;
  }
  ensure(path(io).stages[io.stage].where == Stage::Where::device, "storage host", now, tag,
         "completion of a request that the device does not have");
  counts_.processor_time += io.spins ? static_cast<Counter>((now - io.times.since).value()) : 0;
  if (reports_) {
    of_devices_.resize(ios_.size());
    of_devices_[slot] = device_.ended_times();
    if (of_devices_[slot] && of_devices_[slot]->sum() != now - io.times.since) {
      of_devices_[slot].reset();
    }
  }
  io.times.charge(Layer::device, now);
  ++io.stage;
  resume(slot, now);
}

void Host::on_blocks_done(std::int64_t blocks, Tick now) {
  clients_.front().listener->on_blocks_done(blocks, now);
}

bool Host::take_context(std::uint32_t slot, Tick now) {
  Io& io = ios_[slot];
  Contexts* const own = clients_[io.client].contexts;
  const bool has =
      own == nullptr ? contexts_.acquire(1, slot, now) : own->acquire(slot, io.request, now);
  io.in_context = has;
  io.waits_outside = !has && own != nullptr;
  return has;
}

void Host::granted(std::uint32_t slot, Tick now) {
  ensure(slot < ios_.size() && ios_[slot].waits_outside, "storage host", now, slot,
         "hardware context for a request that does not wait for one");
  ios_[slot].in_context = true;
  ios_[slot].waits_outside = false;
  run(slot, now);
  wakeup_.notify();
}

// Releases the context and runs the next request that waits for one.
void Host::leave_context(std::uint32_t slot, Tick now) {
  if (!ios_[slot].in_context) {
    return;
  }
  ios_[slot].in_context = false;
  if (Contexts* const own = clients_[ios_[slot].client].contexts) {
    own->release(slot, now);
    return;
  }
  contexts_.release(1, now);
  if (const auto next = contexts_.admit(now)) {
    ios_[*next].in_context = true;
    run(*next, now);
  }
}

void Host::end(std::uint32_t slot, Tick now) {
  Io& io = ios_[slot];
  leave_context(slot, now);
  if (io.request.kind == IoRequest::Kind::flush) {
    ++counts_.flushes;
  } else if (io.request.kind == IoRequest::Kind::trim) {
    ++counts_.trims;
    counts_.ignored_trims += ignores(io.request) ? 1 : 0;
  } else {
    HostCounts::Direction& of = counts_.of[io.request.kind == IoRequest::Kind::write ? 1 : 0];
    io.times.add_to(of.parts);
    ++of.requests;
    of.bytes += io.request.bytes;
    of.latency.add((now - io.begun).value());
  }
  outstanding_.add(-1, now);
  const std::uint16_t client = io.client;
  const std::uint32_t tag = io.request.tag;
  if (reports_) {
    of_devices_.resize(ios_.size());
    ended_ = {io.times, std::exchange(of_devices_[slot], std::nullopt)};
  }
  const std::uint64_t blocks =
      io.request.moves_data() && !device_.is_memory() ? io.request.pages() : 0;
  ios_.give_back(slot);
  notified_client_ = true;
  if (blocks > 0) {
    clients_[client].listener->on_blocks_done(static_cast<std::int64_t>(blocks), now);
  }
  clients_[client].listener->on_io_done(tag, now);
}

void Host::register_statistics(StatisticRegistry& registry, const std::string& path) {
  const StatisticGroup group(registry, path);
  const auto rate = [this](Counter count) {
    const double time = seconds(outstanding_.time());
    return time == 0 ? 0 : static_cast<double>(count) / time;
  };
  for (const bool write : {false, true}) {
    HostCounts::Direction& of = counts_.of[write ? 1 : 0];
    const std::string name = write ? "write" : "read";
    group.times(name + "_latency_us",
                "latency of a " + name + ", from its start in software to its end there",
                of.latency);
    const std::string parts = std::string(path).append(".").append(name);
    register_parts({registry, parts}, kLayerNames, of.parts, of.requests);
    group.counter(name + "s", "requests", name + "s that ended", of.requests);
    group.counter(name + "_bytes", "bytes", "bytes of " + name + "s that ended", of.bytes);
  }
  group.counter("flushes", "requests", "flushes that ended", counts_.flushes);
  group.gauge("iops", "requests/s", "reads and writes that ended per second",
              [this, rate] { return rate(counts_.of[0].requests + counts_.of[1].requests); });
  group.gauge("bandwidth_gb_per_s", "GB/s", "reads and writes together, in 10^9 bytes",
              [this, rate] { return rate(counts_.of[0].bytes + counts_.of[1].bytes) / 1e9; });
  group.level("outstanding", "requests", "requests in flight, mean over time", outstanding_);
  group.gauge(
      "cores_used", "contexts",
      "hardware contexts that software kept busy, including spinning; mean over time",
      [this, rate] { return rate(counts_.processor_time) / static_cast<double>(kSecond.value()); });
  registry.on_reset([this](Tick) { counts_.processor_time = 0; });
  group.level("contexts.busy", "", "share of hardware contexts in use, mean over time",
              contexts_.level(), contexts_.count());
  for (const NamedPart<Section>& each : kSectionNames) {
    group.level("section." + std::string(each.name) + ".busy", "", each.description,
                sections_[static_cast<std::size_t>(each.part)].level());
  }
  group.counter("trims", "requests", "trims that ended", counts_.trims);
  group.counter("ignored_trims", "requests",
                "of these, trims without effect, because the device has no map of pages",
                counts_.ignored_trims);
  device_.register_statistics(registry, path + ".device");
}

void Host::serialize(Archive& archive) {
  archive.section("storage host");
  archive(ios_, pieces_, contexts_, sections_, events_, outstanding_, counts_, of_devices_);
  if (archive.loading()) {
    check_indices(archive);
  }
  device_.serialize(archive);
  device_next_ = device_.next_event();
}

void Host::check_indices(const Archive& archive) const {
  const auto capacity = static_cast<std::uint64_t>(device_.capacity().value());
  for (const std::uint32_t slot : ios_.taken()) {
    const Io& io = ios_[slot];
    archive.check_index(io.client, clients_.size(), "request without a client");
    archive.check_index(io.stage, path(io).stages.size(), "request without a layer");
    // These values limit the number of pieces.
    archive.check(io.request.bytes <= capacity && io.issued <= io.request.bytes,
                  "request larger than the device");
  }
  const auto check_slot = each_is_one_of(archive, ios_.in_use());
  for (const std::uint32_t tag : pieces_.taken()) {
    check_slot(pieces_[tag].io);
  }
  contexts_.each_waiting(check_slot);
  for (const Server<std::uint32_t>& section : sections_) {
    section.waiting().each(check_slot);
  }
  events_.each([&](const auto& event) {
    if (event.kind == Event::resume) {
      check_slot(event.payload);
    } else {
      archive.check_index(event.payload, kSections, "invalid section");
    }
  });
}

}  // namespace hmsim
