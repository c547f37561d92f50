// SPDX-License-Identifier: BSD-3-Clause
// Single-threaded job made from a trace of misses, for captures that do not record causes.
//
// NVDIMM lines either stay misses, which the thread itself copies, or become transfers. A transfer
// is a run of ascending NVDIMM lines in one direction; DRAM misses may lie between them. It takes
// the place of its first line. Its other lines are dropped with their instructions, which belong to
// the copy. DRAM misses between them are kept.
#pragma once

#include <memory>
#include <string>

#include "traces/job_program.h"
#include "traces/miss_tape.h"

namespace hmsim {

class CapturedJob final : public JobProgram {
 public:
  // Uses the misses after the first `skip` instructions. `file`: name for messages. `reads`,
  // `writes`: whether lines in that direction become transfers.
  CapturedJob(std::unique_ptr<MissSource> source, std::uint64_t skip, std::string file,
              const TransferLimits& limits, bool reads, bool writes);

  std::uint32_t threads() const override { return 1; }
  std::string name_of(std::uint32_t) const override { return "captured"; }
  std::uint32_t events() const override { return 0; }
  std::string event_name(std::uint32_t) const override { return ""; }
  bool has_nvdimm() const override { return tape_.has_nvdimm(); }
  JobPlace begin(std::uint32_t) const override { return {}; }
  JobRecord next(JobPlace& place) override;
  double fraction(const JobPlace& place) const override { return tape_.fraction(place.record); }
  std::string where(const JobPlace& place) const override {
    return file_ + ": miss " + std::to_string(place.record);
  }
  void check(const Archive& archive, const JobPlace& place) override;

 private:
  std::uint64_t take_lines(JobPlace& place, Miss first);

  std::string file_;
  MissTape tape_;
  TransferLimits limits_;
  bool reads_;
  bool writes_;
};

}  // namespace hmsim
