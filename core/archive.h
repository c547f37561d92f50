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

// Whether an enumeration names its last enumerator, as `last = ...`. All before it count from 0.
template <class Enum, class = void>
struct NamesLast : std::false_type {};
template <class Enum>
struct NamesLast<Enum, std::void_t<decltype(Enum::last)>> : std::true_type {};

// Saves to, or loads from, a byte string: integers little-endian and 64 bits wide, so that a
// checkpoint does not depend on the platform.
//
// What is loaded may come from anybody. Loading throws InputError when the bytes end early, a
// section is not the expected one, a number does not fit its field, or a check() fails; it never
// allocates more than a small multiple of the bytes that are left. A signed number is kept so small
// that two of them may be added: below 2^61, if not one of the marks "never" (the largest), "no
// limit" (2^62) and "long ago" (-2^62), and cycles below 2^51. serialize() checks all else that its
// component relies on: an index lies within what it indexes, a size that follows from the
// configuration is that one.
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

  // The same of containers whose size is already right: what is loaded must have it too.
  template <class... Containers>
  void fixed(Containers&... containers) {
    (fixed_size(containers), ...);
  }

  // Raw bytes of known length (flash pages, bit maps).
  void raw(void* data, std::size_t length);

  // Loading: unless it holds, the file is damaged. `what` says what does not hold together.
  void check(bool condition, const char* what) const {
    if (loading_ && !condition) {
      damaged(what);
    }
  }
  // Loading: each of the indices is one of `size` places; or `none`, if that is given.
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
  // Every field takes as many at least.
  static constexpr std::size_t kFieldBytes = 8;
  // Picoseconds are these times a clock's period, and still fit.
  static constexpr std::int64_t kMostCycles = std::int64_t{1} << 51;

  [[noreturn]] static void damaged(const char* what);
  void integer(std::int64_t& value);
  void signed_integer(std::int64_t& value);
  std::size_t checked_count(std::size_t count, std::size_t bytes_each);

  template <class T>
  static constexpr bool fits(std::int64_t number) {
    if constexpr (std::is_enum_v<T>) {
      static_assert(NamesLast<T>::value, "an archived enumeration names its last: `last = ...`");
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
    } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
      auto number = static_cast<std::int64_t>(value);
      integer(number);
      check(fits<T>(number), "a number is none that its field could hold");
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
    check(values.size() == size, "it is of a system of another size");
  }

  std::string bytes_;
  std::size_t position_ = 0;
  bool loading_ = false;
};

// A 64-bit hash of bytes, the same on every platform.
std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed = 0);

}  // namespace hmsim
