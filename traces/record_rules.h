// SPDX-License-Identifier: BSD-3-Clause
// Rules for records that a reader refuses in the middle of a trace.
#pragma once

#include "core/parameters.h"
#include "core/statistics.h"
#include "traces/trace_reader.h"

namespace hmsim {

enum class RecordRule { skip, error };

// Counts of records that were left out.
struct LeftOutRecords {
  Counter zero_length = 0;
  Counter bad = 0;
};

struct RecordRules {
  RecordRule zero_length = RecordRule::skip;
  RecordRule on_bad_record = RecordRule::error;

  void declare(ParameterSet& parameters);
  // Declares only on_bad_record, for traces of requests of one line.
  void declare_bad(ParameterSet& parameters);

  // Reads the next record that the rules do not leave out, as source.next() does. Costs nothing
  // for valid records.
  template <class Source, class Record>
  bool next(Source& source, Record& record, LeftOutRecords& left_out) const {
    while (true) {
      try {
        return source.next(record);
      } catch (const EmptyRequestError& error) {
        pass(error, zero_length, "zero_length: skip", left_out.zero_length);
      } catch (const RecordError& error) {
        pass(error, on_bad_record, "on_bad_record: skip", left_out.bad);
      }
    }
  }

 private:
  // Counts a record that the rule leaves out. Otherwise throws the error, with the setting that
  // would leave the record out.
  static void pass(const RecordError& error, RecordRule rule, const char* setting, Counter& count);
};

}  // namespace hmsim
