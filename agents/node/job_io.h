// SPDX-License-Identifier: BSD-3-Clause
// Executes a job's transfers and flushes of one node on that node's storage device.
#pragma once

#include <algorithm>
#include <cstdint>

#include "agents/node/node.h"
#include "agents/node/write_back.h"
#include "core/types.h"
#include "storage/host.h"

namespace hmsim {

// I/O of a job on one node. A transfer covers whole units of the device, and takes two requests if
// it wraps around the device's end. Flushes are barriers.
//
// The software of the job's requests runs on the cores of the job's node, unless the host provides
// contexts for that software.
class JobIo final : private Contexts {
 public:
  // Origin of a request: transfer `number`, or a flush for thread `number`.
  struct Subject {
    std::uint32_t number = 0;
    bool flush = false;
  };

  // The host outlives this object and notifies `listener` of completions. `job`: the job's number
  // on the node.
  JobIo(Host& host, IoListener& listener, Node& node, std::uint16_t job)
      : host_(host),
        client_(host.join(listener, host.jobs_run_on_nodes() ? this : nullptr)),
        node_(node),
        job_(job) {}
  JobIo(const JobIo&) = delete;
  JobIo& operator=(const JobIo&) = delete;

  void granted(std::uint32_t io, Tick now) { host_.granted(io, now); }

  std::uint64_t requests_of(const Transfer& transfer) const {
    const Extent extent = extent_of(transfer);
    return extent.first + extent.units > units() ? 2 : 1;
  }

  void begin(std::uint32_t number, std::uint32_t thread, const Transfer& transfer, bool write,
             Tick now) {
    const Extent extent = extent_of(transfer);
    const std::uint64_t before_end = std::min(extent.units, units() - extent.first);
    IoRequest request;
    request.kind = write ? IoRequest::Kind::write : IoRequest::Kind::read;
    request.tag = number * kTags;
    request.submitter = static_cast<std::uint16_t>(thread);
    request.offset = extent.first * unit();
    request.bytes = before_end * unit();
    host_.begin(client_, request, now);
    if (before_end < extent.units) {
      ++request.tag;
      request.offset = 0;
      request.bytes = (extent.units - before_end) * unit();
      host_.begin(client_, request, now);
    }
  }

  void flush(std::uint32_t thread, Tick now) {
    IoRequest request;
    request.kind = IoRequest::Kind::flush;
    request.barrier = true;
    request.tag = thread * kTags + kFlush;
    request.submitter = static_cast<std::uint16_t>(thread);
    host_.begin(client_, request, now);
  }

  static Subject subject_of(std::uint32_t tag) { return {tag / kTags, tag % kTags == kFlush}; }

 private:
  static constexpr std::uint32_t kTags = 4;  // per number: two requests and a flush
  static constexpr std::uint32_t kFlush = 2;

  // Range in units of the device.
  struct Extent {
    std::uint64_t first = 0;  // modulo the capacity
    std::uint64_t units = 0;
  };

  Extent extent_of(const Transfer& transfer) const {
    const std::uint64_t lines = unit() / static_cast<std::uint64_t>(kLineBytes.value());
    const std::uint64_t first = transfer.first_line / lines;
    const std::uint64_t end = (transfer.first_line + transfer.lines + lines - 1) / lines;
    return {first % units(), std::min(end - first, units())};
  }

  std::uint64_t unit() const { return static_cast<std::uint64_t>(host_.granularity().value()); }
  std::uint64_t units() const {
    return static_cast<std::uint64_t>(host_.capacity().value()) / unit();
  }

  bool acquire(std::uint32_t io, const IoRequest& request, Tick now) override {
    return node_.acquire_core({job_, io}, {job_, request.submitter}, now);
  }

  void release(std::uint32_t io, Tick now) override { node_.release_core({job_, io}, now); }

  Host& host_;
  std::uint16_t client_;
  Node& node_;
  std::uint16_t job_;
};

}  // namespace hmsim
