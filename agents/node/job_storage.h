// SPDX-License-Identifier: BSD-3-Clause
// Carries out a job's transfers and flushes on a storage device, in place of lines of the NVDIMM.
#pragma once

#include <cstdint>

#include "agents/node/node.h"
#include "agents/node/write_back.h"
#include "core/types.h"
#include "storage/contexts.h"
#include "storage/host.h"

namespace hmsim {

// A transfer takes whole sectors, and two requests where it runs on from the capacity's end to its
// start. Flushes are barriers.
//
// Software of its requests runs on the cores of the job's node, unless the storage has contexts for
// that.
class JobStorage final : private Contexts {
 public:
  // What a request is of: a transfer, or a flush for a thread.
  struct Subject {
    std::uint32_t number = 0;
    bool flush = false;
  };

  // The storage, which outlives it, tells `job` of ends.
  JobStorage(Host& storage, IoListener& job)
      : storage_(&storage),
        client_(storage.join(job, storage.jobs_run_on_nodes() ? this : nullptr)) {}
  JobStorage(const JobStorage&) = delete;
  JobStorage& operator=(const JobStorage&) = delete;

  // The job's node, and its number there; before anything is asked for.
  void run_on(Node& node, std::uint16_t job) {
    node_ = &node;
    job_ = job;
  }
  void granted(std::uint32_t io, Tick now) { storage_->granted(io, now); }

  Bytes capacity() const { return storage_->capacity(); }
  std::uint64_t requests_of(const Transfer& transfer) const;
  void begin(std::uint32_t number, std::uint32_t thread, const Transfer& transfer, bool write,
             Tick now);
  void flush(std::uint32_t thread, Tick now);

  static Subject subject_of(std::uint32_t tag) { return {tag / kTags, tag % kTags == kFlush}; }

 private:
  static constexpr std::uint32_t kTags = 4;  // for each number: two requests, and a flush
  static constexpr std::uint32_t kFlush = 2;

  struct Extent {
    std::uint64_t first = 0;  // sector, within the capacity
    std::uint64_t sectors = 0;
  };
  Extent extent_of(const Transfer& transfer) const;
  std::uint64_t sectors() const;

  bool take(std::uint32_t io, const IoRequest& request, Tick now) override;
  void give(std::uint32_t io, Tick now) override { node_->release({job_, io}, now); }

  Host* storage_;
  std::uint16_t client_;
  Node* node_ = nullptr;
  std::uint16_t job_ = 0;
};

}  // namespace hmsim
