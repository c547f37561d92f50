// SPDX-License-Identifier: BSD-3-Clause
#include "core/line_store.h"

#include <cstring>

#include "core/archive.h"

namespace hmsim {

namespace {

std::size_t offset_of(Address line) {
  return static_cast<std::size_t>(line.value() % kPageBytes.value());
}

}  // namespace

LineBytes LineStore::read(Address line) const {
  LineBytes bytes{};
  const std::uint32_t page = map_.find(line.value() / kPageBytes.value());
  if (page != kNoIndex) {
    std::memcpy(bytes.data(), pages_[page].second.data() + offset_of(line), bytes.size());
  }
  return bytes;
}

void LineStore::write(Address line, const LineData& data) {
  const std::int64_t number = line.value() / kPageBytes.value();
  std::uint32_t page = map_.find(number);
  if (page == kNoIndex) {
    page = static_cast<std::uint32_t>(pages_.size());
    pages_.emplace_back(number, std::string(static_cast<std::size_t>(kPageBytes.value()), '\0'));
    map_.insert(number, page);
  }
  LineBytes bytes = read(line);
  data.apply_to(bytes);
  std::memcpy(pages_[page].second.data() + offset_of(line), bytes.data(), bytes.size());
}

void LineStore::copy(Address from, Address to) {
  if (map_.find(from.value() / kPageBytes.value()) == kNoIndex) {
    zero(to);
  } else {
    write(to, {read(from)});
  }
}

void LineStore::zero(Address line) {
  if (map_.find(line.value() / kPageBytes.value()) != kNoIndex) {
    write(line, LineData());
  }
}

void LineStore::clear() {
  map_.clear();
  pages_.clear();
}

void LineStore::serialize(Archive& archive) {
  archive(pages_);
  if (!archive.loading()) {
    return;
  }
  map_.clear();
  for (std::uint32_t page = 0; page < pages_.size(); ++page) {
    archive.check(pages_[page].second.size() == static_cast<std::size_t>(kPageBytes.value()) &&
                      map_.find(pages_[page].first) == kNoIndex,
                  "incomplete or duplicate page of memory");
    map_.insert(pages_[page].first, page);
  }
}

}  // namespace hmsim
