// SPDX-License-Identifier: BSD-3-Clause
// Carries out a job's transfers and flushes on a storage device, in place of lines of the NVDIMM.
#pragma once

#include <cstdint>
#include <vector>

#include "agents/node/write_back.h"
#include "core/types.h"
#include "storage/host.h"

namespace hmsim {

// A transfer takes whole sectors, and two requests where it runs on from the capacity's end to its
// start. Flushes are barriers.
class JobStorage {
 public:
  // What a request is of: a transfer, or a flush for a thread.
  struct Subject {
    std::uint32_t number = 0;
    bool flush = false;
  };

  // The storage, which outlives it, tells `job` of ends.
  JobStorage(Host& storage, IoListener& job) : storage_(&storage), client_(storage.join(job)) {}

  Bytes capacity() const { return storage_->capacity(); }
  std::uint64_t requests_of(const Transfer& transfer) const;
  void begin(std::uint32_t number, std::uint32_t thread, const Transfer& transfer, bool write,
             Tick now);
  void flush(std::uint32_t thread, Tick now);

  static Subject subject_of(std::uint32_t tag) { return {tag / kTags, tag % kTags == kFlush}; }
  // Of all requests that have not ended.
  std::vector<Subject> under_way() const;

 private:
  static constexpr std::uint32_t kTags = 4;  // for each number: two requests, and a flush
  static constexpr std::uint32_t kFlush = 2;

  struct Extent {
    std::uint64_t first = 0;  // sector, within the capacity
    std::uint64_t sectors = 0;
  };
  Extent extent_of(const Transfer& transfer) const;
  std::uint64_t sectors() const;

  Host* storage_;
  std::uint16_t client_;
};

}  // namespace hmsim
