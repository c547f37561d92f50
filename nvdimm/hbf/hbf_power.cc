// SPDX-License-Identifier: BSD-3-Clause
// Contents of an HBF device in data mode, and what remains of them after a loss of power.
#include "nvdimm/hbf/hbf_device.h"

namespace hmsim {

namespace {

Address line_of(std::int64_t page, std::int64_t line) {
  return Address(page * kPageBytes.value() + line * kLineBytes.value());
}

}  // namespace

// Stores the bytes of a page whose program has ended.
void HbfDevice::keep(std::uint32_t unit) {
  for (std::int64_t line = 0; line < kLinesPerPage; ++line) {
    bytes_->write(line_of(units_[unit].page, line),
                  {line_at(incoming_[unit], line * kLineBytes.value())});
  }
}

// Forgets the block of a page, which is erased. Reads that were sensed before have their bytes.
void HbfDevice::clear_block(std::int64_t page) {
  const std::int64_t first = page / banks_ / pages_per_block_ * pages_per_block_;
  for (std::int64_t i = 0; bytes_ != nullptr && i < pages_per_block_; ++i) {
    for (std::int64_t line = 0; line < kLinesPerPage; ++line) {
      bytes_->zero(line_of((first + i) * banks_ + page % banks_, line));
    }
  }
}

LineBytes HbfDevice::peek(Address line) const {
  const std::int64_t page = line.value() / kPageBytes.value();
  const std::int64_t offset = line.value() % kPageBytes.value();
  const std::uint32_t unit = unit_of_.find(page);
  if (unit == kNoIndex || (units_[unit].lines >> (offset / kLineBytes.value()) & 1) == 0) {
    return bytes_->read(line);
  }
  return line_at(incoming_[unit], offset);
}

void HbfDevice::lose_power(Tick /*now*/) {
  unit_of_.clear();  // pages that were not programmed
  for (const Unit& unit : units_) {
    if (unit.erasing) {
      clear_block(unit.page);
    }
  }
}

void HbfDevice::restore(const HbfDevice& before) {
  *bytes_ = *before.bytes_;
  std::vector<bool> interrupted(blocks_.count());
  for (const Unit& unit : before.units_) {
    if (unit.state == UnitState::complete && unit.started) {
      interrupted[block_of(unit.page)] = true;
    }
  }
  for (std::size_t block = 0; block < blocks_.count(); ++block) {
    blocks_.recover(block, before.blocks_, interrupted[block]);
    flash_.programmed().set(
        static_cast<std::uint32_t>(block / static_cast<std::size_t>(blocks_per_bank_)),
        static_cast<std::uint32_t>(block % static_cast<std::size_t>(blocks_per_bank_)),
        blocks_.programmed(block));
  }
}

}  // namespace hmsim
