// SPDX-License-Identifier: BSD-3-Clause
#include "traces/record_rules.h"

#include <string>

namespace hmsim {

void RecordRules::declare(ParameterSet& parameters) {
  parameters.choice<RecordRule>(
      "zero_length", zero_length, {{"skip", RecordRule::skip}, {"error", RecordRule::error}},
      {"requests of length 0 that are not flushes. skip: they are left out, and "
       "frontend.zero_length_requests counts them; error: one ends the run",
       "a modelling choice of hmsim"});
  declare_bad(parameters);
}

void RecordRules::declare_bad(ParameterSet& parameters) {
  parameters.choice<RecordRule>("on_bad_record", on_bad_record,
                                {{"error", RecordRule::error}, {"skip", RecordRule::skip}},
                                {"records that the reader refuses, except requests of length 0 of "
                                 "block traces. error: one ends the run; skip: they are left out, "
                                 "and frontend.bad_records counts them",
                                 "a modelling choice of hmsim"});
}

void RecordRules::pass(const RecordError& error, RecordRule rule, const char* setting,
                       Counter& count) {
  if (rule == RecordRule::error) {
    throw InputError(std::string(error.what()) + "; " + setting + " leaves such records out");
  }
  ++count;
}

}  // namespace hmsim
