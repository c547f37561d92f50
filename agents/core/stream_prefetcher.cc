// SPDX-License-Identifier: BSD-3-Clause
#include "agents/core/stream_prefetcher.h"

#include <algorithm>

namespace hmsim {

namespace {

constexpr const char* kWrong = "prefetched lines do not hold together";

}  // namespace

StreamPrefetcher::StreamPrefetcher(const PrefetchParameters& parameters)
    : detector_(parameters), buffers_(static_cast<std::size_t>(parameters.buffers)) {}

StreamPrefetcher::Buffer* StreamPrefetcher::find(MemoryClass memory, std::int64_t line) {
  for (Buffer& each : buffers_) {
    if (each.line == line && each.memory == memory &&
        (each.state == State::here || each.state == State::coming)) {
      return &each;
    }
  }
  return nullptr;
}

bool StreamPrefetcher::holds(MemoryClass memory, std::int64_t line) const {
  return std::any_of(buffers_.begin(), buffers_.end(), [&](const Buffer& each) {
    return each.line == line && each.memory == memory && each.state != State::free &&
           each.state != State::dropped;
  });
}

StreamPrefetcher::Line StreamPrefetcher::take(MemoryClass memory, Address address,
                                              std::uint32_t load) {
  Buffer* const buffer = find(memory, line_of(address));
  if (buffer == nullptr) {
    return Line::absent;
  }
  ++useful_;
  if (buffer->state == State::here) {
    buffer->state = State::free;
    return Line::here;
  }
  ++late_;
  buffer->state = State::taken;
  buffer->load = load;
  return Line::coming;
}

std::optional<std::uint32_t> StreamPrefetcher::find_room() {
  Buffer* oldest = nullptr;
  for (Buffer& each : buffers_) {
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

void StreamPrefetcher::fill(std::uint32_t buffer, MemoryClass memory, std::int64_t line) {
  ++issued_;
  buffers_[buffer] = {State::coming, memory, line, 0, 0};
}

std::optional<std::uint32_t> StreamPrefetcher::arrived(std::uint32_t index) {
  Buffer& buffer = buffers_[index];
  const State was = buffer.state;
  buffer.state = was == State::coming ? State::here : State::free;
  buffer.arrival = was == State::coming ? ++arrivals_ : 0;
  return was == State::taken ? std::optional<std::uint32_t>(buffer.load) : std::nullopt;
}

void StreamPrefetcher::overwrite(MemoryClass memory, Address address) {
  if (Buffer* const buffer = find(memory, line_of(address))) {
    ++useless_;
    buffer->state = buffer->state == State::here ? State::free : State::dropped;
  }
}

void StreamPrefetcher::register_statistics(StatisticRegistry& registry, const std::string& path) {
  registry.counter(path + ".issued", "lines", "read ahead of the core's loads", {&issued_});
  registry.counter(path + ".useful", "lines", "of those, taken by loads", {&useful_});
  registry.counter(path + ".late", "lines", "of those, taken while they were on their way",
                   {&late_});
  registry.counter(path + ".useless", "lines",
                   "read ahead and given up untaken: for other lines, or overwritten", {&useless_});
}

void StreamPrefetcher::serialize(Archive& archive) {
  archive.fixed(buffers_);
  archive(detector_, arrivals_, issued_, useful_, late_, useless_);
  for (const Buffer& each : buffers_) {
    archive.check(each.arrival <= arrivals_, kWrong);
  }
}

std::optional<std::uint32_t> StreamPrefetcher::check_coming(Places& coming, std::uint32_t buffer,
                                                            const Request& request) const {
  coming.take(buffer);
  const Buffer& each = buffers_[buffer];
  coming.check(each.state != State::free && each.state != State::here &&
               each.line == line_of(request.address) && each.memory == request.memory);
  return each.state == State::taken ? std::optional<std::uint32_t>(each.load) : std::nullopt;
}

void StreamPrefetcher::check_buffers(const Places& coming) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const State state = buffers_[i].state;
    coming.check(coming.has(i) == (state != State::free && state != State::here));
  }
}

}  // namespace hmsim
