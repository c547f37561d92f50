// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints. One `serialize(Archive&)` per component both saves and loads.
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

// Whether an enumeration names its last enumerator, as `last = ...`. Enumerators must count up from
// 0 without gaps.
template <class Enum, class = void>
struct NamesLast : std::false_type {};
template <class Enum>
struct NamesLast<Enum, std::void_t<decltype(Enum::last)>> : std::true_type {};

class Archive;
// Whether a class has a public serialize(Archive&).
template <class T, class = void>
struct SavesItself : std::false_type {};
template <class T>
struct SavesItself<T, std::void_t<decltype(std::declval<T&>().serialize(std::declval<Archive&>()))>>
    : std::true_type {};

// Serializer that writes to, or reads from, a byte string. Integers are little-endian and 64 bits
// wide, so a checkpoint does not depend on the platform.
//
// Loaded bytes are untrusted. Loading throws InputError if the bytes end early, a section name does
// not match, a number does not fit its field, or a check() fails. It never allocates more than a
// small multiple of the bytes that remain. Signed numbers are limited so that the sum of two never
// overflows: ticks and other 64-bit signed values stay below 2^61 in magnitude, except the
// sentinels "never" (the maximum), "no limit" (2^62) and "long ago" (-2^62). Cycles stay below
// 2^51. Each component's serialize() must check everything else it relies on: that an index is
// within its container, and that a size fixed by the configuration has that value.
class Archive {
 public:
  Archive() = default;                                                               // saves
  explicit Archive(std::string bytes) : bytes_(std::move(bytes)), loading_(true) {}  // loads

  bool loading() const { return loading_; }
  const std::string& bytes() const { return bytes_; }
  bool at_end() const { return position_ == bytes_.size(); }

  // Saves `name`. When loading, checks that the same name comes next.
  void section(std::string_view name);

  // Saves or loads each field in turn.
  template <class... Fields>
  void operator()(Fields&... fields) {
    (field(fields), ...);
  }

  // Saves or loads containers whose size is fixed by the configuration. When loading, each
  // container must already have that size, and the loaded size must equal it.
  template <class... Containers>
  void fixed(Containers&... containers) {
    (fixed_size(containers), ...);
  }

  // Saves or loads `length` raw bytes (flash pages, bit maps).
  void raw(void* data, std::size_t length);

  // When loading, reports a damaged file unless `condition` holds. `what` describes the violation.
  // Does nothing when saving.
  void check(bool condition, const char* what) const {
    if (loading_ && !condition) {
      damaged(what);
    }
  }
  // When loading, checks that each index is below `size`, or equals `none` if `none` is given.
  template <class Index>
  void check_index(Index index, std::size_t size, const char* what) const {
    check(static_cast<std::uint64_t>(index) < size, what);
  }
  template <class Index>
  void check_index(Index index, std::size_t size, Index none, const char* what) const {
    check(index == none || static_cast<std::uint64_t>(index) < size, what);
  }
  template <class Sequence>
  void check_indices(const Sequence& indices, std::size_t size, const char* what) const {
    for (const auto& index : indices) {
      check_index(index, size, what);
    }
  }
  template <class Sequence>
  void check_indices(const Sequence& indices, std::size_t size, typename Sequence::value_type none,
                     const char* what) const {
    for (const auto& index : indices) {
      check_index(index, size, none, what);
    }
  }

 private:
  // Minimum size of any saved field.
  static constexpr std::size_t kFieldBytes = 8;
  // Limit on cycle counts: multiplied by a clock period in picoseconds, they still fit 64 bits.
  static constexpr std::int64_t kMostCycles = std::int64_t{1} << 51;

  [[noreturn]] static void damaged(const char* what);
  void integer(std::int64_t& value);
  void signed_integer(std::int64_t& value);
  std::size_t checked_count(std::size_t count, std::size_t bytes_each);

  template <class T>
  static constexpr bool fits(std::int64_t number) {
    if constexpr (std::is_enum_v<T>) {
      return number >= 0 && number <= static_cast<std::int64_t>(T::last);
    } else if constexpr (std::is_same_v<T, bool>) {
      return number == 0 || number == 1;
    } else {
      return static_cast<std::int64_t>(static_cast<T>(number)) == number;
    }
  }

  template <class T>
  void field(T& value) {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      signed_integer(value);
    } else if constexpr (std::is_integral_v<T> || (std::is_enum_v<T> && NamesLast<T>::value)) {
      auto number = static_cast<std::int64_t>(value);
      integer(number);
      check(fits<T>(number), "a number is outside its field's range");
      value = static_cast<T>(number);
    } else if constexpr (std::is_floating_point_v<T>) {
      auto number = static_cast<double>(value);
      std::int64_t bits = 0;
      std::memcpy(&bits, &number, sizeof bits);
      integer(bits);
      std::memcpy(&number, &bits, sizeof bits);
      value = static_cast<T>(number);
    } else if constexpr (SavesItself<T>::value) {
      value.serialize(*this);
    } else {
      static_assert(!std::is_enum_v<T>, "an archived enumeration names its last: `last = ...`");
      static_assert(
          std::is_enum_v<T>,
          "Archive cannot save this type. It saves numbers, bool, enumerations, Tick "
          "and other quantities, std::string, std::pair, std::array, std::optional, std::vector, "
          "std::deque, and classes with a public serialize(Archive&). Save others, such as "
          "std::map or pointers, as a vector: docs/policy-guide.md, 'Saved state'");
    }
  }
  template <class Tag>
  void field(Quantity<Tag>& value) {
    std::int64_t number = value.value();
    signed_integer(number);
    value = Quantity<Tag>(number);
    if constexpr (std::is_same_v<Quantity<Tag>, Cycle>) {
      check(value == kNeverCycle || (number > -kMostCycles && number < kMostCycles),
            "a number of cycles is too large");
    }
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
      values.resize(checked_count(count, kFieldBytes));
    }
    for (auto& value : values) {
      field(value);
    }
  }

  template <class Container>
  void fixed_size(Container& values) {
    const std::size_t size = values.size();
    field(values);
    check(values.size() == size, "it belongs to a system of another size");
  }

  std::string bytes_;
  std::size_t position_ = 0;
  bool loading_ = false;
};

// Returns a 64-bit hash of the bytes. The result is the same on every platform.
std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed = 0);

}  // namespace hmsim
