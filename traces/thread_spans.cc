// SPDX-License-Identifier: BSD-3-Clause
#include "traces/thread_spans.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/errors.h"
#include "traces/cause_index.h"
#include "traces/cause_records.h"

namespace hmsim {

namespace {

constexpr std::size_t kNumbers = std::size_t{1} << 16;
constexpr unsigned kNameRecords = 5;  // records per name

enum class Whereabouts : std::uint8_t { unknown, away, running };

struct Tracked {
  CapturedThread thread;
  Whereabouts where = Whereabouts::unknown;
  bool waits = false;     // while away: until it is woken
  bool has_bio = false;   // its last bio has not ended
  unsigned names = 0;     // records of its name so far
  std::uint8_t vcpu = 0;  // while running: the vCPU
};

// Reads the records in order and finds spans.
class SpanFinder {
 public:
  SpanFinder(RecordTape& tape, const std::string& file) : tape_(tape), file_(file) {}

  void read(std::uint64_t skip, std::uint64_t length) {
    const StretchStart start = stretch_start(tape_.blocks(), skip);
    std::uint64_t passed = start.passed;
    record_ = start.record - 1;
    from_index_ = true;
    for (const std::uint64_t word : start.indexed) {
      take(word);
    }
    from_index_ = false;
    ++record_;
    const std::uint64_t end = length == 0 ? UINT64_MAX : skip + length;
    within_ = skip == 0;
    for (; record_ < tape_.size() && passed < end; ++record_) {
      const std::uint64_t word = tape_.at(record_);
      passed += record_instructions(word);
      take(word);
      if (!within_ && passed >= skip) {
        begin_stretch();
      }
    }
    for (std::unique_ptr<Tracked>& each : tracked_) {
      if (each != nullptr) {
        close(*each);
      }
    }
  }

  std::vector<CapturedThread> threads() {
    std::vector<CapturedThread> found;
    for (std::unique_ptr<Tracked>& each : tracked_) {
      if (each != nullptr && has_records(each->thread)) {
        found.push_back(std::move(each->thread));
      }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
      return a.spans.front().first < b.spans.front().first;
    });
    return found;
  }

 private:
  static bool has_records(const CapturedThread& thread) {
    return std::any_of(thread.spans.begin(), thread.spans.end(),
                       [](const ThreadSpan& span) { return span.last > span.first; });
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(file_ + (from_index_ ? ": up to record " : ": record ") +
                     std::to_string(record_ + 1) + ": " + message);
  }

  Tracked& tracked(std::uint16_t number) {
    std::unique_ptr<Tracked>& found = tracked_[number];
    if (found == nullptr) {
      found = std::make_unique<Tracked>();
      found->thread.number = number;
    }
    return *found;
  }

  void begin_stretch() {
    within_ = true;
    for (unsigned vcpu = 0; vcpu < kRecordVcpus; ++vcpu) {
      if (current_[vcpu] != 0) {
        open(tracked(current_[vcpu]), vcpu);
      }
    }
  }

  void count_one() {
    if (++count_ > ThreadSpans::kMost) {
      fail("more than 2^22 switches of threads and begins of requests");
    }
  }

  // Opens a span of the thread after the present record.
  void open(Tracked& each, unsigned vcpu) {
    each.where = Whereabouts::running;
    each.vcpu = static_cast<std::uint8_t>(vcpu);
    if (within_) {
      count_one();
      each.thread.spans.push_back({record_ + 1, record_ + 1, 0, each.vcpu, SpanEnd::goes_on});
    }
  }

  // Closes the thread's open span, if any, before the present record.
  void close(Tracked& each) {
    if (each.where == Whereabouts::running && !each.thread.spans.empty()) {
      ThreadSpan& span = each.thread.spans.back();
      span.last = std::max(span.first, record_);
    }
  }

  void take(std::uint64_t word) {
    if (record_kind(word) == RecordKind::escape) {
      take_escape(word);
    }
  }

  void take_escape(std::uint64_t word) {
    const CauseRecord cause(word);
    const unsigned vcpu = record_vcpu(word);
    switch (static_cast<EscapeCode>(record_high(word))) {
      case EscapeCode::run:
        run(vcpu, cause);
        return;
      case EscapeCode::wake:
        if (cause.thread() != current_[vcpu]) {
          wake(tracked(cause.thread()), current_[vcpu] == 0);
        }
        return;
      case EscapeCode::alarm:
        sleep(tracked(cause.thread()), static_cast<std::uint32_t>(cause.waited_us()));
        return;
      case EscapeCode::bio:
        begin_bio(vcpu, cause);
        return;
      case EscapeCode::bio_end:
        end_bio(vcpu);
        return;
      case EscapeCode::thread:
        tracked(cause.thread()).names = 0;
        return;
      case EscapeCode::name:
        add_name(tracked(cause.thread()), cause);
        return;
      case EscapeCode::written:
        if (begun_) {
          fail("pages written before the trace must be recorded before any thread runs");
        }
        return;
      default:
        return;
    }
  }

