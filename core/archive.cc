// SPDX-License-Identifier: BSD-3-Clause
#include "core/archive.h"

#include <algorithm>

#include "core/errors.h"
#include "core/random.h"

namespace hmsim {

void Archive::integer(std::int64_t& value) {
  constexpr int kBytes = 8;
  auto bits = static_cast<std::uint64_t>(value);
  if (loading_) {
    if (bytes_.size() - position_ < kBytes) {
      throw InputError("the checkpoint ends early");
    }
    bits = 0;
    for (int i = 0; i < kBytes; ++i) {
      bits |= std::uint64_t{static_cast<unsigned char>(bytes_[position_++])} << (8 * i);
    }
    value = static_cast<std::int64_t>(bits);
    return;
  }
  for (int i = 0; i < kBytes; ++i) {
    bytes_.push_back(static_cast<char>(bits >> (8 * i)));
  }
}

std::size_t Archive::checked_count(std::size_t count, std::size_t bytes_each) {
  if (count > (bytes_.size() - position_) / bytes_each) {
    throw InputError("the checkpoint ends early");
  }
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
    values.assign(checked_count((count + 7) / 8, 1) == 0 ? 0 : count, false);
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
  if (text != name) {
    throw InputError("the checkpoint does not fit this simulator: expected '" + std::string(name) +
                     "'");
  }
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
