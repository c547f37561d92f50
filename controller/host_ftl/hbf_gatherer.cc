// SPDX-License-Identifier: BSD-3-Clause
#include "controller/host_ftl/hbf_gatherer.h"

#include "controller/hbf/page_lines.h"
#include "controller/host_ftl/hbf_ftl.h"
#include "core/errors.h"

namespace hmsim {

namespace {

constexpr LineMask kAllLines = ~LineMask{0};

bool holds_line(LineMask lines, std::int64_t offset) {
  return (lines >> (offset / kLineBytes.value()) & 1) != 0;
}

}  // namespace

HbfGatherer::HbfGatherer(const SystemConfig& config, std::size_t pages, HbfFtl& host)
    : accumulate_(config.nvdimm.hbf.accumulate),
      pages_(pages),
      host_(host),
      buffers_(config.nvdimm.hbf.pending_writes, config.store_data) {}

void HbfGatherer::wake(Tick now) {
  wake_ = earlier(wake_, now);
  wakeup_.notify(next_event());
}

Tick HbfGatherer::next_event() const {
  const std::uint32_t oldest = buffers_.oldest();
  return oldest == kNoIndex ? wake_ : earlier(wake_, buffers_[oldest].deadline);
}

// A request is taken by the next advance(), at the same time, and not within the call of its
// sender.
void HbfGatherer::send(const RequestLine::Entry& entry, Tick now) {
  line_.push(entry);
  wake(now);
}

void HbfGatherer::drain(Tick now) {
  draining_ = draining_ || !idle();
  wake(now);
}

bool HbfGatherer::trim(LogicalPage page, Tick now) {
  const std::uint32_t index = buffers_.find(page);
  if (index != kNoIndex) {
    buffers_.discard(index);
  }
  const bool found = line_.discard(page) || index != kNoIndex;
  if (found) {
    wake(now);
  }
  return found;
}

Tick HbfGatherer::advance(Tick now) {
  do {
    wake_ = kNever;
    act(now);
  } while (wake_ <= now);  // an answer let its sender send again
  return next_event();
}

// At one time: requests, then the ends of gathering.
void HbfGatherer::act(Tick now) {
  take_waiting(now);
  for (std::uint32_t index = buffers_.oldest();
       index != kNoIndex && buffers_[index].deadline <= now; index = buffers_.oldest()) {
    end_gathering(index, now);
  }
  while (draining_ && line_.empty() && buffers_.oldest() != kNoIndex) {
    end_gathering(buffers_.oldest(), now);
  }
  draining_ = draining_ && !line_.empty();
  while (buffers_.discarded() != kNoIndex) {
    release(buffers_.discarded(), false, 0, now);
  }
  host_.on_gathered(now);
}

void HbfGatherer::take_waiting(Tick now) {
  while (!line_.empty() && has_room(line_.front())) {
    take(line_.pop(), now);
  }
  while (!line_.empty() && buffers_.oldest() != kNoIndex &&
         2 * (buffers_.size() - buffers_.gathering()) < buffers_.size()) {
    end_gathering(buffers_.oldest(), now);
  }
}

bool HbfGatherer::has_room(const RequestLine::Entry& entry) const {
  return !entry.request.write || entry.discarded || entry.request.lines == kLinesPerPage ||
         !buffers_.full() || buffers_.find(entry.page) != kNoIndex;
}

void HbfGatherer::take(const RequestLine::Entry& entry, Tick now) {
  if (!entry.request.write) {
    take_read(entry.request, entry.page, now);
  } else if (!entry.discarded) {
    take_write(entry.request, entry.page, now);
  } else {
    ++counts_.writes;
    ++counts_.discarded;
    requester_of(entry.request).on_admit(entry.request, now);
    host_.answer(entry.request, now);
  }
}

void HbfGatherer::take_write(const Request& request, LogicalPage page, Tick now) {
  std::uint32_t index = buffers_.find(page);
  if (index == kNoIndex) {
    if (request.lines == kLinesPerPage) {
      host_.take(request, now);
      return;
    }
    index = buffers_.begin(page, now + accumulate_);
  }
  if (buffers_.stores_data()) {
    keep_bytes(index, request);
  }
  PageBuffers::Buffer& buffer = buffers_[index];
  buffer.latest = request;
  buffer.lines |= lines_of(request);
  buffers_.add_write(index, request);
  ++counts_.writes;
  if (buffer.lines == kAllLines && buffer.state == PageBufferState::gathering) {
    write_page(index, now);
  }
  requester_of(request).on_admit(request, now);
}

// Keeps whole lines. Bytes that a write of a line leaves alone are those of the time of the write.
void HbfGatherer::keep_bytes(std::uint32_t index, const Request& request) {
  const PageBuffers::Buffer& buffer = buffers_[index];
  each_line(request, [&](const Request& line) {
    const LineData data = requester_of(request).write_data(line);
    const std::int64_t offset = offset_of(line.address);
    LineBytes bytes{};
    if (~data.mask != 0) {
      const Address own(buffer.page.value() * kPageBytes.value() + offset);
      bytes =
          holds_line(buffer.lines, offset) ? buffers_.bytes(index, offset) : host_.page_bytes(own);
    }
    data.apply_to(bytes);
    buffers_.set_bytes(index, offset, bytes);
  });
}

void HbfGatherer::take_read(const Request& request, LogicalPage page, Tick now) {
  const std::uint32_t index = buffers_.find(page);
  const LineMask lines = lines_of(request);
  if (index == kNoIndex || (buffers_[index].lines & lines) == 0) {
    host_.take(request, now);
    return;
  }
  if ((buffers_[index].lines & lines) != lines) {
    buffers_.add_read(index, request);
    if (buffers_[index].state == PageBufferState::gathering) {
      end_gathering(index, now);
    }
    return;
  }
  ++counts_.reads;
  requester_of(request).on_admit(request, now);
  if (buffers_.stores_data()) {
    each_line(request, [&](const Request& line) {
      requester_of(request).on_read_data(line, buffers_.bytes(index, offset_of(line.address)));
    });
  }
  host_.answer(request, now);
}

// Writes an incomplete page, if it has data after a read of them.
void HbfGatherer::end_gathering(std::uint32_t index, Tick now) {
  if (host_.has_data(buffers_[index].page)) {
    ++counts_.fills;
    buffers_.fill(index);
    send_page(index, false, now);
  } else {
    ++counts_.padded;
    write_page(index, now);
  }
}

void HbfGatherer::send_page(std::uint32_t index, bool write, Tick now) {
  Request page = buffers_[index].latest;
  page.address -= Address(offset_of(page.address));
  page.lines = kLinesPerPage;
  page.write = write;
  page.arrival = now;
  page.tag = index;
  page.agent = own_;
  host_.take(page, now);
}

void HbfGatherer::write_page(std::uint32_t index, Tick now) {
  ++counts_.pages;
  buffers_.write(index);
  send_page(index, true, now);
  while (!buffers_[index].reads.empty()) {
    host_.take(buffers_.take_first(buffers_[index].reads), now);
  }
}

std::uint32_t HbfGatherer::buffer_of(const Request& request, PageBufferState state) const {
  ensure(request.tag < buffers_.size() && buffers_[request.tag].state == state, "hbf gatherer",
         request.arrival, request.tag, "answer to a page that was not requested");
  return request.tag;
}

void HbfGatherer::on_complete(const Request& request, Tick now) {
  if (request.write) {
    const std::uint32_t index = buffer_of(request, PageBufferState::writing);
    release(index, true, request.status, now);
    return;
  }
  const std::uint32_t index = buffer_of(request, PageBufferState::filling);
  if (buffers_[index].trimmed) {
    while (!buffers_[index].reads.empty()) {
      host_.take(buffers_.take_first(buffers_[index].reads), now);
    }
    release(index, false, 0, now);
  } else {
    write_page(index, now);
  }
}

// Frees a buffer, and then answers its writes. `written`: their page was.
void HbfGatherer::release(std::uint32_t index, bool written, std::uint8_t status, Tick now) {
  SlotChain writes = buffers_[index].writes;
  buffers_[index].writes = SlotChain();
  buffers_.release(index);
  if (!line_.empty()) {
    wake(now);
  }
  while (!writes.empty()) {
    Request write = buffers_.take_first(writes);
    write.status = status;
    if (written) {
      ++counts_.written;
      counts_.latency.add((now - write.arrival).value());
    } else {
      ++counts_.discarded;
    }
    host_.answer(write, now);
  }
}

LineData HbfGatherer::write_data(const Request& request) const {
  LineData data;
  data.bytes =
      buffers_.bytes(buffer_of(request, PageBufferState::writing), offset_of(request.address));
  return data;
}

// Lines that were written meanwhile remain.
void HbfGatherer::on_read_data(const Request& request, const LineBytes& bytes) {
  const std::uint32_t index = buffer_of(request, PageBufferState::filling);
  const std::int64_t offset = offset_of(request.address);
  if (!holds_line(buffers_[index].lines, offset)) {
    buffers_.set_bytes(index, offset, bytes);
  }
}

void HbfGatherer::overlay(Address line, LineBytes& bytes) const {
  const LogicalPage page(line.value() / kPageBytes.value());
  const std::int64_t offset = offset_of(line);
  const std::uint32_t index = buffers_.find(page);
  if (index != kNoIndex && holds_line(buffers_[index].lines, offset)) {
    bytes = buffers_.bytes(index, offset);
  }
  overlay(line_, line, bytes);
}

void HbfGatherer::overlay(const RequestLine& waiting, Address line, LineBytes& bytes) const {
  const LogicalPage page(line.value() / kPageBytes.value());
  const std::int64_t offset = offset_of(line);
  if (!waiting.holds(page)) {
    return;
  }
  waiting.each([&](const RequestLine::Entry& each) {
    if (each.page == page && each.request.write && !each.discarded &&
        holds_line(lines_of(each.request), offset)) {
      Request request = each.request;
      request.address += Address(offset - offset_of(request.address));
      requester_of(request).write_data(request).apply_to(bytes);
    }
  });
}

void HbfGatherer::lose_power() {
  line_.clear();
  buffers_.clear();
}

void HbfGatherer::list_outstanding(std::vector<Outstanding>& requests) const {
  line_.each([&](const RequestLine::Entry& each) { requests.push_back({each.request, false}); });
  buffers_.each_request([&](const Request& each) { requests.push_back({each, each.write}); });
}

void HbfGatherer::serialize(Archive& archive) {
  archive.section("hbf gatherer");
  archive(wake_, draining_, counts_);
  line_.serialize(archive, pages_);
  buffers_.serialize(archive, pages_);
  const auto check = [&](const Request& each) {
    archive.check_index(each.agent, requesters_->size(), "request without a requester");
  };
  line_.each([&](const RequestLine::Entry& each) { check(each.request); });
  buffers_.each_request(check);
}

}  // namespace hmsim
