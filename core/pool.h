// SPDX-License-Identifier: BSD-3-Clause
// Records that come and go, known by their index: what is given back is taken again, the latest
// first, and the storage grows when nothing is free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/places.h"

namespace hmsim {

template <class Record>
class Pool {
 public:
  Record& operator[](std::uint32_t index) { return records_[index]; }
  const Record& operator[](std::uint32_t index) const { return records_[index]; }
  Record* data() { return records_.data(); }
  const Record* data() const { return records_.data(); }

  // Indices lie below size(), those of free records included.
  std::uint32_t size() const { return static_cast<std::uint32_t>(records_.size()); }
  std::uint32_t used() const { return static_cast<std::uint32_t>(records_.size() - free_.size()); }

  // The index of a record that is as new.
  std::uint32_t take() {
    if (free_.empty()) {
      records_.emplace_back();
      return size() - 1;
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    records_[index] = Record();
    return index;
  }
  // A free record keeps what it held until it is taken again.
  void give_back(std::uint32_t index) { free_.push_back(index); }

  // By index, whether it is taken.
  std::vector<bool> in_use() const {
    std::vector<bool> used(records_.size(), true);
    for (const std::uint32_t index : free_) {
      used[index] = false;
    }
    return used;
  }
  // The indexes that are taken, ascending.
  std::vector<std::uint32_t> taken() const {
    std::vector<std::uint32_t> indexes;
    const std::vector<bool> used = in_use();
    for (std::uint32_t index = 0; index < used.size(); ++index) {
      if (used[index]) {
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
      Places free(archive, records_.size(), "a record is free twice, or is none");
      take_free(free);
    }
  }

 private:
  std::vector<Record> records_;
  std::vector<std::uint32_t> free_;
};

}  // namespace hmsim
