// SPDX-License-Identifier: BSD-3-Clause
// Any trace as a list of accesses, of what moves data: for summaries and conversions, which ask of
// every format the same.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "traces/address_levels.h"
#include "traces/column_map.h"
#include "traces/trace_reader.h"

namespace hmsim {

struct TraceRecord {
  std::uint64_t time = 0;  // in the format's own unit; 0 where it has none
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t device = 0;
  bool write = false;
};

class TraceRecords {
 public:
  virtual ~TraceRecords() = default;
  // Appends the accesses of the next record; false at the trace's end. Throws InputError.
  virtual bool next(std::vector<TraceRecord>& records) = 0;
  virtual std::uint64_t skipped() const { return 0; }  // records so far that move no data
  // Block requests so far of which the trace tells when they were done.
  virtual std::uint64_t completions() const { return 0; }
};

// What the user says of a trace that does not tell it itself.
struct TraceOptions {
  ColumnMap columns;
  AddressLevels levels;
};

// nullptr: no format of this name. The options are right for the format.
std::unique_ptr<TraceRecords> open_records(const std::string& format, TraceReader reader,
                                           const TraceOptions& options = {});

}  // namespace hmsim
