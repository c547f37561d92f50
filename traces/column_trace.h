// SPDX-License-Identifier: BSD-3-Clause
// Block traces of columns: the reader of format csv, and of the formats that are a map of columns.
#pragma once

#include <cstddef>
#include <memory>

#include "traces/column_map.h"
#include "traces/text_trace.h"
#include "traces/trace_formats.h"
#include "traces/trace_reader.h"
#include "traces/trace_start.h"

namespace hmsim {

// What a line of a format of columns looks like.
struct ColumnLine {
  const char* expected;  // for messages
  std::size_t least;     // columns
  std::size_t most;
};

std::unique_ptr<BlockSource> open_columns(TraceReader reader, const ColumnMap& map,
                                          const ColumnLine& line);

// Whether the first line may be a record: its columns are so many, its operation is a word of the
// map, and its time, offset and size are numbers.
bool resembles_columns(const TraceStart& start, const ColumnMap& map, const ColumnLine& line);

}  // namespace hmsim
