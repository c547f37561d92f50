// SPDX-License-Identifier: BSD-3-Clause
// Characteristics of NVDIMM traffic by which the harmonic policy indexes its table, apart from
// queue depth (docs/schedulers.md).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "policies/monitors/window.h"
#include "policies/policy.h"

namespace hmsim {

// Classifies the page touches of one operation. A touch is random if it continues none of the eight
// most recent streams.
class PageStreams {
 public:
  enum class Touch : std::uint8_t { same_page, sequential, random };
  Touch add(std::int64_t page) {
    Touch touch = Touch::same_page;
    auto stream = std::find(last_.begin(), last_.end(), page);
    if (stream == last_.end()) {
      touch = Touch::sequential;
      stream = std::find(last_.begin(), last_.end(), page - 1);
    }
    if (stream == last_.end()) {
      touch = Touch::random;
      --stream;  // replaces the least recently used stream
    }
    std::move_backward(last_.begin(), stream, stream + 1);
    last_.front() = page;
    return touch;
  }
  void serialize(Archive& archive) { archive(last_); }

 private:
  static constexpr std::size_t kStreams = 8;
  static constexpr std::int64_t kNone = -2;  // no page follows it
  std::array<std::int64_t, kStreams> last_{kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone};
};

class NvdimmPattern {
 public:
  explicit NvdimmPattern(WindowLength length = {}) : length_(length) {}

  void add(const RequestView& request, Tick now) {
    if (window_.late(length_, now)) {
      close();
    }
    window_.add(now);
    writes_ += request.write ? 1 : 0;
    Op& op = ops_[request.write ? 1 : 0];
    const PageStreams::Touch touch = op.streams.add(request.row);
    op.touches += touch == PageStreams::Touch::same_page ? 0 : 1;
    op.random += touch == PageStreams::Touch::random ? 1 : 0;
    if (window_.full(length_)) {
      close();
    }
  }

  bool known() const { return known_; }  // whether a window has been completed
  // Shares, scaled by 2^20: writes among requests, and random touches among page touches by writes
  // and by reads. A window without touches of an operation leaves its average unchanged.
  std::int64_t write_ratio() const { return write_ratio_.value(); }
  std::int64_t write_randomness() const { return ops_[1].randomness.value(); }
  std::int64_t read_randomness() const { return ops_[0].randomness.value(); }

  void serialize(Archive& archive) { archive(window_, writes_, ops_, known_, write_ratio_); }

 private:
  struct Op {
    PageStreams streams;
    std::int64_t touches = 0;
    std::int64_t random = 0;
    Average randomness;
    void serialize(Archive& archive) { archive(streams, touches, random, randomness); }
  };

  void close() {
    write_ratio_.add(writes_ * kWhole / window_.requests());
    for (Op& op : ops_) {
      if (op.touches > 0) {
        op.randomness.add(op.random * kWhole / op.touches);
      }
      op.touches = 0;
      op.random = 0;
    }
    known_ = true;
    writes_ = 0;
    window_.restart();
  }

  WindowLength length_;
  Window window_;
  std::int64_t writes_ = 0;
  std::array<Op, 2> ops_;  // reads, writes
  bool known_ = false;
  Average write_ratio_;
};

}  // namespace hmsim
