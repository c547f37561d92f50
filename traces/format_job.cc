// SPDX-License-Identifier: BSD-3-Clause
// hmsim's own text format for programs of threads that compute, transfer, sleep and wake each other
// (docs/jobs.md). One line is one step. Numbers are decimal, or hexadecimal after 0x:
//
//   thread NAME [COUNT]   the following steps belong to this thread, or to COUNT identical ones
//   compute N             N instructions
//   load ADDRESS          a DRAM load that misses all caches; store ADDRESS: a write-back
//   read PAGE [PAGES]     copies 4 KB pages of the NVDIMM to memory; write: the other way
//   read_ahead PAGE [PAGES]   as read, without waiting; use PAGE: waits until the page is there
//   sync                  waits until all data that the job wrote is durable
//   wait EVENT            waits for one wake EVENT; wakes are counted, so none is lost
//   send TASK EVENT SIZE  wakes EVENT in another task of the job by a message of SIZE, e.g. 64KiB
//   sleep TIME            e.g. 12us
//   task NUMBER           the following threads belong to this task only; task all: to every task
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/units.h"
#include "traces/job_program.h"
#include "traces/text_trace.h"

namespace hmsim {

namespace {

constexpr const char* kLine = "<step> [<argument>]...";
constexpr std::size_t kMostSteps = std::size_t{1} << 22;
constexpr std::uint64_t kMostThreads = 16'384;
constexpr std::uint64_t kMostPages = kMostTransferLines / kLinesPerPage;  // per step
constexpr std::uint64_t kMostPage = std::uint64_t{1} << 40;
constexpr std::size_t kMostEvents = 65'536;
constexpr std::uint64_t kMostTasks = 16'384;

struct Step {
  JobAction action = JobAction::end;
  bool store = false;
  std::uint32_t line = 0;   // line number in the file
  std::int64_t gap = 0;     // instructions before the step
  std::uint64_t value = 0;  // address, first page, event or picoseconds
  std::uint32_t pages = 0;
  std::uint32_t task = 0;   // destination of a message
  std::uint64_t bytes = 0;  // size of a message
};

struct Thread {
  std::string name;
  std::size_t first = 0;  // index of its first step
  std::size_t end = 0;
  std::int64_t rest = 0;              // instructions after the last step
  std::optional<std::uint32_t> task;  // the only task that runs it; nullopt: all
};

// A task number in the text, and its line.
struct NamedTask {
  std::uint32_t task = 0;
  std::uint64_t line = 0;
};

struct Word {
  const char* name;
  JobAction action;
  std::size_t least;  // fields in its line
  std::size_t most;
  const char* takes;
  bool store = false;
};
constexpr std::array<Word, 11> kWords{
    {{"load", JobAction::miss, 2, 2, "an address"},
     {"read", JobAction::read, 2, 3, "a page, and a number of pages"},
     {"read_ahead", JobAction::read_ahead, 2, 3, "a page, and a number of pages"},
     {"send", JobAction::send, 4, 4, "a task, an event and a size"},
     {"sleep", JobAction::sleep, 2, 2, "a time"},
     {"store", JobAction::miss, 2, 2, "an address", true},
     {"sync", JobAction::sync, 1, 1, "nothing"},
     {"use", JobAction::use, 2, 2, "a page"},
     {"wait", JobAction::wait, 2, 2, "an event"},
     {"wake", JobAction::wake, 2, 2, "an event"},
     {"write", JobAction::write, 2, 3, "a page, and a number of pages"}}};

class JobText final : public JobProgram {
 public:
  explicit JobText(TraceReader reader) : file_(reader.file()) {
    TextTrace text(std::move(reader), kLine, 1, 4);
    while (text.next()) {
      read_line(text);
      text.accept();
    }
    end_thread();
    if (threads_.empty()) {
      throw InputError(file_ + ": expected 'thread NAME' and its steps");
    }
  }

  std::uint32_t threads() const override { return static_cast<std::uint32_t>(instances_.size()); }
  std::string name_of(std::uint32_t thread) const override { return of(thread).name; }
  std::uint32_t events() const override { return static_cast<std::uint32_t>(events_.size()); }
  std::string event_name(std::uint32_t event) const override { return events_[event]; }
  bool has_nvdimm() const override { return has_nvdimm_; }
  bool runs_in(std::uint32_t thread, std::uint32_t task) const override {
    return of(thread).task.value_or(task) == task;
  }

