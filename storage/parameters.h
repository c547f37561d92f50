// SPDX-License-Identifier: BSD-3-Clause
// Parameters of block storage: the device, and the software over it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "storage/design.h"
#include "storage/page_cache_parameters.h"
#include "storage/page_copier.h"
#include "storage/pager.h"
#include "storage/software_path.h"
#include "storage/stripe.h"
#include "storage/write_cache.h"

namespace hmsim {

// Storage section of the configuration. Not copyable, because declared parameters are bound to its
// designs.
class StorageParameters {
 public:
  StorageParameters();

  void declare(ParameterSet& parameters);       // under "storage."
  void set_makers(const PolicyMakers& makers);  // of policies of the device; call before check()
  std::vector<ParameterError> check() const;
  // After check(): `nvdimms` is the capacity of all NVDIMMs.
  std::vector<ParameterError> check_second_level(Bytes nvdimms) const;

  bool present() const { return kind_ != kNone; }
  const PathParameters& path() const { return path_; }
  // Makes the device; requires present(). `assignments`: those of the configuration, for policies
  // of the device and the cache. `mover`: moves pages of the cache; nullptr: a mover with a fixed
  // time.
  std::unique_ptr<StorageDevice> make(std::uint64_t seed, const Assignments& assignments,
                                      std::unique_ptr<PageCopier> mover) const;
  Bytes capacity() const { return capacity_; }
  const PageCacheParameters& cache() const { return cache_; }
  const PagingParameters& paging() const { return paging_; }

 private:
  static constexpr const char* kNone = "none";
  const StorageDesign& design() const;
  Bytes member_capacity() const { return capacity_ / stripe_.members; }
  std::unique_ptr<StorageDevice> make_device(std::uint64_t seed,
                                             const Assignments& assignments) const;

  std::string kind_ = kNone;
  Bytes capacity_{std::int64_t{64} << 30};
  PathParameters path_;
  StripeParameters stripe_;
  WriteCacheParameters write_cache_;
  PageCacheParameters cache_;
  PagingParameters paging_;
  std::vector<std::unique_ptr<StorageDesign>> designs_;  // in the order of kStorageTable
};

}  // namespace hmsim
