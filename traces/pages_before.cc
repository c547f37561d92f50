// SPDX-License-Identifier: BSD-3-Clause
#include "traces/pages_before.h"

#include <cstddef>
#include <optional>

#include "traces/cause_index.h"
#include "traces/cause_records.h"
#include "traces/last_writes.h"

namespace hmsim {

namespace {

constexpr std::size_t kMostPages = std::size_t{1} << 22;

// The pages that records write, and whether a thread has run.
struct Written {
  LastWrites pages{kMostPages};
  bool begun = false;

  void take(std::uint64_t word) {
    if (const std::optional<std::uint64_t> page = page_written(word)) {
      pages.write(*page);
    } else if (record_kind(word) == RecordKind::escape) {
      take_escape(word);
    }
  }

  void take_escape(std::uint64_t word) {
    const auto code = static_cast<EscapeCode>(record_high(word));
    begun = begun || code == EscapeCode::run;
    if (code == EscapeCode::written) {
      const CauseRecord cause(word);
      for (std::uint64_t page = cause.first_page(); page <= cause.last_page(); ++page) {
        pages.write(page);
      }
    }
  }
};

}  // namespace

std::vector<std::uint64_t> pages_written_before(RecordTape& tape, std::uint64_t skip) {
  Written written;
  const StretchStart start = stretch_start(tape.blocks(), skip);
  for (const std::uint64_t word : start.indexed) {
    written.take(word);
  }
  std::uint64_t passed = start.passed;
  std::uint64_t record = start.record;
  for (; record < tape.size() && passed < skip; ++record) {
    const std::uint64_t word = tape.at(record);
    passed += record_instructions(word);
    written.take(word);
  }
  // Records of pages written before the trace precede all threads, also within a stretch.
  for (; record < tape.size() && !written.begun; ++record) {
    const std::uint64_t word = tape.at(record);
    if (record_kind(word) == RecordKind::escape) {
      written.take_escape(word);
    }
  }
  return written.pages.newest_first();
}

}  // namespace hmsim
