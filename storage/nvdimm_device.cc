// SPDX-License-Identifier: BSD-3-Clause
#include "storage/nvdimm_device.h"

#include <algorithm>

#include "core/errors.h"
#include "storage/host.h"

namespace hmsim {

namespace {

constexpr auto kPageLines = static_cast<std::uint64_t>(kLinesPerPage);

}  // namespace

void NvdimmDevice::connect(MemoryPort& port, std::uint16_t requester) {
  port_ = &port;
  requester_ = requester;
  const MemoryPort::NvdimmTraits traits = port.nvdimm_traits();
  blocks_ = traits.block_access;
  access_lines_ = blocks_ && !parameters_.driver.sends_blocks()
                      ? 1
                      : port.largest_request(MemoryClass::nvdimm) / kLineBytes;
  if (parameters_.shared_by > 0) {
    window_ = std::clamp<std::int64_t>(traits.entries / parameters_.shared_by, 1, copy_.window);
  }
  const Bytes capacity = port.capacity(MemoryClass::nvdimm);
  io_queue_.set(capacity,
                parameters_.driver.barrier == Barrier::driver ? IoOrder::writes : IoOrder::none);
  mapper_ = PageMapper(parameters_.driver.map_time, parameters_.driver.fault_time,
                       static_cast<std::size_t>(capacity / kPageBytes));
}

void NvdimmDevice::trim(std::uint64_t offset, std::uint64_t bytes, Tick now) {
  port_->trim(Address(static_cast<std::int64_t>(offset)), Bytes(static_cast<std::int64_t>(bytes)),
              now);
}

void NvdimmDevice::begin(std::uint32_t place, Tick now) {
  copying_.resize(std::max<std::size_t>(copying_.size(), io_queue_.size()));
  const IoRequest& request = io_queue_[place];
  if (request.kind == IoRequest::Kind::flush) {
    flush(place, now);
    return;
  }
  Copying& copying = copying_[place] = Copying();
  copying.next_line = request.offset / kLineSize;
  copying.lines = request.bytes / kLineSize;
  copying.write = request.kind == IoRequest::Kind::write;
  copying.paused = false;
  copy(place, now);
}

// Flushes the NVDIMM. With a driver's barrier, no write is under way now, so the flush ends at
// once.
void NvdimmDevice::flush(std::uint32_t place, Tick now) {
  const bool command = parameters_.driver.barrier == Barrier::command;
  epoch_ += parameters_.fence != Fence::none && (command || !io_queue_[place].fua) ? 1 : 0;
  if (!command) {
    schedule(now, Event::end, place);
    return;
  }
  Request request;
  request.tag = place;
  request.agent = requester_;
  request.source = parameters_.source;
  request.memory = MemoryClass::nvdimm;
  request.flush = true;
  port_->send(request, now);
}

// Sends everything that the request can send now.
void NvdimmDevice::copy(std::uint32_t place, Tick now) {
  Copying& copying = copying_[place];
  if (copying.paused) {
    return;
  }
  while (copying.page.lines > 0 || copying.lines > 0) {
    if (copying.page.lines == 0) {
      if (parameters_.driver.wait == WaitFor::block && copying.outstanding > 0) {
        return;
      }
      const Tick over = open_page(place, now);
      if (over > now) {
        copying.paused = true;
        schedule(over, Event::end_pause, place);
        return;
      }
    }
    if (!send_page(place, now)) {
      return;
    }
  }
  if (copying.outstanding == 0) {
    copying.paused = true;
    schedule(now, Event::end, place);
  }
}

// Begins the next page. Returns when it is mapped.
Tick NvdimmDevice::open_page(std::uint32_t place, Tick now) {
  Copying& copying = copying_[place];
  Copying::Page& page = copying.page;
  const std::uint64_t lines = earlier(kPageLines - copying.next_line % kPageLines, copying.lines);
  page = {copying.next_line, static_cast<std::int64_t>(lines), 0, 0, 0};
  copying.next_line += lines;
  copying.lines -= lines;
  return mapper_.map(page.first_line / kPageLines, io_queue_[place].submitter, now);
}

bool NvdimmDevice::send_page(std::uint32_t place, Tick now) {
  Copying& copying = copying_[place];
  Copying::Page& page = copying.page;
  while (const CopyPass* pass = copy_.pass(copying.write, page.pass)) {
    if (page.pass > 0 && page.accesses == 0 && copying.fetches > 0) {
      return false;
    }
    const std::int64_t accesses = accesses_of(page.lines);
    while (page.accesses < accesses * pass->accesses) {
      if (copying.outstanding >= window_) {
        return false;
      }
      if (page.pass == 0 && page.accesses == 0) {
        page.block = ledger_.open(place, accesses * copy_.accesses(copying.write), now,
                                  port_->collections().ended, io_queue_[place].measured);
      }
      const std::int64_t line = page.accesses / pass->accesses * access_lines_;
      ++page.accesses;
      ++copying.outstanding;
      copying.fetches += copying.write && !pass->write ? 1 : 0;
      send_access(place, line, pass->write, now);
    }
    ++page.pass;
    page.accesses = 0;
  }
  const bool fence = parameters_.fence == Fence::block ||
                     (parameters_.fence == Fence::request && copying.lines == 0);
  epoch_ += copying.write && fence ? 1 : 0;
  page.lines = 0;
  return true;
}

void NvdimmDevice::send_access(std::uint32_t place, std::int64_t line, bool write, Tick now) {
  const Copying::Page& page = copying_[place].page;
  Request request;
  request.address =
      Address((static_cast<std::int64_t>(page.first_line) + line) * kLineBytes.value());
  request.lines = static_cast<std::uint8_t>(earlier(access_lines_, page.lines - line));
  request.epoch = epoch_;
  request.tag = page.block;
  request.agent = requester_;
  request.source = parameters_.source;
  request.memory = MemoryClass::nvdimm;
  request.write = write;
  request.stream = io_queue_[place].stream;
  sender_ = place;
  port_->send(request, now);
  sender_.reset();
}

void NvdimmDevice::schedule(Tick time, Event event, std::uint32_t place) {
  events_.schedule(time, event, place);
  host_->device_woke();
}

Tick NvdimmDevice::advance(Tick now) {
  while (events_.next_time() <= now) {
    const auto event = events_.pop();
    if (event.kind == Event::end) {
      end(event.payload, now, parts_of(event.payload));
    } else {
      copying_[event.payload].paused &= event.kind != Event::end_pause;
      copy(event.payload, now);
    }
  }
  return next_event();
}

std::optional<DeviceTimes> NvdimmDevice::parts_of(std::uint32_t place) const {
  const IoRequest& request = io_queue_[place];
  if (request.kind == IoRequest::Kind::write && writes_end_when_accepted()) {
    return DeviceTimes();  // it waited for room alone
  }
  return request.moves_data() && place < latest_.size() ? latest_[place] : std::nullopt;
}

void NvdimmDevice::on_access(const Request& request, const DeviceTimes& times) {
  if (request.agent == requester_ && !request.flush && !ends_when_accepted(request)) {
    const std::uint32_t place = ledger_.place_of(request.tag);
    latest_.resize(std::max<std::size_t>(latest_.size(), place + 1));
    latest_[place] = times;
  }
}

// Counts an accepted write as ended for its request. While the port takes an access of one request,
// it may accept writes of any request, but only the sending request may send. The sender checks its
// window after each access. Any other request continues in an event at the same time.
void NvdimmDevice::on_admit(const Request& request, Tick now) {
  if (!ends_when_accepted(request)) {
    return;
  }
  const std::uint32_t place = ledger_.place_of(request.tag);
  --copying_[place].outstanding;
  if (!sender_) {
    copy(place, now);
  } else if (*sender_ != place) {
    schedule(now, Event::resume, place);
  }
}

// The tag of an access is its block number; the tag of a flush is its place.
void NvdimmDevice::on_complete(const Request& request, Tick now) {
  ++completed_;
  if (request.flush) {
    ensure(io_queue_.holds(request.tag), "block I/O", now, request.tag,
           "completion of a flush that no request waits for");
    schedule(now, Event::end, request.tag);
    return;
  }
  const std::uint32_t place = ledger_.place_of(request.tag);
  if (ledger_.end_access(request.tag)) {
    ledger_.close(request.tag, now, port_->collections().begun);
    io_queue_.report_blocks(1, now);
  }
  if (ends_when_accepted(request)) {
    return;
  }
  Copying& copying = copying_[place];
  --copying.outstanding;
  copying.fetches -= copying.fetches > 0 && !request.write ? 1 : 0;
  if (copying.can_act()) {
    copy(place, now);
  }
}

void NvdimmDevice::serialize(Archive& archive) {
  archive.section("NVDIMM device");
  io_queue_.serialize(archive);
  archive(copying_, ledger_, mapper_, epoch_, events_, completed_);
  if (archive.loading()) {
    check_loaded(archive);
  }
}

// Checks that addresses are on the device and that a request copies at most the whole device. This
// bounds the lines that it sends at once.
void NvdimmDevice::check_loaded(const Archive& archive) const {
  const auto all = static_cast<std::uint64_t>(capacity() / kLineBytes);
  archive.check(copying_.size() <= io_queue_.size(), "copy of lines of an invalid request");
  for (const Copying& each : copying_) {
    const std::uint64_t place = each.page.first_line % kPageLines;
    archive.check(each.next_line <= all && each.lines <= all - each.next_line &&
                      each.page.first_line <= all && each.page.lines >= 0 &&
                      each.page.lines <= static_cast<std::int64_t>(earlier(
                                             kPageLines - place, all - each.page.first_line)),
                  "copy of lines beyond the device");
    archive.check(each.page.accesses >= 0 && each.outstanding >= 0,
                  "copy of more lines than the request has");
  }
  ledger_.each_place([&](std::uint32_t place) {
    archive.check_index(place, copying_.size(), "block without a request");
  });
  events_.each([&](const auto& event) {
    archive.check_index(event.payload,
                        event.kind == Event::end ? io_queue_.size() : copying_.size(),
                        "event without a request");
  });
}

}  // namespace hmsim
