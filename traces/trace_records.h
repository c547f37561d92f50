// SPDX-License-Identifier: BSD-3-Clause
// Any trace as a list of data-moving accesses, for summaries and conversions that treat all formats
// alike.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "traces/record_rules.h"
#include "traces/trace_formats.h"

namespace hmsim {

// One access that moves data.
struct TraceRecord {
  std::uint64_t time = 0;  // in the format's own unit; 0 if it has none
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t device = 0;
  bool write = false;
};

// Reader of the accesses of any trace.
class TraceRecords {
 public:
  virtual ~TraceRecords() = default;
  // Appends the accesses of the next record. Returns false at the end of the trace. Throws
  // InputError.
  virtual bool next(std::vector<TraceRecord>& records) = 0;
  virtual std::uint64_t skipped() const { return 0; }  // records so far that move no data
  // Returns the number of block requests so far with a known completion time.
  virtual std::uint64_t completions() const { return 0; }
  virtual LeftOutRecords left_out() const { return {}; }  // records so far left out by rules
  // Returns a remark on the meaning of the records so far; "" for none.
  virtual std::string note() const { return ""; }
};

// The user's description of a trace that does not describe itself.
struct TraceOptions {
  ColumnMap columns;
  AddressLevels levels;
  RecordRules rules;  // of block traces, and of traces of memory requests
};

// Returns nullptr if no format has this name. The options must suit the format.
std::unique_ptr<TraceRecords> open_records(const std::string& format, TraceReader reader,
                                           const TraceOptions& options = {});

}  // namespace hmsim
