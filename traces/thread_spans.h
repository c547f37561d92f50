// SPDX-License-Identifier: BSD-3-Clause
// Which records of a trace with causes are whose: the captured order of each thread, as spans.
//
// A span is a stretch of records on one vCPU during which it ran one thread. At its end the thread
// goes on with its next span, or waits before that: until another thread wakes it, or for a time.
// Each wake by a thread has one such wait, and lies behind that in the captured order: a replay
// that keeps each thread's order, and lets waits end with their wakes, whatever they come to, can
// always go on.
//   A thread waits at the end of the span that it left in order to wait. One that was woken before
//   it had left waits where it was when it was woken: it would have waited, had the wake been late.
//   What an alarm ended is a wait for the time that it lasted; an alarm of a thread that did not
//   wait, or whose wait began before the stretch that is replayed, is nothing. The idle loop's
//   wakes stand for devices: they end waits at once. A thread that nobody woke, and that runs again
//   all the same, did not wait.
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

struct ThreadSpan {
  std::uint64_t first = 0;  // record
  std::uint64_t last = 0;   // behind the last one; first: it has none, but for its end
  std::uint32_t sleep_us = 0;
  std::uint8_t vcpu = 0;
  SpanEnd end = SpanEnd::goes_on;
};

// Records behind `begin` and before `end` are the thread's copy of a request to the block device.
struct CapturedBio {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t pages = 0;
  bool reads_ahead = false;
};

struct CapturedThread {
  std::uint16_t number = 0;  // that its kernel gave it
  std::string name;
  std::vector<ThreadSpan> spans;  // in the order of their records
  std::vector<CapturedBio> bios;  // likewise
};

class ThreadSpans {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 22;  // spans and bios of all threads

  // Finds the spans of a stretch: the `length` instructions of all vCPUs, or all (0), after the
  // first `skip`. Reads the trace up to the stretch's end, or, if the trace has an index
  // (traces/cause_index.h), from the block in which the stretch begins. Throws InputError, naming
  // `file`.
  ThreadSpans(RecordTape& tape, std::uint64_t skip, std::uint64_t length, const std::string& file);

  // Those that ran within the stretch, in the order in which they appear there.
  const std::vector<CapturedThread>& threads() const { return threads_; }
  // Pages of the NVDIMM that were written before the stretch, as far as the trace tells, each once,
  // and kMost of them at most: that written last comes first.
  const std::vector<std::uint64_t>& written_before() const { return written_before_; }
  // The index of the thread with this number; nullopt: it is none of them.
  std::optional<std::uint32_t> find(std::uint16_t number) const {
    const std::int32_t index = indices_[number];
    return index < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(index));
  }

 private:
  std::vector<CapturedThread> threads_;
  std::vector<std::uint64_t> written_before_;
  std::vector<std::int32_t> indices_;  // by number; -1: none
};

}  // namespace hmsim
