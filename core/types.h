// SPDX-License-Identifier: BSD-3-Clause
// Strong integer types for time, clock cycles, sizes, addresses and flash pages.
#pragma once

#include <cstdint>
#include <limits>

// For functions that every event runs but that have only one or two callers. Compilers do not
// always inline these by themselves.
#define HMSIM_INLINE [[gnu::always_inline]] inline

namespace hmsim {

// Integer type that mixes only with its own kind. Sums and differences keep the type. Scaling takes
// a plain integer. The ratio of two is a plain integer.
template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  explicit constexpr Quantity(std::int64_t value) : value_(value) {}

  static constexpr Quantity max() { return Quantity(std::numeric_limits<std::int64_t>::max()); }

  constexpr std::int64_t value() const { return value_; }

  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }
  constexpr Quantity& operator++() {
    ++value_;
    return *this;
  }

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
  friend constexpr Quantity operator*(Quantity a, std::int64_t n) { return Quantity(a.value_ * n); }
  friend constexpr Quantity operator*(std::int64_t n, Quantity a) { return a * n; }
  friend constexpr Quantity operator/(Quantity a, std::int64_t n) { return Quantity(a.value_ / n); }
  friend constexpr std::int64_t operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }
  friend constexpr Quantity operator%(Quantity a, Quantity b) {
    return Quantity(a.value_ % b.value_);
  }
  friend constexpr bool operator==(Quantity a, Quantity b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(Quantity a, Quantity b) { return a.value_ != b.value_; }
  friend constexpr bool operator<(Quantity a, Quantity b) { return a.value_ < b.value_; }
  friend constexpr bool operator<=(Quantity a, Quantity b) { return a.value_ <= b.value_; }
  friend constexpr bool operator>(Quantity a, Quantity b) { return a.value_ > b.value_; }
  friend constexpr bool operator>=(Quantity a, Quantity b) { return a.value_ >= b.value_; }

 private:
  std::int64_t value_ = 0;
};

using Tick = Quantity<struct TickTag>;         // picoseconds since the start of the simulation
using Cycle = Quantity<struct CycleTag>;       // clock edges of one memory channel
using Bytes = Quantity<struct BytesTag>;       // a size
using Address = Quantity<struct AddressTag>;   // a byte address inside one memory
using LogicalPage = Quantity<struct LpnTag>;   // LPN: the host's page number
using PhysicalPage = Quantity<struct PpnTag>;  // PPN: a part of a flash page that holds one

inline constexpr PhysicalPage kNowhere{-1};  // no page: the location of a page never written
inline constexpr Tick kNever = Tick::max();  // no event: later than any event
inline constexpr Cycle kNeverCycle = Cycle::max();

inline constexpr Tick kNanosecond{1'000};
inline constexpr Tick kMicrosecond{1'000'000};
inline constexpr Tick kMillisecond{1'000'000'000};
inline constexpr Tick kSecond{1'000'000'000'000};
inline constexpr Tick kHour = 3'600 * kSecond;

constexpr Tick ns(std::int64_t nanoseconds) { return nanoseconds * kNanosecond; }
constexpr Tick us(std::int64_t microseconds) { return microseconds * kMicrosecond; }
inline double microseconds(Tick time) {
  return static_cast<double>(time.value()) / static_cast<double>(kMicrosecond.value());
}
inline double seconds(Tick time) {
  return static_cast<double>(time.value()) / static_cast<double>(kSecond.value());
}

inline constexpr Bytes kLineBytes{64};    // one memory transaction
inline constexpr Bytes kPageBytes{4096};  // one OS page, one logical page
inline constexpr auto kLineSize = static_cast<std::uint64_t>(kLineBytes.value());
inline constexpr auto kPageSize = static_cast<std::uint64_t>(kPageBytes.value());
inline constexpr int kLinesPerPage = 64;

template <class T>
constexpr T later(T a, T b) {
  return a < b ? b : a;
}
template <class T>
constexpr T earlier(T a, T b) {
  return b < a ? b : a;
}
// Overloads for quantities. Selecting between integers stays in registers; selecting between
// objects may go through memory.
template <class Tag>
constexpr Quantity<Tag> later(Quantity<Tag> a, Quantity<Tag> b) {
  return Quantity<Tag>(later(a.value(), b.value()));
}
template <class Tag>
constexpr Quantity<Tag> earlier(Quantity<Tag> a, Quantity<Tag> b) {
  return Quantity<Tag>(earlier(a.value(), b.value()));
}

}  // namespace hmsim
