// SPDX-License-Identifier: BSD-3-Clause
// Assigns the records of a trace with causes to threads, as spans in captured order.
//
// A span is a stretch of records on one vCPU during which it ran one thread. After a span, the
// thread continues with its next span, or first waits for a wake by another thread or for a time.
// Each wake by a thread ends exactly one wait, which precedes it in the captured order. Therefore a
// replay that keeps each thread's order and ends waits by their wakes cannot deadlock, whatever its
// timing.
//
// - A thread waits at the end of the span that it left in order to wait. A thread woken before it
//   left waits at the record at which it was woken: it would have waited if the wake had been late.
// - A wait ended by an alarm becomes a sleep of the same duration. An alarm is ignored if its
//   thread did not wait, or if the wait began before the replayed stretch.
// - The idle loop's wakes stand for devices. They end waits at once.
// - A thread that runs again without a wake did not wait.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/record_tape.h"

namespace hmsim {

enum class SpanEnd : std::uint8_t { goes_on, waits, sleeps };

// Records of one thread on one vCPU, without interruption.
struct ThreadSpan {
  std::uint64_t first = 0;  // number of its first record
  std::uint64_t last = 0;   // one past its last record; equal to `first` if the span is empty
  std::uint32_t sleep_us = 0;
  std::uint8_t vcpu = 0;
  SpanEnd end = SpanEnd::goes_on;
};

// The thread's copy for a block request: the records after `begin` and before `end`.
struct CapturedBio {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t pages = 0;
  bool reads_ahead = false;
};

// A thread of the captured machine.
struct CapturedThread {
  std::uint16_t number = 0;  // assigned by its kernel
  std::string name;
  std::vector<ThreadSpan> spans;  // in order of their records
  std::vector<CapturedBio> bios;  // in order of their records
};

class ThreadSpans {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 22;  // spans and bios of all threads

  // Finds the spans of a stretch: the `length` instructions of all vCPUs, or all (0), after the
  // first `skip`. Reads the trace up to the stretch's end. With an index (traces/cause_index.h),
  // reading starts at the block in which the stretch begins. Throws InputError, which names `file`.
  ThreadSpans(RecordTape& tape, std::uint64_t skip, std::uint64_t length, const std::string& file);

  // Returns the threads that ran within the stretch, in order of appearance.
  const std::vector<CapturedThread>& threads() const { return threads_; }
  // Returns the index of the thread with this number, or nullopt if it did not run in the stretch.
  std::optional<std::uint32_t> find(std::uint16_t number) const {
    const std::int32_t index = indices_[number];
    return index < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(index));
  }

 private:
  std::vector<CapturedThread> threads_;
  std::vector<std::int32_t> indices_;  // by number; -1: not present
};

}  // namespace hmsim
