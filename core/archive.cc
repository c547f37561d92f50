// SPDX-License-Identifier: BSD-3-Clause
#include "core/archive.h"

#include <algorithm>
#include <limits>

#include "core/errors.h"
#include "core/random.h"

namespace hmsim {

void Archive::damaged(const char* what) {
  throw InputError(std::string("the saved state is damaged: ") + what);
}

void Archive::signed_integer(std::int64_t& value) {
  constexpr std::int64_t kMark = std::int64_t{1} << 62;
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  integer(value);
  check((value > -kMark / 2 && value < kMark / 2) || value == kMark || value == -kMark ||
            value == kLargest,
        "a number is too large");
}

void Archive::integer(std::int64_t& value) {
  auto bits = static_cast<std::uint64_t>(value);
  if (loading_) {
    checked_count(1, kFieldBytes);
    bits = 0;
    for (std::size_t i = 0; i < kFieldBytes; ++i) {
      bits |= std::uint64_t{static_cast<unsigned char>(bytes_[position_++])} << (8 * i);
    }
    value = static_cast<std::int64_t>(bits);
    return;
  }
  for (std::size_t i = 0; i < kFieldBytes; ++i) {
    bytes_.push_back(static_cast<char>(bits >> (8 * i)));
  }
}

std::size_t Archive::checked_count(std::size_t count, std::size_t bytes_each) {
  check(count <= (bytes_.size() - position_) / bytes_each, "its data end early");
  return count;
}

void Archive::raw(void* data, std::size_t length) {
  if (loading_) {
    checked_count(length, 1);
    std::memcpy(data, bytes_.data() + position_, length);
    position_ += length;
  } else {
    bytes_.append(static_cast<const char*>(data), length);
  }
}

void Archive::field(std::string& text) {
  std::uint64_t length = text.size();
  field(length);
  if (loading_) {
    text.resize(checked_count(length, 1));
  }
  raw(text.data(), text.size());
}

void Archive::field(std::vector<bool>& values) {
  std::uint64_t count = values.size();
  field(count);
  if (loading_) {
    checked_count(count / 8, 1);
    values.assign(count, false);
  }
  std::uint64_t packed = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % 64 == 0) {
      if (!loading_) {
        packed = 0;
        for (std::size_t j = i; j < values.size() && j < i + 64; ++j) {
          packed |= std::uint64_t{values[j]} << (j - i);
        }
      }
      field(packed);
    }
    if (loading_) {
      values[i] = ((packed >> (i % 64)) & 1) != 0;
    }
  }
}

void Archive::section(std::string_view name) {
  std::string text(name);
  field(text);
  check(text == name, ("the part '" + std::string(name) + "' is missing").c_str());
}

std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed) {
  constexpr std::size_t kWord = 8;
  std::uint64_t hash = mix64(seed ^ bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += kWord) {
    std::uint64_t word = 0;
    for (std::size_t i = at; i < std::min(at + kWord, bytes.size()); ++i) {
      word = (word << 8) | static_cast<unsigned char>(bytes[i]);
    }
    hash = mix64(hash ^ word);
  }
  return hash;
}

}  // namespace hmsim
