// SPDX-License-Identifier: BSD-3-Clause
#include "agents/llm/decode_io.h"

#include "core/errors.h"

namespace hmsim {

void DecodeIo::connect(const Environment& environment) {
  environment_ = environment;
  const DecodeView& view = environment_.view;
  const DecodeKeys& keys = *view.keys;
  const auto used = [&](Tier tier) {
    return static_cast<std::uint64_t>(view.layout->used(tier).value());
  };
  for (const Tier tier : {Tier::fast, Tier::slow}) {
    const std::int64_t limit = tier == Tier::fast ? keys.lines : keys.outstanding;
    reads_[index_of(tier)] = {{view, tier, false}, keys.stages(), limit, used(tier)};
    writes_[index_of(tier)] = {{view, tier, true}, keys.stages(), limit, used(tier)};
  }
  trims_ = {TrimLoops(view), 1, keys.outstanding, used(Tier::slow)};
}

void DecodeIo::begin_step() {
  for (std::size_t tier = 0; tier < kTiers; ++tier) {
    reads_[tier].begin();
    writes_[tier].begin();
  }
}

void DecodeIo::pump(Tick now) {
  if (pumping_) {
    return;
  }
  pumping_ = true;
  do {
    again_ = false;
    while (send_line(true, now)) {
    }
    while (send_line(false, now)) {
    }
    send_requests(trims_, 0, Kind::trim, now);
    send_requests(writes_[kSlow], last_write_, Kind::write, now);
    send_requests(reads_[kSlow], last_read_, Kind::read, now);
  } while (again_);
  pumping_ = false;
}

// Sends a line if one may be sent. Its tag is 2 x stage, plus 1 for a write.
bool DecodeIo::send_line(bool write, Tick now) {
  Lane<StepLoops>& lane = (write ? writes_ : reads_)[kFast];
  if (!lane.ready(write ? last_write_ : last_read_)) {
    return false;
  }
  const auto piece = lane.take(kLineSize);
  if (piece.last) {
    environment_.meter->moved(lane.extent(), Tier::fast, write);
  }
  environment_.link->send(MemoryClass::dram, Address(static_cast<std::int64_t>(piece.offset)),
                          write, lane.extent().stage * 2 + (write ? 1 : 0), now);
  return true;
}

template <class Loops>
void DecodeIo::send_requests(Lane<Loops>& lane, std::int64_t last, Kind kind, Tick now) {
  const auto most = static_cast<std::uint64_t>(environment_.view.keys->request.value());
  while (lane.ready(last)) {
    const auto piece = lane.take(kind == Kind::trim ? lane.extent().bytes : most);
    if (piece.last && kind == Kind::trim) {
      environment_.meter->trimmed(lane.extent());
    } else if (piece.last) {
      environment_.meter->moved(lane.extent(), Tier::slow, kind == Kind::write);
    }
    IoRequest request;
    request.offset = piece.offset;
    request.bytes = piece.bytes;
    request.kind = kind;
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
  Lane<StepLoops>& lane = (write ? writes_ : reads_)[kFast];
  lane.done(stage, now);
  if (pumping_) {
    again_ = true;
    return false;
  }
  pumping_ = true;
  again_ = false;
  send_line(write, now);
  pumping_ = false;
  return again_ || !lane.pending(stage);
}

bool DecodeIo::request_done(std::uint32_t tag, Tick now) {
  ensure(sent_.holds(tag), "llm_decode", now, tag, "completion of a request that was not sent");
  const Sent sent = sent_[tag];
  sent_.give_back(tag);
  if (sent.kind == Kind::trim) {
    trims_.done(sent.stage, now);
  } else {
    (sent.kind == Kind::write ? writes_ : reads_)[kSlow].done(sent.stage, now);
  }
  again_ = true;
  return !pumping_;
}

void DecodeIo::serialize(Archive& archive) {
  archive(reads_, writes_, trims_, sent_, last_read_, last_write_);
}

}  // namespace hmsim
