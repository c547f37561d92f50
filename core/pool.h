// SPDX-License-Identifier: BSD-3-Clause
// Pool of records addressed by index. The most recently freed record is reused first. The storage
// grows if no record is free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/slot_claims.h"

namespace hmsim {

template <class Record>
class Pool {
 public:
  Record& operator[](std::uint32_t index) { return records_[index]; }
  const Record& operator[](std::uint32_t index) const { return records_[index]; }
  // Returns the record, which must be in use; otherwise it is a Fault. For indices that one
  // component stores on behalf of another.
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

  // Returns the number of records, including free ones. All indices are below it.
  std::uint32_t size() const { return static_cast<std::uint32_t>(records_.size()); }
  std::uint32_t used() const { return static_cast<std::uint32_t>(records_.size() - free_.size()); }

  // Returns the index that take() returns next.
  std::uint32_t next() const { return free_.empty() ? size() : free_.back(); }
  // Returns the index of a value-initialised record, now in use.
  std::uint32_t take() {
    if (free_.empty()) {
      records_.emplace_back();
      taken_.push_back(1);
      return size() - 1;
    }
    const std::uint32_t index = claim();
    records_[index] = Record();
    return index;
  }
  // Returns the index of a record, now in use, with a value.
  std::uint32_t take(Record&& value) {
    if (free_.empty()) {
      records_.push_back(std::move(value));
      taken_.push_back(1);
      return size() - 1;
    }
    const std::uint32_t index = claim();
    records_[index] = std::move(value);
    return index;
  }
  // Frees a record. Its contents remain until the record is taken again. Freeing a free record is a
  // Fault, so no record ever has two owners.
  void give_back(std::uint32_t index) {
    require(holds(index));
    taken_[index] = 0;
    free_.push_back(index);
  }

  // Returns, by index, whether each record is in use.
  std::vector<bool> in_use() const { return {taken_.begin(), taken_.end()}; }
  // Returns the indices in use, in ascending order.
  std::vector<std::uint32_t> taken() const {
    std::vector<std::uint32_t> indexes;
    for (std::uint32_t index = 0; index < taken_.size(); ++index) {
      if (taken_[index] != 0) {
        indexes.push_back(index);
      }
    }
    return indexes;
  }
  // Claims the places of all free records. Call while loading: the load fails if another list holds
  // one of these places already.
  void claim_free(SlotClaims& places) const {
    for (const std::uint32_t index : free_) {
      places.claim(index);
    }
  }

  void serialize(Archive& archive) {
    archive(records_, free_);
    if (archive.loading()) {
      taken_.assign(records_.size(), 1);
      for (const std::uint32_t index : free_) {
        archive.check(holds(index), "record freed twice, or invalid record");
        taken_[index] = 0;
      }
    }
  }

 private:
  // Returns the index of the record that was freed last, now in use.
  std::uint32_t claim() {
    const std::uint32_t index = free_.back();
    free_.pop_back();
    taken_[index] = 1;
    return index;
  }
  static void require(bool held) {
    if (!held) {
      raise_fault("pool", Tick(0), -1, "access to a record that is free or invalid");
    }
  }

  std::vector<Record> records_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint8_t> taken_;  // by index: 1 if in use, otherwise 0
};

}  // namespace hmsim