  void require_task_count(std::uint64_t tasks) const override {
    if (last_task_.task >= tasks) {
      throw InputError(file_ + ":" + std::to_string(last_task_.line) + ": task " +
                       std::to_string(last_task_.task) + " does not exist: the job has " +
                       std::to_string(tasks) + " tasks, up to " + std::to_string(tasks - 1));
    }
  }
  JobPlace begin(std::uint32_t thread) const override { return {thread}; }

  JobRecord next(JobPlace& place) override {
    const Thread& thread = of(place.thread);
    JobRecord record;
    if (thread.first + place.record == thread.end) {
      record.gap = thread.rest;
      return record;
    }
    const Step& step = steps_[thread.first + place.record++];
    record.action = step.action;
    record.gap = step.gap;
    if (step.action == JobAction::miss) {
      record.gap += step.store ? 0 : 1;
      record.miss.load = !step.store;
      record.miss.write = step.store;
      (step.store ? record.miss.write_address : record.miss.load_address) = step.value;
    } else if (step.pages > 0) {
      record.first_line = step.value * kLinesPerPage;
      record.lines = std::uint64_t{step.pages} * kLinesPerPage;
    } else if (step.action == JobAction::use) {
      record.first_line = step.value * kLinesPerPage;
    } else if (step.action == JobAction::sleep) {
      record.time = Tick(static_cast<std::int64_t>(step.value));
    } else if (step.action != JobAction::sync) {
      record.event = static_cast<std::uint32_t>(step.value);
      record.task = step.task;
      record.bytes = step.bytes;
    }
    return record;
  }
  double fraction(const JobPlace& place) const override {
    const Thread& thread = of(place.thread);
    const auto steps = static_cast<double>(thread.end - thread.first + 1);
    return static_cast<double>(place.record) / steps;
  }
  std::string where(const JobPlace& place) const override {
    const Thread& thread = of(place.thread);
    const std::size_t before = thread.first + place.record;
    return file_ + ":" + std::to_string(before == 0 ? 0 : steps_[before - 1].line);
  }
  void check(const Archive& archive, const JobPlace& place) override {
    archive.check(place.record <= of(place.thread).end - of(place.thread).first,
                  "invalid place of a thread in its program");
  }

 private:
  const Thread& of(std::uint32_t thread) const { return threads_[instances_[thread]]; }

  void read_line(const TextTrace& text) {
    const std::string_view step = text.field(0);
    if (step == "task") {
      begin_task(text);
      return;
    }
    if (step == "thread") {
      begin_thread(text);
      return;
    }
    if (between_threads_) {
      text.fail("expected 'thread NAME' before its first step");
    }
    if (step == "compute") {
      const std::uint64_t count = text.fields() == 2 ? text.number(1, "the instructions") : kMaxGap;
      if (count >= kMaxGap - static_cast<std::uint64_t>(gap_)) {
        text.fail("expected 'compute N', with fewer than 2^48 instructions between two steps");
      }
      gap_ += static_cast<std::int64_t>(count);
      return;
    }
    for (const Word& word : kWords) {
      if (step == word.name) {
        add(text, word);
        return;
      }
    }
    unknown(text);
  }

  // Ends the present thread. Further steps are errors until the next thread begins.
  void begin_task(const TextTrace& text) {
    if (text.fields() != 2) {
      text.fail("expected 'task NUMBER', or 'task all'");
    }
    end_thread();
    between_threads_ = true;
    threads_task_ = text.field(1) == "all" ? std::nullopt : std::optional(task(text));
  }

  void begin_thread(const TextTrace& text) {
    end_thread();
    between_threads_ = false;
    const std::uint64_t count = text.fields() == 3 ? text.number(2, "the number of threads") : 1;
    if (text.fields() < 2 || text.fields() > 3 || count < 1 ||
        count > kMostThreads - instances_.size()) {
      text.fail("expected 'thread NAME [COUNT]', and at most " + std::to_string(kMostThreads) +
                " threads in total");
    }
    Thread thread;
    thread.name = shown(text.field(1));
    thread.first = steps_.size();
    thread.task = threads_task_;
    instances_.insert(instances_.end(), count, static_cast<std::uint32_t>(threads_.size()));
    threads_.push_back(thread);
  }

  void end_thread() {
    if (!between_threads_) {
      threads_.back().end = steps_.size();
      threads_.back().rest = gap_;
    }
    gap_ = 0;
  }

