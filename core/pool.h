// SPDX-License-Identifier: BSD-3-Clause
// Records that come and go, known by their index: what is given back is taken again, the latest
// first, and the storage grows when nothing is free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/places.h"

namespace hmsim {

template <class Record>
class Pool {
 public:
  Record& operator[](std::uint32_t index) { return records_[index]; }
  const Record& operator[](std::uint32_t index) const { return records_[index]; }
  // The record, which is taken. For indexes that a component kept for another one: a fault if the
  // record is free or does not exist.
  Record& held(std::uint32_t index) {
    require(holds(index));
    return records_[index];
  }
  const Record& held(std::uint32_t index) const {
    require(holds(index));
    return records_[index];
  }
  bool holds(std::uint32_t index) const { return index < taken_.size() && taken_[index] != 0; }
  Record* data() { return records_.data(); }
  const Record* data() const { return records_.data(); }

  // Indices lie below size(), those of free records included.
  std::uint32_t size() const { return static_cast<std::uint32_t>(records_.size()); }
  std::uint32_t used() const { return static_cast<std::uint32_t>(records_.size() - free_.size()); }

  // The index of a record that is as new.
  std::uint32_t take() {
    if (free_.empty()) {
      records_.emplace_back();
      taken_.push_back(1);
      return size() - 1;
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    records_[index] = Record();
    taken_[index] = 1;
    return index;
  }
  // A free record keeps what it held until it is taken again. Giving back a record that is free is
  // a fault, so that no record ever has two owners.
  void give_back(std::uint32_t index) {
    require(holds(index));
    taken_[index] = 0;
    free_.push_back(index);
  }

  // By index, whether it is taken.
  std::vector<bool> in_use() const { return {taken_.begin(), taken_.end()}; }
  // The indexes that are taken, ascending.
  std::vector<std::uint32_t> taken() const {
    std::vector<std::uint32_t> indexes;
    for (std::uint32_t index = 0; index < taken_.size(); ++index) {
      if (taken_[index] != 0) {
        indexes.push_back(index);
      }
    }
    return indexes;
  }
  // Loading: the free records' places, which nothing else may hold.
  void take_free(Places& places) const {
    for (const std::uint32_t index : free_) {
      places.take(index);
    }
  }

  void serialize(Archive& archive) {
    archive(records_, free_);
    if (archive.loading()) {
      taken_.assign(records_.size(), 1);
      for (const std::uint32_t index : free_) {
        archive.check(holds(index), "a record is free twice, or does not exist");
        taken_[index] = 0;
      }
    }
  }

 private:
  static void require(bool held) {
    if (!held) {
      raise_fault("pool", Tick(0), -1, "a record is used that is free or does not exist");
    }
  }

  std::vector<Record> records_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint8_t> taken_;  // by index: 1 or 0
};

}  // namespace hmsim
