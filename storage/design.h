// SPDX-License-Identifier: BSD-3-Clause
// A kind of storage device: its parameters, and how a device is made of them. Each lies in a file
// of its own, storage/storage_KIND.cc, which defines `kStorage_KIND`.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/descriptor_table.h"
#include "core/parameters.h"
#include "storage/request.h"

namespace hmsim {

class StorageDesign {
 public:
  virtual ~StorageDesign() = default;
  // Under "storage."; each kind has scopes of its own there.
  virtual void declare(ParameterSet& parameters) = 0;
  // What single values cannot tell is wrong, with full names. Asked of the chosen kind only.
  virtual std::vector<ParameterError> check(Bytes capacity) const = 0;
  // The parameters have passed check(). `seed`: of the run; `assignments`: the configuration's, of
  // which policies read their own share.
  virtual std::unique_ptr<StorageDevice> make(Bytes capacity, std::uint64_t seed,
                                              const Assignments& assignments) const = 0;
};

struct StorageDescriptor {
  const char* name;
  const char* doc;  // one line
  std::unique_ptr<StorageDesign> (*make)();
};

template <class Design>
std::unique_ptr<StorageDesign> make_storage_design() {
  return std::make_unique<Design>();
}

extern const DescriptorTable<StorageDescriptor> kStorageTable;

}  // namespace hmsim
