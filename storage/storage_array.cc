// SPDX-License-Identifier: BSD-3-Clause
// Kind array: Moneta, HASTE, and other designs of controllers behind a ring and a link.
#include "storage/array.h"
#include "storage/design.h"

namespace hmsim {

namespace {

class ArrayKind final : public StorageDesign {
 public:
  void declare(ParameterSet& parameters) override { design_.declare(parameters); }
  std::vector<ParameterError> check(Bytes capacity) const override {
    return design_.check(capacity);
  }
  std::unique_ptr<StorageDevice> make(Bytes capacity, std::uint64_t /*seed*/,
                                      const Assignments& /*assignments*/) const override {
    return std::make_unique<Array>(design_, capacity);
  }

 private:
  ArrayDesign design_;
};

}  // namespace

extern const StorageDescriptor kStorage_array;
const StorageDescriptor kStorage_array{
    "array", "memory controllers behind a ring, a scheduler and a link: Moneta and its kin",
    make_storage_design<ArrayKind>};

}  // namespace hmsim
