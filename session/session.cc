// SPDX-License-Identifier: BSD-3-Clause
#include "session/session.h"

#include <algorithm>
#include <string>

#include "core/errors.h"

namespace hmsim {

namespace {

using Kind = SessionRequest::Kind;

// Limit for requests to memory, whose lines all wait in memory of the host machine.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

std::uint64_t in_bytes(Bytes bytes) { return static_cast<std::uint64_t>(bytes.value()); }

// Returns the parts of a request to memory. They add up to its time.
DeviceTimes device_times(const RequestRecord& record) {
  const auto of = [&record](LatencyPart part) {
    return record.parts[static_cast<std::size_t>(part)];
  };
  DeviceTimes times;
  times[DevicePart::queue] = of(LatencyPart::admission) + of(LatencyPart::queueing) +
                             of(LatencyPart::bus) + of(LatencyPart::refresh);
  times[DevicePart::link] = record.link;
  times[DevicePart::media] = of(LatencyPart::bank) + of(LatencyPart::ack_wait);
  times[DevicePart::transfer] = of(LatencyPart::transfer);
  times[DevicePart::collection] = of(LatencyPart::gc_blocked);
  return times;
}

void add(const DeviceTimes& times, Receipt& to) {
  to[Cause::queue] += times[DevicePart::queue];
  to[Cause::link] += times[DevicePart::link];
  to[Cause::transfer] += times[DevicePart::transfer];
  to[Cause::sense] += times[DevicePart::media];
  to[Cause::collection] += times[DevicePart::collection];
}

MemoryClass class_of(SessionTarget target) {
  return target == SessionTarget::dram ? MemoryClass::dram : MemoryClass::nvdimm;
}

}  // namespace

void Session::connect(MemorySystem& memory, std::size_t requester) {
  memory_ = &memory;
  requester_ = static_cast<std::uint16_t>(requester);
  for (const MemoryClass each : {MemoryClass::dram, MemoryClass::nvdimm}) {
    // Only block drivers send commands for pages.
    const bool lines = memory.nvdimm_traits().block_access;
    largest_[static_cast<std::size_t>(each)] =
        (lines ? kLineBytes : memory.largest_request(each)).value();
    bytes_[static_cast<std::size_t>(each)] = in_bytes(memory.capacity(each));
  }
  line_.agent = requester_;
}

void Session::connect(Host* storage) {
  storage_ = storage;
  if (storage != nullptr) {
    storage_client_ = storage->join(*this);
    storage->report();
  }
}

Bytes Session::capacity(SessionTarget target) const {
  if (target == SessionTarget::storage) {
    return storage_ == nullptr ? Bytes(0) : storage_->capacity();
  }
  return memory_->capacity(class_of(target));
}

// --- Requests

void Session::check(const SessionRequest& request) const {
  if (by_id_.find(key(request.id)) != kNoIndex) {
    throw InputError("id: " + std::to_string(request.id) + " has not ended");
  }
  check_range(request);
}

void Session::check_range(const SessionRequest& request) const {
  const bool flush = request.kind == Kind::flush;
  if (request.size == 0 && !flush) {
    throw InputError("size: must be at least 1");
  }
  if (request.target != SessionTarget::storage) {
    check_in_memory(request);
    return;
  }
  if (storage_ == nullptr) {
    throw InputError("memory: there is neither storage nor an NVDIMM");
  }
  if (!flush) {
    IoRequest range;
    range.offset = request.address;
    range.bytes = request.size;
    storage_->check_request(range);
  }
}

void Session::check_in_memory(const SessionRequest& request) const {
  if (!(request.kind == Kind::read || request.kind == Kind::write) &&
      (request.target == SessionTarget::dram || capacity(SessionTarget::nvdimm) == Bytes(0))) {
    throw InputError("operation: flushes and trims need an NVDIMM or storage");
  }
  if (request.kind == Kind::flush) {
    return;
  }
  const std::uint64_t end = in_bytes(capacity(request.target));
  if (request.size > end || request.address > end - request.size) {
    throw InputError("a request of " + std::to_string(request.size) + " bytes at " +
                     std::to_string(request.address) + " is outside the memory of " +
                     std::to_string(end) + " bytes");
  }
  if (request.kind != Kind::trim && request.size > kMostBytes) {
    throw InputError("size: must be at most 1 GiB, got " + std::to_string(request.size));
  }
}

void Session::submit(const SessionRequest& request, const std::uint64_t* after, std::size_t count,
                     Tick now) {
  const std::uint32_t slot = entries_.take(Entry{request.id, now});
  for (std::size_t i = 0; i < count; ++i) {
    if (const std::uint32_t from = by_id_.find(key(after[i])); from != kNoIndex) {
      add_edge(from, slot);
    }
  }
  by_id_.insert(key(request.id), slot);
  if (entries_[slot].held_by == 0) {
    begin(slot, request, now);
  } else {
    more_of(slot).request = request;
  }
}

void Session::add_edge(std::uint32_t from, std::uint32_t to) {
  const std::uint32_t edge = edges_.take();
  edges_[edge].to = to;
  Entry& first = entries_[from];
  (first.last_edge == kNoIndex ? first.first_edge : edges_[first.last_edge].next) = edge;
  first.last_edge = edge;
  ++entries_[to].held_by;
}

void Session::begin(std::uint32_t slot, const SessionRequest& request, Tick now) {
  entries_[slot].begun = now;
  if (request.target == SessionTarget::storage) {
    begin_on_storage(slot, request, now);
  } else {
    begin_on_memory(slot, request, now);
  }
}

void Session::begin_on_memory(std::uint32_t slot, const SessionRequest& taken, Tick now) {
  if (taken.kind == Kind::trim) {
    memory_->trim(Address(static_cast<std::int64_t>(taken.address)),
                  Bytes(static_cast<std::int64_t>(taken.size)), now);
    end(slot, now);
    return;
  }
  Request request;
  request.tag = slot;
  request.agent = requester_;
  request.source = taken.source;
  request.stream = taken.stream;
  request.memory = class_of(taken.target);
  request.write = taken.kind == Kind::write;
  if (taken.kind == Kind::flush) {
    request.flush = true;
    entries_[slot].pieces = 1;
    memory_->send(request, now);
    return;
  }
  const std::int64_t line = kLineBytes.value();
  const std::int64_t most = largest_[static_cast<std::size_t>(request.memory)];
  const auto first = static_cast<std::int64_t>(taken.address) / line * line;
  const auto last = static_cast<std::int64_t>(taken.address + taken.size - 1) / line * line;
  entries_[slot].pieces = static_cast<std::uint32_t>(last / most - first / most + 1);
  for (std::int64_t at = first; at <= last;) {
    const std::int64_t next = earlier((at / most + 1) * most, last + line);
    request.address = Address(at);
    request.lines = static_cast<std::uint8_t>((next - at) / line);
    memory_->send(request, now);
    at = next;
  }
}

void Session::begin_on_storage(std::uint32_t slot, const SessionRequest& taken, Tick now) {
  IoRequest request;
  if (taken.kind != Kind::flush) {
    request.offset = taken.address;
    request.bytes = taken.size;
  }
  request.tag = slot;
  request.kind = taken.kind;
  request.submitter = taken.source;
  request.stream = taken.stream;
  entries_[slot].pieces = 1;
  storage_->begin(storage_client_, request, now);
}

std::vector<std::uint64_t> Session::ids() const {
  std::vector<std::uint64_t> ids;
  for (const std::uint32_t slot : entries_.taken()) {
    ids.push_back(entries_[slot].id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

// --- Ends

void Session::on_request(const RequestRecord& record) {
  if (record.request.agent != requester_ || !entries_.holds(record.request.tag)) {
    if (storage_ != nullptr) {
      storage_->on_access(record.request, device_times(record));
    }
    return;
  }
  Entry& entry = entries_[record.request.tag];
  Receipt line;  // the line that ends last has waited longest, because all begin together
  add(device_times(record), line);
  Receipt& parts = more_of(record.request.tag).parts;
  if (!entry.measured || line.sum() >= parts.sum()) {
    parts.parts = line.parts;
  }
  entry.measured = true;
}

void Session::on_complete(const Request& request, Tick now) {
  Entry& entry = entries_.held(request.tag);
  entry.status = later(entry.status, request.status);
  if (--entry.pieces == 0) {
    end(request.tag, now);
  }
}

void Session::on_io_done(std::uint32_t tag, Tick now) {
  entries_.held(tag).measured = true;
  Receipt& receipt = more_of(tag).parts;
  const Host::Ended& ended = storage_->ended();
  receipt.parts = {};
  for (std::size_t layer = 0; layer < kLayers; ++layer) {
    const bool waits = layer == static_cast<std::size_t>(Layer::context_wait) ||
                       layer == static_cast<std::size_t>(Layer::section_wait);
    if (layer != static_cast<std::size_t>(Layer::device)) {
      receipt[waits ? Cause::queue : Cause::software] += ended.layers.parts[layer];
    }
  }
  if (ended.device) {
    add(*ended.device, receipt);
  }
  end(tag, now);
}

// Ends a request, and all that end at once while the client is called. The loop bounds the stack.
void Session::end(std::uint32_t slot, Tick now) {
  ended_.push(slot);
  if (ending_) {
    return;
  }
  ending_ = true;
  while (!ended_.empty()) {
    end_one(ended_.take(), now);
  }
  ending_ = false;
}

void Session::end_one(std::uint32_t slot, Tick now) {
  const Entry entry = entries_[slot];
  Receipt receipt{entry.id, entry.submitted, now, {}, entry.status};
  if (entry.measured) {
    receipt.parts = more_[slot].parts.parts;
  }
  by_id_.erase(key(entry.id));
  entries_.give_back(slot);
  for (std::uint32_t edge = entry.first_edge; edge != kNoIndex;) {
    const Edge follower = edges_[edge];
    edges_.give_back(edge);
    edge = follower.next;
    if (--entries_[follower.to].held_by == 0) {
      const SessionRequest request = more_[follower.to].request;
      begin(follower.to, request, now);
    }
  }
  const Tick active = now - entry.begun;
  if (receipt.sum() > active) {
    receipt.parts = {};
  }
  receipt[Cause::device] = active - receipt.sum();
  receipt[Cause::held] = entry.begun - entry.submitted;
  client_.on_ended(receipt, now);
}

// --- Checkpoints

void Session::serialize(Archive& archive) {
  archive.section("session");
  archive(entries_, edges_, more_);
  if (archive.loading()) {
    check_indices(archive);
  }
}

// A request may be reached by each edge once.
void Session::check_indices(const Archive& archive) {
  by_id_.clear();
  archive.check(more_.size() <= entries_.size(), "parts without their request");
  std::vector<std::uint32_t> held_by(entries_.size(), 0);
  std::vector<bool> seen(edges_.size(), false);
  for (const std::uint32_t slot : entries_.taken()) {
    const Entry& entry = entries_[slot];
    archive.check(by_id_.find_or_insert(key(entry.id), slot) == kNoIndex,
                  "two requests with one id");
    std::uint32_t last = kNoIndex;
    for (std::uint32_t edge = entry.first_edge; edge != kNoIndex; edge = edges_[edge].next) {
      archive.check(edges_.holds(edge) && !seen[edge] && entries_.holds(edges_[edge].to),
                    "invalid dependence");
      seen[edge] = true;
      ++held_by[edges_[edge].to];
      last = edge;
    }
    archive.check(last == entry.last_edge, "invalid dependence");
    archive.check(slot < more_.size() || (entry.held_by == 0 && !entry.measured),
                  "request without its parts");
    if (entry.held_by > 0) {
      check_range(more_[slot].request);
    }
  }
  for (const std::uint32_t slot : entries_.taken()) {
    const Entry& entry = entries_[slot];
    archive.check(held_by[slot] == entry.held_by && (entry.held_by == 0) != (entry.pieces == 0),
                  "request that never begins");
  }
}

}  // namespace hmsim
