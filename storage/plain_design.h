// SPDX-License-Identifier: BSD-3-Clause
// Design of a storage kind that consists of parameters and a device.
#pragma once

#include <type_traits>

#include "storage/design.h"

namespace hmsim {

// The device takes its parameters and the capacity, then the seed if it draws, then the
// assignments if it has policies.
template <class Parameters, class Device>
class PlainDesign final : public StorageDesign {
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

 private:
  Parameters parameters_;
};

}  // namespace hmsim
