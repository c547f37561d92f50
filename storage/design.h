// SPDX-License-Identifier: BSD-3-Clause
// Kind of storage device: its parameters and its factory. Each kind is one file,
// storage/storage_KIND.cc, which defines `kStorage_KIND`.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/descriptor_table.h"
#include "core/parameters.h"
#include "policies/policy.h"
#include "storage/request.h"

namespace hmsim {

class StorageDesign {
 public:
  virtual ~StorageDesign() = default;
  // Declares the kind's parameters, whose names begin with "storage." and a scope of the kind.
  virtual void declare(ParameterSet& parameters) = 0;
  // Returns the errors that involve more than one value, with full names. Called for the chosen
  // kind only.
  virtual std::vector<ParameterError> check(Bytes capacity) const = 0;
  // Sets the makers of policies that the parameters do not name, by parameter. Call before check().
  virtual void set_makers(const PolicyMakers& /*makers*/) {}
  // Makes a device. Precondition: the parameters passed check(). `seed`: the run's seed.
  // `assignments`: the configuration's assignments, from which policies read their parameters.
  virtual std::unique_ptr<StorageDevice> make(Bytes capacity, std::uint64_t seed,
                                              const Assignments& assignments) const = 0;
};

// Design that consists of parameters and a device. The device takes its parameters and the
// capacity, then the seed if it draws, then the assignments if it has policies.
template <class Parameters, class Device>
class PlainDesign : public StorageDesign {
 public:
  void declare(ParameterSet& parameters) override { parameters_.declare(parameters); }
  std::vector<ParameterError> check(Bytes capacity) const override {
    return parameters_.check(capacity);
  }
  std::unique_ptr<StorageDevice> make(Bytes capacity, std::uint64_t seed,
                                      const Assignments& assignments) const override {
    using P = const Parameters&;
    if constexpr (std::is_constructible_v<Device, P, Bytes, std::uint64_t, const Assignments&>) {
      return std::make_unique<Device>(parameters_, capacity, seed, assignments);
    } else if constexpr (std::is_constructible_v<Device, P, Bytes, std::uint64_t>) {
      return std::make_unique<Device>(parameters_, capacity, seed);
    } else {
      return std::make_unique<Device>(parameters_, capacity);
    }
  }

 protected:
  Parameters parameters_;
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
