// SPDX-License-Identifier: BSD-3-Clause
// Streams of written pages, as the placement policy chooses them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/statistics.h"
#include "core/types.h"
#include "nvdimm/ftl/ftl_shape.h"
#include "policies/page_placement.h"

namespace hmsim {

// `assignments`: the configuration's, for the policy's parameters.
inline std::unique_ptr<PagePlacement> page_placement(const std::string& name,
                                                     const Assignments& assignments) {
  return create_policy<PagePlacement>(PolicyKind::page_placement, name, assignments);
}

// Pages programmed because of the pages of one stream.
struct StreamCounts {
  Counter host_pages = 0;    // of the host, programmed
  Counter filler_pages = 0;  // padding and merged pages of their programs
  Counter gc_pages = 0;      // their copies

  void serialize(Archive& archive) { archive(host_pages, filler_pages, gc_pages); }
};

// A page is of the stream of the block that took its latest write of the host, wherever it is
// copied to.
class Placement {
 public:
  // `shape` must outlive the object. `policy`: may be nullptr.
  Placement(const FtlShape& shape, std::unique_ptr<PagePlacement> policy)
      : shape_(shape), policy_(shape.streams > 1 ? std::move(policy) : nullptr) {
    connect();
  }

  // Returns whether pages may have different streams. Otherwise all have stream 0.
  bool active() const { return policy_ != nullptr; }
  // Returns the stream of a page that the host wrote, if the page left next.
  std::uint32_t host(LogicalPage page, std::uint32_t handle) const {
    return active() ? checked(policy_->host(write_of(page, handle)), shape_.streams) : 0;
  }
  // Reports that the page leaves.
  void on_write(LogicalPage page, std::uint32_t handle) {
    if (active()) {
      policy_->on_write(write_of(page, handle));
      ++time_;
    }
  }
  // Both, for a page that leaves at once.
  std::uint32_t take(LogicalPage page, std::uint32_t handle = 0) {
    const std::uint32_t stream = host(page, handle);
    on_write(page, handle);
    return stream;
  }
  // Returns the stream of a copy. `stream`: of the block that it leaves. Must be active.
  std::uint32_t copy(LogicalPage page, std::uint32_t stream) const {
    const std::uint32_t to = policy_->copy({number(page), stream, time_});
    return to == kCopyStream ? to : checked(to, shape_.streams);
  }

  // Notes that the host's page is of a block of the stream. All three: must be active.
  void committed(LogicalPage page, std::uint32_t stream) {
    stream_of_[static_cast<std::size_t>(page.value())] = static_cast<std::uint8_t>(stream);
  }
  // Count a program of the stream, and a copy of a page.
  void count_program(std::uint32_t stream, std::uint32_t pages, std::uint32_t filler) {
    counts_[stream].host_pages += pages;
    counts_[stream].filler_pages += filler;
  }
  void count_copy(LogicalPage page) {
    ++counts_[stream_of_[static_cast<std::size_t>(page.value())]].gc_pages;
  }
  // By stream; empty unless active.
  std::vector<StreamCounts>& counts() { return counts_; }

  // Forgets everything, as after a power failure.
  void restart() {
    time_ = 0;
    connect();
  }
  void serialize(Archive& archive) {
    if (active()) {
      archive(time_, *policy_);
      archive.fixed(stream_of_);
      archive.check_indices(stream_of_, shape_.streams, "invalid stream of a page");
    }
  }

 private:
  static std::uint64_t number(LogicalPage page) { return static_cast<std::uint64_t>(page.value()); }
  HostWrite write_of(LogicalPage page, std::uint32_t handle) const {
    return {number(page), handle, time_};
  }
  static std::uint32_t checked(std::uint32_t stream, std::uint32_t streams) {
    if (stream >= streams) {
      throw InputError("ftl.placement: the policy returned stream " + std::to_string(stream) +
                       ": must be below ftl.streams, " + std::to_string(streams));
    }
    return stream;
  }
  void connect() {
    if (active()) {
      policy_->connect({shape_.logical_pages, shape_.streams, shape_.parts()});
      stream_of_.assign(static_cast<std::size_t>(shape_.logical_pages), 0);
      counts_.resize(shape_.streams);
    }
  }

  const FtlShape& shape_;
  std::unique_ptr<PagePlacement> policy_;
  std::uint64_t time_ = 0;               // pages of the host that left
  std::vector<std::uint8_t> stream_of_;  // by page
  std::vector<StreamCounts> counts_;
};

}  // namespace hmsim
