// SPDX-License-Identifier: BSD-3-Clause
#include "agents/core/stream_prefetcher.h"

#include <algorithm>

#include "core/errors.h"

namespace hmsim {

StreamPrefetcher::StreamPrefetcher(const PrefetchParameters& parameters)
    : detector_(parameters),
      mshrs_(parameters.mshrs),
      buffers_(static_cast<std::size_t>(parameters.buffers)),
      lines_(buffers_.size(), kNoLine) {}

std::optional<std::uint32_t> StreamPrefetcher::find(std::int64_t key) const {
  const auto found = std::find(lines_.begin(), lines_.end(), key);
  return found == lines_.end()
             ? std::nullopt
             : std::optional<std::uint32_t>(static_cast<std::uint32_t>(found - lines_.begin()));
}

StreamPrefetcher::Line StreamPrefetcher::take(MemoryClass memory, Address address,
                                              std::uint32_t load) {
  const std::optional<std::uint32_t> found = find(key_of(memory, line_of(address)));
  if (!found) {
    return Line::absent;
  }
  ++useful_;
  lines_[*found] = kNoLine;
  Buffer& buffer = buffers_[*found];
  if (buffer.state == State::here) {
    buffer.state = State::free;
    return Line::here;
  }
  ++late_;
  buffer.state = State::taken;
  buffer.load = load;
  return Line::coming;
}

std::optional<std::uint32_t> StreamPrefetcher::find_room() {
  if (coming_ == mshrs_) {
    return std::nullopt;
  }
  const Buffer* oldest = nullptr;
  for (const Buffer& each : buffers_) {
    if (each.state == State::free) {
      return static_cast<std::uint32_t>(&each - buffers_.data());
    }
    if (each.state == State::here && (oldest == nullptr || each.arrival < oldest->arrival)) {
      oldest = &each;
    }
  }
  if (oldest == nullptr) {
    return std::nullopt;
  }
  ++useless_;
  return static_cast<std::uint32_t>(oldest - buffers_.data());
}

void StreamPrefetcher::fill(std::uint32_t buffer, std::int64_t key) {
  ++issued_;
  ++coming_;
  buffers_[buffer] = {State::coming, 0, 0};
  lines_[buffer] = key;
}

std::optional<std::uint32_t> StreamPrefetcher::arrived(std::uint32_t index, Tick now) {
  ensure(index < buffers_.size(), "prefetcher", now, index,
         "arrival of a line without a prefetch buffer");
  --coming_;
  Buffer& buffer = buffers_[index];
  const State was = buffer.state;
  buffer.state = was == State::coming ? State::here : State::free;
  buffer.arrival = was == State::coming ? ++arrivals_ : 0;
  return was == State::taken ? std::optional<std::uint32_t>(buffer.load) : std::nullopt;
}

void StreamPrefetcher::overwrite(MemoryClass memory, Address address) {
  if (const auto found = find(key_of(memory, line_of(address)))) {
    ++useless_;
    lines_[*found] = kNoLine;
    Buffer& buffer = buffers_[*found];
    buffer.state = buffer.state == State::here ? State::free : State::dropped;
  }
}

Counter StreamPrefetcher::held() const {
  return buffers_.size() -
         static_cast<std::size_t>(std::count(lines_.begin(), lines_.end(), kNoLine));
}

void StreamPrefetcher::register_statistics(StatisticRegistry& registry, const std::string& path) {
  const StatisticGroup group(registry, path);
  group.counter("issued", "lines",
                "lines prefetched, with those in the buffers when measuring began", issued_);
  registry.on_reset([this](Tick) { issued_ = held(); });
  group.counter("useful", "lines", "prefetched lines that loads used", useful_);
  group.counter("late", "lines", "prefetched lines that loads used while they were in flight",
                late_);
  group.counter("useless", "lines", "prefetched lines dropped unused: replaced, or overwritten",
                useless_);
}

void StreamPrefetcher::serialize(Archive& archive) {
  archive.fixed(buffers_, lines_);
  archive(detector_, coming_, arrivals_, issued_, useful_, late_, useless_);
}

}  // namespace hmsim