  void run(unsigned vcpu, const CauseRecord& cause) {
    begun_ = true;
    if (current_[vcpu] != 0) {
      Tracked& left = tracked(current_[vcpu]);
      close(left);
      left.where = Whereabouts::away;
      left.waits = cause.leave() != Leave::goes_on;
    }
    current_[vcpu] = cause.thread();
    if (cause.thread() == 0) {
      return;
    }
    Tracked& next = tracked(cause.thread());
    if (next.where == Whereabouts::running) {
      fail("thread " + std::to_string(next.thread.number) + " runs on vCPU " +
           std::to_string(next.vcpu) + " already");
    }
    next.waits = false;
    open(next, vcpu);
  }

  void wake(Tracked& each, bool by_idle_loop) {
    if (by_idle_loop) {
      sleep(each, 0);
      return;
    }
    if (!within_) {
      each.waits = false;
      return;
    }
    std::vector<ThreadSpan>& spans = each.thread.spans;
    if (each.where == Whereabouts::running) {
      close(each);
      spans.back().end = SpanEnd::waits;
      open(each, each.vcpu);
      return;
    }
    if (spans.empty() || spans.back().end != SpanEnd::goes_on) {
      count_one();
      spans.push_back({record_, record_, 0, 0, SpanEnd::goes_on});
    }
    spans.back().end = SpanEnd::waits;
    each.waits = false;
  }

  void sleep(Tracked& each, std::uint32_t us) {
    if (each.where == Whereabouts::away && each.waits && within_ && !each.thread.spans.empty()) {
      ThreadSpan& span = each.thread.spans.back();
      span.end = SpanEnd::sleeps;
      span.sleep_us = us;
    }
    each.waits = false;
  }

  void begin_bio(unsigned vcpu, const CauseRecord& cause) {
    if (current_[vcpu] == 0 || !within_) {
      return;
    }
    count_one();
    Tracked& each = tracked(current_[vcpu]);
    end_bio(vcpu);
    const auto pages = static_cast<std::uint32_t>(cause.bio_pages());
    each.thread.bios.push_back({record_, UINT64_MAX, pages, cause.reads_ahead()});
    each.has_bio = true;
  }

  void end_bio(unsigned vcpu) {
    if (current_[vcpu] != 0) {
      Tracked& each = tracked(current_[vcpu]);
      if (each.has_bio) {
        each.thread.bios.back().end = record_;
      }
      each.has_bio = false;
    }
  }

  // Adds a record of a name. After a complete name, starts a new one.
  static void add_name(Tracked& each, const CauseRecord& cause) {
    std::string& name = each.thread.name;
    if (each.names++ % kNameRecords == 0) {
      name.clear();
    }
    for (unsigned i = 0; i < 3; ++i) {
      const char letter = cause.letter(i);
      if (letter != '\0') {
        name += letter >= ' ' && letter <= '~' ? letter : '?';
      }
    }
  }

  RecordTape& tape_;
  const std::string& file_;
  std::vector<std::unique_ptr<Tracked>> tracked_ =
      std::vector<std::unique_ptr<Tracked>>(kNumbers);  // by number
  std::array<std::uint16_t, kRecordVcpus> current_{};   // by vCPU; 0: the idle loop
  std::uint64_t record_ = 0;
  std::size_t count_ = 0;    // spans and bios
  bool begun_ = false;       // a thread has run
  bool within_ = false;      // inside the stretch
  bool from_index_ = false;  // the present record comes from the index and has no known number
};

}  // namespace

ThreadSpans::ThreadSpans(RecordTape& tape, std::uint64_t skip, std::uint64_t length,
                         const std::string& file)
    : indices_(kNumbers, -1) {
  SpanFinder finder(tape, file);
  finder.read(skip, length);
  threads_ = finder.threads();
  if (threads_.empty()) {
    throw InputError(file + ": no thread runs within " +
                     (skip == 0 && length == 0 ? "the trace" : "the selected part"));
  }
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    indices_[threads_[i].number] = static_cast<std::int32_t>(i);
  }
}

}  // namespace hmsim
