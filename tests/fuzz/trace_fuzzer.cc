// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer's target for the trace readers, one program per format (HMSIM_FUZZED). For any bytes, a
// reader gives records or an InputError. The result must be the same for pieces of any size, after
// a rewind and after a checkpoint. Threads captured with their causes must never deadlock.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "traces/causal_job.h"
#include "traces/job_program.h"
#include "traces/trace_formats.h"
#include "traces/trace_records.h"
#include "traces/trace_summary.h"

#ifndef HMSIM_FUZZED
#define HMSIM_FUZZED "hmsim"  // defined by the build; linters read this file without it
#endif

namespace hmsim {
namespace {

constexpr std::size_t kMost = 20'000;  // limit of records read

TraceReader reader_of(const std::string& text, std::size_t piece) {
  const TraceSource source = [&text, piece](std::size_t, std::uint64_t offset) {
    return offset < text.size() ? text.substr(offset, piece) : std::string();
  };
  return {source, 0, "fuzz", text.size()};
}

template <class Record>
std::string bytes_of(Record record) {
  Archive archive;
  archive(record);
  return archive.bytes();
}

// Reads up to kMost records, each as the bytes of a checkpoint. An error is the last entry.
template <class Record, class Source>
std::vector<std::string> read(Source& source) {
  std::vector<std::string> records;
  Record record;
  try {
    while (records.size() < kMost && source.next(record)) {
      records.push_back(bytes_of(record));
    }
  } catch (const InputError& error) {
    records.emplace_back(error.what());
  }
  return records;
}

void same(bool condition) {
  if (!condition) {
    std::abort();
  }
}

template <class Record, class Open>
void check(const std::string& text, std::size_t piece, Open open) {
  using Source = typename decltype(open(reader_of(text, 1)))::element_type;
  std::unique_ptr<Source> source;
  try {
    source = open(reader_of(text, text.size() + 1));
  } catch (const InputError&) {
    return;
  }
  const std::vector<std::string> wanted = read<Record>(*source);
  same(read<Record>(*open(reader_of(text, piece))) == wanted);
  source->rewind();
  same(read<Record>(*source) == wanted);

  source->rewind();
  const std::size_t before = wanted.size() / 2;
  Record record;
  for (std::size_t i = 0; i < before; ++i) {
    source->next(record);
  }
  Archive saved;
  source->serialize(saved);
  const std::unique_ptr<Source> copy = open(reader_of(text, piece));
  Archive loaded(saved.bytes());
  copy->serialize(loaded);
  const std::vector<std::string> left = read<Record>(*copy);
  for (std::size_t i = 0; i < left.size() && before + i < wanted.size(); ++i) {
    same(left[i] == wanted[before + i]);
  }
  same(left.size() >= wanted.size() - before);
}

void seek(const std::string& text, const FormatDescriptor& format, std::uint64_t place) {
  try {
    const auto source = format.misses(reader_of(text, 1 << 20), std::nullopt);
    Miss miss;
    if (source->seek(place, miss)) {
      read<Miss>(*source);
    }
  } catch (const InputError&) {
  }
}

void run_program(const std::string& text, const FormatDescriptor& format, std::size_t piece) {
  try {
    const auto program = std::get<OpenJobs>(format.open)(reader_of(text, piece));
    for (std::uint32_t thread = 0; thread < program->threads(); ++thread) {
      JobPlace place = program->begin(thread);
      std::size_t steps = 0;
      while (program->next(place).action != JobAction::end && ++steps < kMost) {
      }
    }
  } catch (const InputError&) {
  }
}

// Runs the threads, the last one first, while any can continue. Returns true if all of them end.
bool replay(JobProgram& program) {
  const std::uint32_t threads = program.threads();
  std::vector<JobPlace> places;
  std::vector<std::uint64_t> wakes(program.events(), 0);
  std::vector<JobRecord> steps(threads);
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    places.push_back(program.begin(thread));
    steps[thread].action = JobAction::wake;
  }
  bool any = true;
  std::size_t ended = 0;
  while (any) {
    any = false;
    for (std::uint32_t thread = threads; thread-- > 0;) {
      JobRecord& step = steps[thread];
      while (step.action != JobAction::end) {
        if (step.action == JobAction::wait) {
          if (wakes[step.event] == 0) {
            break;
          }
          --wakes[step.event];
        }
        step = program.next(places[thread]);
        wakes[step.event] += step.action == JobAction::wake ? 1 : 0;
        ended += step.action == JobAction::end ? 1 : 0;
        any = true;
      }
    }
  }
  return ended == threads;
}

void run_causes(const std::string& text, const FormatDescriptor& format, std::size_t piece) {
  for (const bool transfers : {false, true}) {
    try {
      auto source = format.misses(reader_of(text, piece), std::nullopt);
      if (source->causes() != nullptr) {
        const std::uint64_t skip = piece % 3 == 0 ? piece : 0;
        CausalJob program(std::move(source), skip, piece % 5 * 100, transfers, "fuzz");
        same(replay(program));
      }
    } catch (const InputError&) {
    }
  }
}

// Sets the options that a format requires from its user. Columns of csv are named or numbered.
TraceOptions options_of(const FormatDescriptor& format, std::size_t piece) {
  TraceOptions options;
  if (format.takes_columns) {
    ColumnMap& map = options.columns;
    const bool named = piece % 2 == 0;
    map.time = named ? "at" : "0";
    map.op = named ? "what" : "1";
    map.offset = named ? "where" : "2";
    map.size = named ? "long" : "3";
    map.device = named ? "disk" : "";
    map.response = named ? "took" : "5";
    map.time_unit = Tick(1'000'000'000);
    map.offset_unit = map.size_unit = Bytes(kSectorBytes);
    map.header = 1;
    map.separator = static_cast<ColumnSeparator>(piece / 2 % 4);
  }
  if (piece % 3 == 0) {
    options.rules.on_bad_record = RecordRule::skip;
  }
  if (format.takes_levels) {
    options.levels = {1, 2, 4, 4, 32'768, 128};
  }
  return options;
}

void summarise(const std::string& text, const FormatDescriptor& format, std::size_t piece) {
  try {
    const auto records =
        open_records(format.name, reader_of(text, 1 << 20), options_of(format, piece));
    TraceSummary summary(std::uint64_t{1} << 45, TraceSummary::Times::from_first);
    std::vector<TraceRecord> batch;
    for (std::size_t i = 0; i < kMost && records->next(batch); ++i) {
      for (const TraceRecord& record : batch) {
        summary.add(record);
      }
      batch.clear();
    }
  } catch (const InputError&) {
  }
}

void run(const FormatDescriptor& format, const std::string& text, std::size_t piece) {
  switch (format.kind()) {
    case TraceKind::misses:
      check<Miss>(text, piece, [&](TraceReader reader) {
        return format.misses(std::move(reader), std::nullopt);
      });
      seek(text, format, piece * 5);
      run_causes(text, format, piece);
      break;
    case TraceKind::accesses:
      check<Access>(text, piece, [&](TraceReader reader) {
        return format.accesses(std::move(reader), options_of(format, piece).levels);
      });
      break;
    case TraceKind::blocks:
      check<BlockRequest>(text, piece, [&](TraceReader reader) {
        return format.blocks(std::move(reader), options_of(format, piece).columns);
      });
      break;
    case TraceKind::instructions:
      check<Instruction>(text, piece, std::get<OpenInstructions>(format.open));
      break;
    case TraceKind::jobs:
      run_program(text, format, piece);
      break;
  }
  summarise(text, format, piece);
  const TraceStart start(text);
  for (const FormatDescriptor* each : kFormatTable) {
    each->looks_like(start);
  }
}

}  // namespace
}  // namespace hmsim

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::size_t piece = size == 0 ? 1 : data[size - 1] + std::size_t{1};
  hmsim::run(*hmsim::find_format(HMSIM_FUZZED),
             std::string(reinterpret_cast<const char*>(data), size), piece);
  return 0;
}