  void add(const TextTrace& text, const Word& word) {
    if (steps_.size() == kMostSteps) {
      text.fail("more than 2^22 steps; use a trace of misses");
    }
    if (text.fields() < word.least || text.fields() > word.most) {
      text.fail("'" + std::string(word.name) + "' takes " + word.takes);
    }
    Step step;
    step.action = word.action;
    step.store = word.store;
    step.line = static_cast<std::uint32_t>(text.line());
    step.gap = gap_;
    gap_ = 0;
    complete(text, step);
    has_nvdimm_ = has_nvdimm_ || step.pages > 0 || step.action == JobAction::sync;
    steps_.push_back(step);
  }

  void complete(const TextTrace& text, Step& step) {
    if (step.action == JobAction::read || step.action == JobAction::read_ahead ||
        step.action == JobAction::write) {
      const std::uint64_t count = text.fields() == 3 ? text.number(2, "the number of pages") : 1;
      step.value = text.number(1, "the page");
      if (count < 1 || count > kMostPages || step.value >= kMostPage) {
        text.fail("expected a page below 2^40, and 1 to 65536 pages");
      }
      step.pages = static_cast<std::uint32_t>(count);
    } else if (step.action == JobAction::sleep) {
      const Parsed<Tick> time = parse_time(text.field(1));
      if (!time.value || *time.value > kLongestSleep) {
        text.fail("'" + shown(text.field(1)) + "' is not a time up to 3600s, for example 12us");
      }
      step.value = static_cast<std::uint64_t>(time.value->value());
    } else if (step.action == JobAction::miss) {
      step.value = text.number(1, "the address");
    } else if (step.action == JobAction::use) {
      step.value = text.number(1, "the page");
      if (step.value >= kMostPage) {
        text.fail("expected a page below 2^40");
      }
    } else if (step.action == JobAction::send) {
      const Parsed<Bytes> size = parse_size(text.field(3));
      step.bytes = size.value ? static_cast<std::uint64_t>(size.value->value()) : 0;
      if (step.bytes < 1 || step.bytes > kMostMessageBytes) {
        text.fail("'" + shown(text.field(3)) +
                  "' is not a size from 1B to 1TiB, for example 64KiB");
      }
      step.task = task(text);
      step.value = event(text, 2);
    } else if (step.action != JobAction::sync) {
      step.value = event(text, 1);
    }
  }

  std::uint64_t event(const TextTrace& text, std::size_t field) {
    const std::string name = shown(text.field(field));
    const auto [found, added] = event_numbers_.try_emplace(name, events_.size());
    if (added) {
      if (events_.size() == kMostEvents) {
        text.fail("more than 65536 events");
      }
      events_.push_back(name);
    }
    return found->second;
  }

  std::uint32_t task(const TextTrace& text) {
    const std::uint64_t number = text.number(1, "the task");
    if (number >= kMostTasks) {
      text.fail("task " + std::to_string(number) + " is beyond the limit of 16383");
    }
    if (last_task_.line == 0 || number > last_task_.task) {
      last_task_ = {static_cast<std::uint32_t>(number), static_cast<std::uint64_t>(text.line())};
    }
    return static_cast<std::uint32_t>(number);
  }

  [[noreturn]] static void unknown(const TextTrace& text) {
    std::vector<std::string> names{"task", "thread", "compute"};
    for (const Word& word : kWords) {
      names.emplace_back(word.name);
    }
    text.fail("the step '" + shown(text.field(0)) + "' is unknown" +
              did_you_mean(text.field(0), names));
  }

  std::string file_;
  std::vector<Step> steps_;
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> instances_;  // by thread number: index in threads_
  std::vector<std::string> events_;
  std::map<std::string, std::uint64_t> event_numbers_;
  bool has_nvdimm_ = false;
  NamedTask last_task_;                        // the task with the highest number
  std::optional<std::uint32_t> threads_task_;  // of the following threads
  bool between_threads_ = true;
  std::int64_t gap_ = 0;  // while parsing: instructions since the previous step
};

}  // namespace

extern const FormatDescriptor kFormat_job{
    "job",
    "threads, one step per line: compute, load, read, write, sync, wait, wake, send, sleep",
    TimeUnit::instructions,
    false,
    [](const TraceStart& start) {
      return start.begins_with("thread ") || start.begins_with("task ");
    },
    open_with<JobProgram, JobText>};

}  // namespace hmsim
