// SPDX-License-Identifier: BSD-3-Clause
#include "traces/stretch_sums.h"

#include <algorithm>

namespace hmsim {

void StretchSums::add(std::uint64_t record, std::uint64_t word) {
  Vcpu& own = vcpus_[record_vcpu(word)];
  const std::optional<SkippedRecord> skipped = skipped_record(word);
  if (!skipped || own.records == kMost) {
    if (own.records >= kFewest) {
      own.open.last = record;
      own.parts.push_back(own.open);
    }
    own.open = Part();
    own.open.first = skipped ? record : record + 1;
    own.records = 0;
  }
  if (skipped) {
    own.open.instructions += skipped->instructions;
    own.open.loads += skipped->loads;
    ++own.records;
  }
}

StretchSums::Parts::const_iterator StretchSums::at_or_after(unsigned vcpu,
                                                            std::uint64_t record) const {
  const Parts& own = parts(vcpu);
  return std::lower_bound(own.begin(), own.end(), record,
                          [](const Part& part, std::uint64_t at) { return part.first < at; });
}

}  // namespace hmsim
