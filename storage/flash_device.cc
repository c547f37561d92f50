// SPDX-License-Identifier: BSD-3-Clause
#include "storage/flash_device.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/errors.h"
#include "nvdimm/design.h"

namespace hmsim {

FlashDevice::FlashDevice(const FlashParameters& parameters, Bytes capacity, std::uint64_t seed,
                         const Assignments& assignments)
    : QueuedDevice(capacity),
      parameters_(parameters),
      module_(design_of(NvdimmKind::flash).make(parameters.module(), *this, seed, assignments)),
      queue_(parameters.queue_depth),
      flash_(parameters.pages),
      page_of_(static_cast<std::size_t>(parameters.pages), kNoIndex) {
  module_->attach(clock_, Wakeup(clock_, clock_.attach(*module_)));
  clock_.notify_all();
  for (std::int64_t slot = parameters.pages; slot-- > 0;) {
    free_slots_.push_back(static_cast<std::uint32_t>(slot));
  }
}

// --- From the host to the queue

void FlashDevice::submit(const IoRequest& request, Tick now) {
  IoRequest taken = request;
  taken.barrier = taken.barrier || (taken.kind == IoRequest::Kind::flush &&
                                    parameters_.inside.buffer.flush == BufferFlush::writeback);
  QueuedDevice::submit(taken, now);
}

void FlashDevice::begin(std::uint32_t place, Tick now) {
  if (driver_.offer(place, now)) {
    drive(place, now);
  }
}

void FlashDevice::drive(std::uint32_t place, Tick now) {
  const IoRequest& request = io_queue_[place];
  const FlashParameters::Driver& driver =
      request.kind == IoRequest::Kind::read ? parameters_.read_driver : parameters_.write_driver;
  const std::uint64_t bytes = request.moves_data() ? request.bytes : 0;
  events_.schedule(now + driver.request + time_of(bytes, driver.kib), Event::driven, place);
}

void FlashDevice::execute(std::uint32_t place, Tick now) {
  const IoRequest request = io_queue_[place];
  if (request.kind == IoRequest::Kind::flush) {
    if (request.barrier && parameters_.inside.buffer.flush == BufferFlush::writeback) {
      flushing_ = place;
      module_->flush(0, now);
    } else {
      events_.schedule(now + Tick(1), Event::flushed, place);
    }
    return;
  }
  if (request.kind == IoRequest::Kind::trim) {
    add_page(place, request.offset, 0, now);
    return;
  }
  request.each_part(
      kPageSize, [&](std::uint64_t at, std::uint64_t bytes) { add_page(place, at, bytes, now); });
}

// --- Pages

void FlashDevice::add_page(std::uint32_t place, std::uint64_t offset, std::uint64_t bytes,
                           Tick now) {
  io_queue_.add_parts(place, 1);
  const std::uint32_t page = pages_.take();
  Page& record = pages_[page];
  record.offset = offset;
  record.bytes = static_cast<std::uint32_t>(bytes);
  record.place = place;
  record.write = io_queue_[place].kind != IoRequest::Kind::read;
  record.times.since = io_queue_.arrival(place);
  record.times.charge(DevicePart::queue, now);
  if (record.write) {
    to_link(page, now);
  } else {
    to_flash(page, now);
  }
}

void FlashDevice::to_link(std::uint32_t page, Tick now) {
  Page& record = pages_[page];
  record.stage = record.write ? Stage::link_in : Stage::link_out;
  if (link(record.write).offer(page, now)) {
    move(page, now);
  }
}

void FlashDevice::move(std::uint32_t page, Tick now) {
  const Page& record = pages_[page];
  events_.schedule(
      now + time_of(record.bytes, record.write ? parameters_.from_host : parameters_.to_host),
      record.write ? Event::moved_in : Event::moved_out, page);
}

void FlashDevice::moved(std::uint32_t page, Tick now) {
  const bool write = pages_[page].write;
  ensure(pages_[page].stage == (write ? Stage::link_in : Stage::link_out), "flash device", now,
         page, "move of a page that is not on the link");
  if (const std::optional<std::uint32_t> next = link(write).end(now)) {
    move(*next, now);
  }
  pages_[page].times.charge(DevicePart::link, now);
  if (write) {
    to_flash(page, now);
  } else {
    end_page(page, now);
  }
}

void FlashDevice::to_flash(std::uint32_t page, Tick now) {
  Page& record = pages_[page];
  record.stage = Stage::waiting;
  std::int64_t slots = 1;
  if (io_queue_[record.place].kind == IoRequest::Kind::trim) {
    slots = overlaps_writes(io_queue_[record.place]) ? flash_.count() : 1;
    record.acks = static_cast<std::uint32_t>(slots);
  }
  if (flash_.acquire(slots, page, now)) {
    command(page, now);
  }
}

// Returns whether a page of the trim is being written. The link passes writes in order, so those
// that have left it are earlier than the trim. A page that has ended is in no stage.
bool FlashDevice::overlaps_writes(const IoRequest& trim) const {
  for (std::uint32_t page = 0; page < pages_.size(); ++page) {
    const Page& each = pages_[page];
    if (each.write && (each.stage == Stage::waiting || each.stage == Stage::flash) &&
        each.bytes > 0 && each.offset < trim.offset + trim.bytes &&
        trim.offset < each.offset + each.bytes) {
      return true;
    }
  }
  return false;
}

std::uint32_t FlashDevice::first_line(const Page& page) {
  return static_cast<std::uint32_t>(page.offset % kPageSize / kLineSize);
}

std::uint32_t FlashDevice::lines(const Page& page) {
  return page.write ? page.bytes / static_cast<std::uint32_t>(kLineSize) : 1;
}

// Commands all lines of a page at once, so that none of them finds the page on its way to flash.
void FlashDevice::command(std::uint32_t page, Tick now) {
  Page& record = pages_[page];
  ensure(record.stage == Stage::waiting && !free_slots_.empty(), "flash device", now, page,
         "slot for a page that does not wait for it, or that does not exist");
  record.times.charge(DevicePart::queue, now);
  const IoRequest& request = io_queue_[record.place];
  if (request.kind == IoRequest::Kind::trim) {
    module_->trim(Address(static_cast<std::int64_t>(request.offset)),
                  Bytes(static_cast<std::int64_t>(request.bytes)), now);
    events_.schedule(now, Event::trimmed, page);
    return;
  }
  record.stage = Stage::flash;
  record.slot = free_slots_.back();
  free_slots_.pop_back();
  page_of_[record.slot] = page;
  record.acks = lines(record);
  const std::uint32_t first = first_line(record);
  const auto start = static_cast<std::int64_t>(record.offset / kPageSize * kPageSize);
  for (std::uint32_t line = first; line < first + record.acks; ++line) {
    module_->command(record.slot * kLinesPerPage + line, Address(start + line * kLineBytes.value()),
                     record.write, now);
  }
}

void FlashDevice::on_ack(std::uint32_t tag, Tick /*now*/) { acked_.push_back(tag); }

void FlashDevice::acknowledged(std::uint32_t tag, Tick now) {
  if (flushing_ != kNoIndex) {
    const std::uint32_t place = std::exchange(flushing_, kNoIndex);
    module_->finish(tag, now);
    leave_queue(place, now);
    return;
  }
  const std::uint32_t page = page_of_[tag / kLinesPerPage];
  ensure(page != kNoIndex && pages_[page].acks > 0, "flash device", now, tag, "ack without a page");
  Page& record = pages_[page];
  if (--record.acks > 0) {
    return;
  }
  const std::uint32_t first = record.slot * kLinesPerPage + first_line(record);
  if (record.write) {
    module_->set_handle(first, io_queue_[record.place].stream);
  }
  Tick collection{0};
  for (std::uint32_t line = 0; line < lines(record); ++line) {
    collection = later(collection, module_->finish(first + line, now));
  }
  record.times.charge(DevicePart::collection, earlier(now, record.times.since + collection));
  record.times.charge(DevicePart::media, now);
  page_of_[record.slot] = kNoIndex;
  free_slots_.push_back(record.slot);
  leave_flash(1, now);
  if (pages_[page].write) {
    end_page(page, now);
  } else {
    to_link(page, now);
  }
}

void FlashDevice::leave_flash(std::int64_t slots, Tick now) {
  flash_.release(slots, now);
  while (const std::optional<std::uint32_t> next = flash_.admit(now)) {
    command(*next, now);
  }
}

void FlashDevice::end_page(std::uint32_t page, Tick now) {
  const std::uint32_t place = pages_[page].place;
  const DeviceTimes parts = pages_[page].times;
  pages_[page].stage = Stage::none;
  pages_.give_back(page);
  if (io_queue_.end_part(place)) {
    leave_queue(place, now, parts);
  }
}

void FlashDevice::leave_queue(std::uint32_t place, Tick now,
                              const std::optional<DeviceTimes>& parts) {
  queue_.release(1, now);
  while (const std::optional<std::uint32_t> next = queue_.admit(now)) {
    events_.schedule(now + parameters_.command, Event::begin, *next);
  }
  end(place, now, parts);
}

// --- Time

void FlashDevice::handle(Event event, std::uint32_t payload, Tick now) {
  switch (event) {
    case Event::driven:
      if (const std::optional<std::uint32_t> next = driver_.end(now)) {
        drive(*next, now);
      }
      if (queue_.acquire(1, payload, now)) {
        events_.schedule(now + parameters_.command, Event::begin, payload);
      }
      return;
    case Event::begin:
      execute(payload, now);
      return;
    case Event::moved_in:
    case Event::moved_out:
      moved(payload, now);
      return;
    case Event::flushed:
      leave_queue(payload, now);
      return;
    case Event::trimmed:
      leave_flash(pages_[payload].acks, now);
      end_page(payload, now);
      return;
  }
}

Tick FlashDevice::advance(Tick now) {
  for (Tick next = next_event(); next <= now; next = next_event()) {
    while (clock_.step(next)) {
      for (const std::uint32_t tag : acked_) {  // no ack arrives in this loop
        acknowledged(tag, next);
      }
      acked_.clear();
    }
    while (events_.next_time() <= next) {
      const auto event = events_.pop();
      handle(event.kind, event.payload, event.time);
    }
  }
  return next_event();
}

void FlashDevice::register_statistics(StatisticRegistry& registry, const std::string& path) {
  io_queue_.register_statistics(registry, path);
  const StatisticGroup flash(registry, path + ".flash");
  flash.level("driver.busy", "", "share of time in which the host's driver is busy",
              driver_.level());
  flash.level("queue.busy", "", "share of the device's queue that is in use", queue_.level(),
              queue_.count());
  flash.level("pages.busy", "", "share of storage.flash.pages in flight", flash_.level(),
              flash_.count());
  flash.level("link.to_host.busy", "",
              "share of time in which the link moves data to the host, or, if it is not duplex, "
              "either way",
              links_[0].level());
  flash.level("link.from_host.busy", "",
              "share of time in which a duplex link moves data from the host", links_[1].level());
  // Brings the module's clock to `now` unless an event of the module is pending by then.
  registry.on_account([this](Tick now) {
    if (clock_.next_event() > now) {
      clock_.run_until(now);
    }
  });
  const StatisticRegistry::Scope scope(registry, "nvdimm", path + ".flash");
  design_of(NvdimmKind::flash).register_statistics(registry, {module_.get()});
}

void FlashDevice::serialize(Archive& archive) {
  archive.section("flash device");
  io_queue_.serialize(archive);
  archive(driver_, queue_, links_, flash_, events_, pages_, free_slots_, flushing_);
  module_->serialize(archive);
  clock_.serialize(archive);
  if (archive.loading()) {
    index_pages(archive);
    check_indices(archive);
  }
}

// Rebuilds the page counts of requests and the pages of slots. Checks that a page's lines fit its
// slot.
void FlashDevice::index_pages(const Archive& archive) {
  std::fill(page_of_.begin(), page_of_.end(), kNoIndex);
  for (const std::uint32_t page : pages_.taken()) {
    const Page& record = pages_[page];
    archive.check_index(record.place, io_queue_.size(), "page without a request");
    archive.check(first_line(record) + lines(record) <= kLinesPerPage, "page too long");
    io_queue_.add_parts(record.place, 1);
    if (record.stage == Stage::flash) {
      archive.check_index(record.slot, page_of_.size(), "page without a slot");
      page_of_[record.slot] = page;
    }
  }
}

void FlashDevice::check_indices(const Archive& archive) const {
  const auto check_place = each_is_one_of(archive, io_queue_.in_use());
  const auto check_page = each_is_one_of(archive, pages_.in_use());
  driver_.waiting().each(check_place);
  queue_.each_waiting(check_place);
  flash_.each_waiting(check_page);
  for (const Server<std::uint32_t>& link : links_) {
    link.waiting().each(check_page);
  }
  events_.each([&](const auto& event) {
    if (event.kind == Event::moved_in || event.kind == Event::moved_out ||
        event.kind == Event::trimmed) {
      check_page(event.payload);
    } else {
      check_place(event.payload);
    }
  });
  archive.check_indices(free_slots_, page_of_.size(), "invalid free slot");
  if (flushing_ != kNoIndex) {
    check_place(flushing_);
  }
}

}  // namespace hmsim
