// SPDX-License-Identifier: BSD-3-Clause
#include "storage/parameters.h"

#include <utility>

#include "core/random.h"
#include "core/units.h"
#include "storage/page_cache.h"

namespace hmsim {

StorageParameters::StorageParameters() {
  for (const StorageDescriptor* each : kStorageTable) {
    designs_.push_back(each->make());
  }
}

void StorageParameters::declare(ParameterSet& parameters) {
  const ParameterSet::Scope scope(parameters, "storage");
  std::vector<std::string> names{kNone};
  for (const StorageDescriptor* each : kStorageTable) {
    names.emplace_back(each->name);
  }
  parameters.name_of("kind", kind_, names,
                     {"storage device of agents of block I/O, reached through storage.path; none: "
                      "their blocks are lines of the NVDIMM",
                      "a modelling choice of hmsim"});
  parameters.size("capacity", capacity_, {kPageBytes.value(), std::int64_t{1} << 50},
                  {"size of the device, in whole pages of 4KiB", "a modelling choice of hmsim"});
  path_.declare(parameters);
  stripe_.declare(parameters);
  write_cache_.declare(parameters);
  cache_.declare(parameters);
  paging_.declare(parameters);
  const ParameterSet::PartData part(parameters);
  for (const auto& each : designs_) {
    each->declare(parameters);
  }
}

const StorageDesign& StorageParameters::design() const {
  std::size_t index = 0;
  while (kStorageTable[index].name != kind_) {
    ++index;
  }
  return *designs_[index];
}

void StorageParameters::set_makers(const PolicyMakers& makers) {
  for (const auto& each : designs_) {
    each->set_makers(makers);
  }
}

std::vector<ParameterError> StorageParameters::check() const {
  if (!present()) {
    return paging_.present() ? std::vector<ParameterError>{{"storage.paging.memory",
                                                            "needs a device to swap to: set "
                                                            "storage.kind"}}
                             : std::vector<ParameterError>();
  }
  std::vector<ParameterError> errors = path_.check();
  if (capacity_ % kPageBytes != Bytes(0)) {
    errors.push_back({"storage.capacity", "must be a multiple of 4KiB"});
  }
  for (const auto& others : {stripe_.check(capacity_), write_cache_.check(), cache_.check(),
                             paging_.check(), design().check(member_capacity())}) {
    errors.insert(errors.end(), others.begin(), others.end());
  }
  return errors;
}

std::vector<ParameterError> StorageParameters::check_second_level(Bytes nvdimms) const {
  if (!present() || cache_.mover != Mover::lines || cache_.second <= nvdimms) {
    return {};
  }
  return {{"storage.cache.second",
           format_size(cache_.second) +
               " exceeds the NVDIMMs, which contain the second level with " +
               "storage.cache.mover: lines: must be at most " + format_size(nvdimms)}};
}

std::unique_ptr<StorageDevice> StorageParameters::make(std::uint64_t seed,
                                                       const Assignments& assignments,
                                                       std::unique_ptr<PageCopier> mover) const {
  std::unique_ptr<StorageDevice> device = make_device(seed, assignments);
  if (write_cache_.present()) {
    device = std::make_unique<WriteCache>(write_cache_, std::move(device));
  }
  if (!cache_.present()) {
    return device;
  }
  if (mover == nullptr) {
    mover = std::make_unique<FixedMover>(cache_.page_time());
  }
  return std::make_unique<PageCache>(cache_, std::move(device), std::move(mover), assignments);
}

std::unique_ptr<StorageDevice> StorageParameters::make_device(
    std::uint64_t seed, const Assignments& assignments) const {
  if (stripe_.members == 1) {
    return design().make(capacity_, seed, assignments);
  }
  std::vector<std::unique_ptr<StorageDevice>> members;
  for (std::int64_t i = 0; i < stripe_.members; ++i) {
    const std::uint64_t own = mix64(seed + static_cast<std::uint64_t>(i));
    members.push_back(design().make(member_capacity(), own, assignments));
  }
  return std::make_unique<Stripe>(stripe_, std::move(members));
}

}  // namespace hmsim
