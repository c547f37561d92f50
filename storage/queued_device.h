// SPDX-License-Identifier: BSD-3-Clause
// Base of storage devices whose requests start in the order of an IoQueue.
#pragma once

#include <cstdint>
#include <optional>

#include "storage/io_queue.h"
#include "storage/request.h"

namespace hmsim {

// `Device` is the class that derives from this one. Its public begin(place, now) starts the request
// at `place` of the queue.
template <class Device>
class QueuedDevice : public StorageDevice {
 public:
  void listen(IoListener& listener) override { io_queue_.listen(listener); }
  void submit(const IoRequest& request, Tick now) override {
    io_queue_.take(request, now);
    static_cast<Device*>(this)->start(now);
  }
  Bytes capacity() const override { return io_queue_.capacity(); }
  std::optional<DeviceTimes> ended_times() const override { return ended_; }
  const IoQueue& io_queue() const { return io_queue_; }

  // Starts all requests that may start.
  void start(Tick now) {
    for (std::uint32_t place = io_queue_.next(); place != kNoIndex; place = io_queue_.next()) {
      static_cast<Device*>(this)->begin(place, now);
    }
  }

 protected:
  explicit QueuedDevice(Bytes capacity) : io_queue_(capacity) {}

  // Ends a request, as the last action for it, and starts those that waited for its end. `parts`:
  // of its time; it spent the rest in queues. nullopt: they are not measured.
  void end(std::uint32_t place, Tick now, const std::optional<DeviceTimes>& parts = std::nullopt) {
    ended_.reset();
    if (const Tick time = now - io_queue_.arrival(place); parts && parts->sum() <= time) {
      ended_ = parts;
      (*ended_)[DevicePart::queue] += time - parts->sum();
    }
    io_queue_.end(place, now);
    static_cast<Device*>(this)->start(now);
  }

  IoQueue io_queue_;

 private:
  std::optional<DeviceTimes> ended_;  // parts of the request that ended last; not saved
};

}  // namespace hmsim
