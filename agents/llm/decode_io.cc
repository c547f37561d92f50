// SPDX-License-Identifier: BSD-3-Clause
#include "agents/llm/decode_io.h"

#include "core/errors.h"

namespace hmsim {

namespace {

constexpr auto kLine = static_cast<std::uint64_t>(kLineBytes.value());

}  // namespace

void DecodeIo::connect(const Environment& environment) {
  environment_ = environment;
  const DecodeView& view = environment_.view;
  const DecodeKeys& keys = *view.keys;
  request_bytes_ = static_cast<std::uint64_t>(keys.request.value());
  for (const Tier tier : {Tier::fast, Tier::slow}) {
    const auto used = static_cast<std::uint64_t>(view.layout->used(tier).value());
    const std::int64_t limit = tier == Tier::fast ? keys.lines : keys.outstanding;
    reads_[index_of(tier)] = {{view, tier, false}, keys.stages(), limit, used};
    writes_[index_of(tier)] = {{view, tier, true}, keys.stages(), limit, used};
  }
  trims_ = {TrimLoops(view), 1, keys.outstanding,
            static_cast<std::uint64_t>(view.layout->used(Tier::slow).value())};
}

void DecodeIo::begin_step() {
  for (auto& lane : reads_) {
    lane.begin();
  }
  for (auto& lane : writes_) {
    lane.begin();
  }
}

void DecodeIo::pump(Tick now) {
  if (pumping_) {
    return;
  }
  pumping_ = true;
  do {
    again_ = false;
    pump_lines(now);
    pump_requests(now);
  } while (again_);
  pumping_ = false;
}

void DecodeIo::pump_lines(Tick now) {
  while (send_line(writes_[0], last_write_, true, now)) {
  }
  while (send_line(reads_[0], last_read_, false, now)) {
  }
}

void DecodeIo::pump_requests(Tick now) {
  send_requests(trims_, 0, Kind::trim, now);
  send_requests(writes_[1], last_write_, Kind::write, now);
  send_requests(reads_[1], last_read_, Kind::read, now);
}

// Sends a line if one may be sent. Its tag is 2 x stage, plus 1 for a write.
template <class Loops>
bool DecodeIo::send_line(Lane<Loops>& lane, std::int64_t last, bool write, Tick now) {
  if (!lane.ready(last)) {
    return false;
  }
  const auto piece = lane.take(kLine);
  if (piece.last) {
    environment_.meter->moved(lane.extent(), Tier::fast, write);
  }
  environment_.link->send(MemoryClass::dram, Address(static_cast<std::int64_t>(piece.offset)),
                          write, lane.extent().stage * 2 + (write ? 1 : 0), now);
  return true;
}

template <class Loops>
void DecodeIo::send_requests(Lane<Loops>& lane, std::int64_t last, Kind kind, Tick now) {
  while (lane.ready(last)) {
    const auto piece = lane.take(kind == Kind::trim ? lane.extent().bytes : request_bytes_);
    if (piece.last && kind == Kind::trim) {
      environment_.meter->trimmed(lane.extent());
    } else if (piece.last) {
      environment_.meter->moved(lane.extent(), Tier::slow, kind == Kind::write);
    }
    IoRequest request;
    request.offset = piece.offset;
    request.bytes = piece.bytes;
    request.kind = kind == Kind::trim    ? IoRequest::Kind::trim
                   : kind == Kind::write ? IoRequest::Kind::write
                                         : IoRequest::Kind::read;
    request.tag = sent_.take();
    sent_[request.tag] = {kind, lane.extent().stage};
    request.submitter = static_cast<std::uint16_t>(request.tag);
    // Keys and values of a sequence are discarded together; kNoIndex has stream 0.
    request.stream = static_cast<std::uint16_t>(lane.extent().sequence + 1);
    request.measured = environment_.meter->counting();
    environment_.host->begin(environment_.client, request, now);
  }
}

bool DecodeIo::line_done(std::uint32_t tag, Tick now) {
  const std::uint32_t stage = tag / 2;
  const bool write = tag % 2 == 1;
  write ? writes_[0].done(stage, now) : reads_[0].done(stage, now);
  if (pumping_) {
    again_ = true;
    return false;
  }
  pumping_ = true;
  again_ = false;
  write ? send_line(writes_[0], last_write_, true, now)
        : send_line(reads_[0], last_read_, false, now);
  pumping_ = false;
  return again_ || !(write ? writes_[0].pending(stage) : reads_[0].pending(stage));
}

bool DecodeIo::request_done(std::uint32_t tag, Tick now) {
  ensure(sent_.holds(tag), "llm_decode", now, tag, "completion of a request that was not sent");
  const Sent sent = sent_[tag];
  sent_.give_back(tag);
  switch (sent.kind) {
    case Kind::read:
      reads_[1].done(sent.stage, now);
      break;
    case Kind::write:
      writes_[1].done(sent.stage, now);
      break;
    case Kind::trim:
      trims_.done(sent.stage, now);
      break;
  }
  again_ = true;
  return !pumping_;
}

void DecodeIo::serialize(Archive& archive) {
  archive(reads_, writes_, trims_, sent_, last_read_, last_write_);
}

}  // namespace hmsim
