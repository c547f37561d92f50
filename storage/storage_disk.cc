// SPDX-License-Identifier: BSD-3-Clause
// Kind disk: a magnetic disk.
#include <algorithm>
#include <utility>

#include "storage/design.h"
#include "storage/disk.h"

namespace hmsim {

Disk::Disk(const DiskParameters& parameters, Bytes capacity, std::uint64_t seed)
    : QueuedDevice(capacity), parameters_(parameters), mechanics_(parameters, capacity, seed) {}

// Adds the request to a sweep. Sweeps only go upwards, so no request waits for more than two.
void Disk::begin(std::uint32_t place, Tick now) {
  const std::uint64_t key = parameters_.elevator ? io_queue_[place].offset : 0;
  Sweep& sweep = parameters_.elevator && key <= last_key_ ? next_sweep_ : sweep_;
  sweep.push_back({key, order_++, place, now + parameters_.overhead});
  std::push_heap(sweep.begin(), sweep.end(), Waiting::after);
}

void Disk::start(Tick now) {
  QueuedDevice::start(now);
  if (served_ == kNoIndex) {
    serve_next(now);
  }
}

void Disk::serve_next(Tick now) {
  if (sweep_.empty()) {
    std::swap(sweep_, next_sweep_);
  }
  if (sweep_.empty()) {
    return;
  }
  std::pop_heap(sweep_.begin(), sweep_.end(), Waiting::after);
  const Waiting next = sweep_.back();
  sweep_.pop_back();
  last_key_ = next.key;
  served_ = next.place;
  busy_.add(1, now);
  end_ = later(serve(next, now), now + Tick(1));
}

Tick Disk::serve(const Waiting& next, Tick now) {
  const IoRequest& request = io_queue_[next.place];
  const Tick ready = later(now, next.ready);
  parts_ = {};
  if (request.kind == IoRequest::Kind::flush) {
    return ready;
  }
  const bool buffered = request.kind == IoRequest::Kind::read && ahead_.begin <= request.offset &&
                        request.offset + request.bytes <= ahead_.limit;
  return buffered ? from_buffer(request, ready) : from_platters(request, ready);
}

Tick Disk::from_buffer(const IoRequest& request, Tick ready) {
  ++buffer_hits_;
  const std::uint64_t end = request.offset + request.bytes;
  const Tick there = end <= ahead_.at ? ready : ahead_.since + mechanics_.transfer(ahead_.at, end);
  const auto half = static_cast<std::uint64_t>(parameters_.buffer.value()) / 2;
  const auto capacity = static_cast<std::uint64_t>(io_queue_.capacity().value());
  const std::uint64_t limit = std::max(ahead_.limit, std::min(end + half, capacity));
  const bool stopped = ahead_.at == ahead_.limit ||
                       ahead_.since + mechanics_.transfer(ahead_.at, ahead_.limit) <= ready;
  if (stopped && limit > ahead_.limit) {
    ahead_.at = ahead_.limit;
    ahead_.since = ready + mechanics_.rotation(ahead_.at, ready);
  }
  ahead_.limit = limit;
  ahead_.begin = std::max(ahead_.begin, limit - std::min(limit, 2 * half));
  const Tick done = later(there, ready + time_of(request.bytes, parameters_.interface));
  parts_[DevicePart::transfer] = done - ready;
  return done;
}

// The transfer over the interface overlaps the slower one from the platters, so it adds no time.
Tick Disk::from_platters(const IoRequest& request, Tick ready) {
  stop_reading(ready);
  const std::uint64_t end = request.offset + request.bytes;
  const bool write = request.kind == IoRequest::Kind::write;
  const Tick seek = mechanics_.seek(track_, mechanics_.track_of(request.offset));
  const Tick settle = write && seek > parameters_.track_seek ? parameters_.write_settle : Tick(0);
  const Tick there = ready + seek + settle;
  const Tick rotation = mechanics_.rotation(request.offset, there);
  const Tick transfer = mechanics_.transfer(request.offset, end);
  const Tick done = there + rotation + transfer;
  seek_time_ += static_cast<std::uint64_t>((seek + settle).value());
  rotation_time_ += static_cast<std::uint64_t>(rotation.value());
  transfer_time_ += static_cast<std::uint64_t>(transfer.value());
  parts_[DevicePart::media] = seek + settle + rotation;
  parts_[DevicePart::transfer] = transfer;
  track_ = mechanics_.track_of(end - 1);
  const auto half = static_cast<std::uint64_t>(parameters_.buffer.value()) / 2;
  if (!write && half > 0) {
    const auto capacity = static_cast<std::uint64_t>(io_queue_.capacity().value());
    const std::uint64_t limit = std::min(end + half, capacity);
    ahead_ = {std::max(request.offset, limit - std::min(limit, 2 * half)), end, limit, done};
  }
  return done;
}

// Stops read-ahead, leaves the arm on the track that it has reached, and empties the buffer.
void Disk::stop_reading(Tick now) {
  if (ahead_.at < ahead_.limit) {
    const Tick time = now - ahead_.since;
    track_ = time <= Tick(0) ? mechanics_.track_of(ahead_.at - 1)
             : time >= mechanics_.transfer(ahead_.at, ahead_.limit)
                 ? mechanics_.track_of(ahead_.limit - 1)
                 : mechanics_.track_after(ahead_.at, time);
  }
  ahead_ = Ahead();
}

Tick Disk::advance(Tick now) {
  while (end_ <= now) {
    const Tick time = end_;
    const std::uint32_t place = std::exchange(served_, kNoIndex);
    const DeviceTimes parts = parts_;
    end_ = kNever;
    busy_.add(-1, time);
    serve_next(time);
    end(place, time, parts);
  }
  return next_event();
}

void Disk::register_statistics(StatisticRegistry& registry, const std::string& path) {
  io_queue_.register_statistics(registry, path);
  const StatisticGroup disk(registry, path + ".disk");
  disk.level("busy", "", "share of time in which the disk serves a request", busy_);
  const auto milliseconds = [&](const char* part, const char* description, Counter& time) {
    disk.gauge(part, "ms", description, [&time] {
      return static_cast<double>(time) / static_cast<double>(kMillisecond.value());
    });
    registry.on_reset([&time](Tick) { time = 0; });
  };
  milliseconds("seek_ms", "time of seeks, summed", seek_time_);
  milliseconds("rotation_ms", "time of waiting for sectors, summed", rotation_time_);
  milliseconds("transfer_ms", "time of transfers from and to the platters, summed", transfer_time_);
  disk.counter("buffer_hits", "requests", "reads served from the read-ahead buffer", buffer_hits_);
}

void Disk::serialize(Archive& archive) {
  archive.section("disk");
  io_queue_.serialize(archive);
  archive(sweep_, next_sweep_, order_, last_key_, served_, end_, parts_, track_, ahead_, busy_,
          seek_time_, rotation_time_, transfer_time_, buffer_hits_);
  if (!archive.loading()) {
    return;
  }
  const auto check_place = each_is_one_of(archive, io_queue_.in_use());
  for (const Sweep* sweep : {&sweep_, &next_sweep_}) {
    for (const Waiting& waiting : *sweep) {
      check_place(waiting.place);
    }
  }
  if (end_ != kNever) {
    check_place(served_);
  }
}

extern const StorageDescriptor kStorage_disk;
const StorageDescriptor kStorage_disk{
    "disk", "an arm and platters, storage.disk: seek, rotation, transfer, read-ahead, elevator",
    make_storage_design<PlainDesign<DiskParameters, Disk>>};

}  // namespace hmsim
