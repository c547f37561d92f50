// SPDX-License-Identifier: BSD-3-Clause
#include "clones/clone.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/errors.h"

namespace hmsim {

namespace {

constexpr int kEscape = 3;
constexpr int kFill = 0;
constexpr int kLineBits = 40;
constexpr int kMemoryBit = 39;
constexpr int kDeltaShift = 45;
constexpr std::int64_t kLargestDelta = (std::int64_t{1} << 19) - 1;
constexpr std::int64_t kLargestStep = (std::int64_t{1} << kLineBits) - 1;

void check(const CloneStream& stream, std::size_t phases) {
  bool good = stream.phases.size() == phases && stream.pace.size() == phases && phases > 0;
  good = good && !stream.visits[0].empty() && !stream.reuse.empty();
  for (const std::size_t pace : stream.pace) {
    good = good && pace < stream.paces.size();
  }
  for (const ClonePace& pace : stream.paces) {
    for (std::size_t kind = 0; kind < kVisitKinds; ++kind) {
      good = good && pace.mix[kind].size() == stream.visits[kind].size();
    }
  }
  if (!good) {
    throw InputError("empty stream in the profile");
  }
}

}  // namespace

CloneWalk::CloneWalk(const CloneStream& stream, const std::vector<double>& ends,
                     const CloneProfile& profile, std::uint64_t number)
    : stream_(stream),
      random_(profile.seed, number),
      clock_(stream, ends, stream.attached ? 1 : profile.speed),
      pages_(stream),
      lines_(stream) {
  advance();
}

void CloneWalk::advance() {
  const bool inside = lines_.left() > 0;
  done_ = done_ || !clock_.step(inside, random_);
  if (done_) {
    return;
  }
  if (inside) {
    lines_.step(random_);
  } else {
    const std::size_t pace = clock_.pace();
    pages_.advance(lines_.form(), lines_.line() == kClonePageLines - 1, pace, random_);
    const bool to_end = pages_.kind() == 1 && pages_.deficit(2, pace) > 0;
    lines_.begin(pages_.kind(), pace, to_end, random_);
  }
}

Clone::Clone(CloneProfile profile) : profile_(std::move(profile)) {
  const std::size_t phases = profile_.streams.empty() ? 0 : profile_.streams[0].phases.size();
  std::vector<double> fills(phases, 0);
  for (const CloneStream& stream : profile_.streams) {
    check(stream, phases);
    for (std::size_t p = 0; p < phases && stream.kind == kFill; ++p) {
      fills[p] += static_cast<double>(stream.phases[p]);
    }
  }
  for (std::size_t p = 0; p < phases; ++p) {
    phase_ends_.push_back(static_cast<double>(profile_.instructions) * static_cast<double>(p + 1) /
                          static_cast<double>(phases));
    fill_ends_.push_back((p == 0 ? 0 : fill_ends_.back()) + fills[p]);
  }
  walks_.reserve(profile_.streams.size());
  for (std::size_t i = 0; i < profile_.streams.size(); ++i) {
    const CloneStream& stream = profile_.streams[i];
    walks_.emplace_back(stream, stream.attached ? fill_ends_ : phase_ends_, profile_, i);
    (stream.attached ? attached_ : clocked_).push_back(i);
  }
}

std::string Clone::records(std::size_t count) {
  std::string bytes;
  while (bytes.size() < 8 * count && !ended_) {
    std::size_t first = walks_.size();
    for (const std::size_t i : clocked_) {
      if (!walks_[i].done() &&
          (first == walks_.size() || walks_[i].time() < walks_[first].time())) {
        first = i;
      }
    }
    if (first == walks_.size()) {
      ended_ = true;
      emit_attached(std::numeric_limits<double>::infinity(), bytes);
      const std::int64_t rest = profile_.instructions - time_;
      if (rest > 0) {
        word(std::uint64_t{kEscape} << kLineBits | static_cast<std::uint64_t>(rest), bytes);
      }
      break;
    }
    emit(first, std::max(time_, static_cast<std::int64_t>(walks_[first].time())), bytes);
    if (profile_.streams[first].kind == kFill) {
      emit_attached(static_cast<double>(++fills_), bytes);
    }
  }
  return bytes;
}

void Clone::emit_attached(double fills, std::string& bytes) {
  for (const std::size_t i : attached_) {
    while (!walks_[i].done() && walks_[i].time() <= fills) {
      emit(i, time_, bytes);
    }
  }
}

void Clone::emit(std::size_t walk, std::int64_t time, std::string& bytes) {
  const CloneStream& stream = profile_.streams[walk];
  std::int64_t delta = time - time_;
  time_ = time;
  while (delta > kLargestDelta) {
    const std::int64_t step = std::min(delta, kLargestStep);
    word(std::uint64_t{kEscape} << kLineBits | static_cast<std::uint64_t>(step), bytes);
    delta -= step;
  }
  const std::uint64_t memory = stream.nvdimm ? std::uint64_t{1} << kMemoryBit : 0;
  word(static_cast<std::uint64_t>(delta) << kDeltaShift |
           static_cast<std::uint64_t>(stream.kind) << kLineBits | memory | walks_[walk].line(),
       bytes);
  walks_[walk].advance();
}

void Clone::word(std::uint64_t value, std::string& bytes) {
  for (int i = 0; i < 8; ++i) {
    bytes += static_cast<char>(value >> (8 * i));
  }
}

}  // namespace hmsim
