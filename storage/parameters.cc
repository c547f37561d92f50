// SPDX-License-Identifier: BSD-3-Clause
#include "storage/parameters.h"

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
                     {"device to which agents of block I/O go, through storage.path; none: their "
                      "blocks are lines of the NVDIMM",
                      "a modelling choice of hmsim"});
  parameters.size("capacity", capacity_, {kPageBytes.value(), std::int64_t{1} << 50},
                  {"of the device, in whole pages of 4KiB", "a modelling choice of hmsim"});
  path_.declare(parameters);
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

std::vector<ParameterError> StorageParameters::check() const {
  if (!present()) {
    return {};
  }
  std::vector<ParameterError> errors = path_.check();
  if (capacity_ % kPageBytes != Bytes(0)) {
    errors.push_back({"storage.capacity", "must be a multiple of 4KiB"});
  }
  for (const ParameterError& error : design().check(capacity_)) {
    errors.push_back(error);
  }
  return errors;
}

std::unique_ptr<StorageDevice> StorageParameters::make(std::uint64_t seed) const {
  return design().make(capacity_, seed);
}

}  // namespace hmsim
