// SPDX-License-Identifier: BSD-3-Clause
// One device in isolation, with a client that records when its requests end.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/kernel.h"
#include "core/random.h"
#include "storage/flash_device.h"
#include "storage/request.h"
#include "tests/cc/states.h"

namespace hmsim {

class DeviceRig : public IoListener, public testing::Saved<DeviceRig> {
 public:
  explicit DeviceRig(StorageDevice& device) : device_(device), id_(kernel_.attach(device)) {
    device.listen(*this);
    kernel_.notify_all();
  }

  void on_io_done(std::uint32_t tag, Tick now) override {
    ASSERT_EQ(ended.count(tag), 0u) << "a request ends twice";
    ended[tag] = now;
    order.push_back(tag);
    if (again_ && sent < total_) {
      send(next_(sent));
    }
  }

  std::uint32_t send(IoRequest request) {
    request.tag = static_cast<std::uint32_t>(sent++);
    began[request.tag] = kernel_.now();
    device_.submit(request, kernel_.now());
    kernel_.notify(id_);
    return request.tag;
  }
  std::uint32_t send(IoRequest::Kind kind, std::uint64_t offset, std::uint64_t bytes,
                     bool barrier = false) {
    IoRequest request;
    request.kind = kind;
    request.offset = offset;
    request.bytes = bytes;
    request.barrier = barrier;
    return send(request);
  }
  void drain() {
    while (kernel_.step(kNever)) {
    }
  }
  // Sends a single request. Returns its duration.
  Tick alone(IoRequest::Kind kind, std::uint64_t offset, std::uint64_t bytes) {
    const std::uint32_t tag = send(kind, offset, bytes);
    drain();
    return took(tag);
  }
  Tick read(std::uint64_t offset, std::uint64_t bytes = 4096) {
    return alone(IoRequest::Kind::read, offset, bytes);
  }
  Tick write(std::uint64_t offset, std::uint64_t bytes = 4096) {
    return alone(IoRequest::Kind::write, offset, bytes);
  }
  // Sends `count` requests from next(i), `depth` at a time. Returns the time until the last has
  // ended.
  template <class Next>
  Tick run(std::uint64_t count, std::uint64_t depth, Next next) {
    const Tick start = now();
    next_ = next;
    again_ = true;
    const std::uint64_t from = sent;
    total_ = sent + count;
    for (std::uint64_t i = 0; i < depth && sent < total_ && sent - from < depth; ++i) {
      send(next_(sent));
    }
    drain();
    again_ = false;
    EXPECT_EQ(ended.size(), sent) << "some requests do not end";
    return now() - start;
  }

  Tick took(std::uint32_t tag) { return ended.at(tag) - began.at(tag); }
  Tick now() const { return kernel_.now(); }
  Kernel& kernel() { return kernel_; }
  StorageDevice& device() { return device_; }

  void serialize(Archive& archive) {
    device_.serialize(archive);
    kernel_.serialize(archive);
  }

  std::map<std::uint32_t, Tick> began;
  std::map<std::uint32_t, Tick> ended;
  std::vector<std::uint32_t> order;  // tags, in order of completion
  std::uint64_t sent = 0;

 private:
  StorageDevice& device_;
  Kernel kernel_;
  int id_;
  std::function<IoRequest(std::uint64_t)> next_;
  std::uint64_t total_ = 0;
  bool again_ = false;
};

// 2 channels of 2 LUNs, 32 blocks of 16 pages each; 8 MiB, and a buffer of 16 pages in each
// direction.
inline FlashParameters small_flash() {
  FlashParameters parameters;
  parameters.inside.capacity = Bytes(8 << 20);
  parameters.inside.buffer.read_size = 16 * kPageBytes;
  parameters.inside.buffer.write_size = 16 * kPageBytes;
  parameters.inside.ftl.over_provisioning = 40;
  parameters.inside.ftl.gc_threshold = 0;
  parameters.inside.nand.channels = 2;
  parameters.inside.nand.chips = 2;
  parameters.inside.nand.pages_per_block = 16;
  parameters.read_driver = {4 * kMicrosecond, kMicrosecond};
  parameters.write_driver = {7 * kMicrosecond, Tick(500'000)};
  parameters.to_host = Tick(2'000'000);
  parameters.from_host = Tick(3'000'000);
  parameters.command = 6 * kMicrosecond;
  parameters.pages = 32;
  return parameters;
}

// Returns a random request: offsets in whole sectors, with some barriers and flushes, and with some
// trims on request.
inline IoRequest any_request(Random& random, std::uint64_t capacity, std::uint64_t most,
                             bool trims = false) {
  IoRequest request;
  const std::uint64_t draw = random.below(20);
  request.kind = draw == 0           ? IoRequest::Kind::flush
                 : draw < 5 && trims ? IoRequest::Kind::trim
                 : draw < 10         ? IoRequest::Kind::read
                                     : IoRequest::Kind::write;
  request.barrier = random.below(10) == 0;
  if (request.kind != IoRequest::Kind::flush) {
    request.bytes = 512 * (1 + random.below(most / 512));
    request.offset = 512 * random.below((capacity - request.bytes) / 512 + 1);
  }
  return request;
}

// Expects run(A + B) = run(A), save, load into another device, run(B), at many moments. make()
// returns a new device each time. `most`: maximum bytes of a request.
template <class Make>
void expect_exact_resume(Make make, std::uint64_t requests, std::uint64_t most,
                         bool trims = false) {
  struct Moment {
    std::string state;
    std::size_t ended;
  };
  auto device = make();
  DeviceRig whole(*device);
  Random random(5);
  const auto capacity = static_cast<std::uint64_t>(device->capacity().value());
  for (std::uint64_t i = 0; i < requests; ++i) {
    whole.send(any_request(random, capacity, most, trims));
  }
  std::vector<Moment> moments;
  for (std::uint64_t step = 0, next = 0; whole.kernel().step(kNever); ++step) {
    if (step == next) {
      moments.push_back({whole.save(), whole.order.size()});
      next += 1 + next / 2;
    }
  }
  ASSERT_EQ(whole.order.size(), requests);
  for (const Moment& moment : moments) {
    auto other = make();
    DeviceRig rest(*other);
    rest.load(moment.state);
    ASSERT_EQ(rest.save(), moment.state);
    rest.drain();
    ASSERT_EQ(rest.order, std::vector<std::uint32_t>(
                              whole.order.begin() + static_cast<std::ptrdiff_t>(moment.ended),
                              whole.order.end()));
    for (const std::uint32_t tag : rest.order) {
      ASSERT_EQ(rest.ended.at(tag), whole.ended.at(tag));
    }
  }
}

}  // namespace hmsim
