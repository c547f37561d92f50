// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: one serialize(Archive&) per component both saves and loads.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/types.h"

namespace hmsim {

// Saves to, or loads from, a byte string: integers little-endian and 64 bits wide, so that a
// checkpoint does not depend on the platform. Loading throws InputError when the bytes end early or
// a section is not the expected one; it never allocates more than the bytes could hold.
class Archive {
 public:
  Archive() = default;                                                               // saves
  explicit Archive(std::string bytes) : bytes_(std::move(bytes)), loading_(true) {}  // loads

  bool loading() const { return loading_; }
  const std::string& bytes() const { return bytes_; }
  bool at_end() const { return position_ == bytes_.size(); }

  // A named mark: saved as it is, checked when loading.
  void section(std::string_view name);

  // Saves or loads each field in turn.
  template <class... Fields>
  void operator()(Fields&... fields) {
    (field(fields), ...);
  }

  // Raw bytes of known length (flash pages, bit maps).
  void raw(void* data, std::size_t length);

 private:
  void integer(std::int64_t& value);
  std::size_t checked_count(std::size_t count, std::size_t bytes_each);

  template <class T>
  void field(T& value) {
    if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
      auto number = static_cast<std::int64_t>(value);
      integer(number);
      value = static_cast<T>(number);
    } else if constexpr (std::is_floating_point_v<T>) {
      auto number = static_cast<double>(value);
      std::int64_t bits = 0;
      std::memcpy(&bits, &number, sizeof bits);
      integer(bits);
      std::memcpy(&number, &bits, sizeof bits);
      value = static_cast<T>(number);
    } else {
      value.serialize(*this);
    }
  }
  template <class Tag>
  void field(Quantity<Tag>& value) {
    std::int64_t number = value.value();
    integer(number);
    value = Quantity<Tag>(number);
  }
  template <class A, class B>
  void field(std::pair<A, B>& value) {
    field(value.first);
    field(value.second);
  }
  template <class T, std::size_t N>
  void field(std::array<T, N>& values) {
    for (T& value : values) {
      field(value);
    }
  }
  template <class T>
  void field(std::optional<T>& value) {
    bool present = value.has_value();
    field(present);
    if (loading_) {
      value.reset();
      if (present) {
        value.emplace();
      }
    }
    if (present) {
      field(*value);
    }
  }
  template <class T>
  void field(std::vector<T>& values) {
    sequence(values);
  }
  template <class T>
  void field(std::deque<T>& values) {
    sequence(values);
  }
  void field(std::vector<bool>& values);
  void field(std::string& text);

  template <class Sequence>
  void sequence(Sequence& values) {
    std::uint64_t count = values.size();
    field(count);
    if (loading_) {
      values.clear();
      values.resize(checked_count(count, 1));
    }
    for (auto& value : values) {
      field(value);
    }
  }

  std::string bytes_;
  std::size_t position_ = 0;
  bool loading_ = false;
};

// A 64-bit hash of bytes, the same on every platform.
std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed = 0);

}  // namespace hmsim
