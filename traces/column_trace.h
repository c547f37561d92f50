// SPDX-License-Identifier: BSD-3-Clause
// Reader of block traces of columns: format csv, and the formats defined by a column map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "traces/column_map.h"
#include "traces/text_trace.h"
#include "traces/trace_formats.h"
#include "traces/trace_reader.h"
#include "traces/trace_start.h"

namespace hmsim {

// Expected shape of a line in a column format.
struct ColumnLine {
  const char* expected;  // for messages
  std::size_t least;     // columns
  std::size_t most;
};

std::unique_ptr<BlockSource> open_columns(TraceReader reader, const ColumnMap& map,
                                          const ColumnLine& line);

// Returns whether the first line, or the one after a header, may be a record: it has a valid number
// of columns, its operation is a word of the map, and its time, offset and size are numbers.
bool resembles_columns(const TraceStart& start, const ColumnMap& map, const ColumnLine& line);

// Descriptor of a block format whose columns are fixed. The template's arguments are its columns
// and its line.
template <ColumnMap (*kColumns)(), const ColumnLine& kLine>
constexpr FormatDescriptor column_format(const char* name, std::uint64_t clock_step_ns,
                                         bool has_completions = false) {
  return {name,
          kLine.expected,
          TimeUnit::nanoseconds,
          true,
          [](const TraceStart& start) { return resembles_columns(start, kColumns(), kLine); },
          [](TraceReader reader, const ColumnMap&) {
            return open_columns(std::move(reader), kColumns(), kLine);
          },
          clock_step_ns,
          has_completions};
}

}  // namespace hmsim
