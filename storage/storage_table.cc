// SPDX-License-Identifier: BSD-3-Clause
// Kind table: a device defined only by its operation times.
#include "storage/design.h"
#include "storage/table_device.h"

namespace hmsim {

namespace {

class TableKind final : public StorageDesign {
 public:
  void declare(ParameterSet& set) override { parameters_.declare(set); }
  std::vector<ParameterError> check(Bytes /*capacity*/) const override {
    return parameters_.check();
  }
  std::unique_ptr<StorageDevice> make(Bytes capacity, std::uint64_t /*seed*/,
                                      const Assignments& /*assignments*/) const override {
    return std::make_unique<TableDevice>(parameters_, capacity);
  }

 private:
  TableParameters parameters_;
};

}  // namespace

extern const StorageDescriptor kStorage_table;
const StorageDescriptor kStorage_table{
    "table", "a time for each size of operation, in storage.table, on one or more channels",
    make_storage_design<TableKind>};

}  // namespace hmsim
