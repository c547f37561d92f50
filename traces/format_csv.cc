// SPDX-License-Identifier: BSD-3-Clause
// Block traces with user-defined columns. The user's column map gives the position and unit of each
// field.
#include <utility>

#include "traces/column_trace.h"

namespace hmsim {

extern const FormatDescriptor kFormat_csv{
    "csv",
    "<columns, as columns.time, op, offset, size and others say>",
    TimeUnit::nanoseconds,
    true,
    [](const TraceStart&) { return false; },
    [](TraceReader reader, const ColumnMap& columns) {
      constexpr ColumnLine kLine{"<columns, as 'columns' says>", 1, TextTrace::kMaxFields};
      return open_columns(std::move(reader), columns, kLine);
    },
    1,
    true,
    true};

}  // namespace hmsim
