// SPDX-License-Identifier: BSD-3-Clause
// Job made from a trace that records causes: the threads of a captured machine. Each thread runs
// its own records, waits where it waited, and wakes the threads that it woke.
//
// NVDIMM lines either stay misses, which the thread itself copies, or become transfers: one per
// request to the block device, at the place of its first line. The request's other lines in that
// direction are dropped with their instructions, which belong to the copy. DRAM misses between them
// are kept. Lines that no block request moves, those of directly mapped memory, stay misses.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "traces/job_program.h"
#include "traces/pages_before.h"
#include "traces/record_tape.h"
#include "traces/thread_spans.h"
#include "traces/trace_formats.h"

namespace hmsim {

class CausalJob final : public JobProgram {
 public:
  // Uses `length` instructions, summed over all vCPUs, after the first `skip`; 0 means all.
  // `source` must record causes. `transfers` selects whether block requests become transfers.
  CausalJob(std::unique_ptr<MissSource> source, std::uint64_t skip, std::uint64_t length,
            bool transfers, std::string file);

  std::uint32_t threads() const override {
    return static_cast<std::uint32_t>(spans_.threads().size());
  }
  std::string name_of(std::uint32_t thread) const override;
  // Returns the number of events, one per thread: event k wakes thread k.
  std::uint32_t events() const override { return threads(); }
  std::string event_name(std::uint32_t event) const override { return "wake " + name_of(event); }
  bool has_nvdimm() const override { return true; }
  bool is_whole_machine() const override { return true; }
  std::vector<std::uint64_t> written_before() override {
    return pages_written_before(tape_, skip_);
  }
  JobPlace begin(std::uint32_t thread) const override;
  JobRecord next(JobPlace& place) override;
  double fraction(const JobPlace& place) const override;
  std::string where(const JobPlace& place) const override;
  void check(const Archive& archive, const JobPlace& place) override;

 private:
  const std::vector<ThreadSpan>& spans_of(const JobPlace& place) const {
    return spans_.threads()[place.thread].spans;
  }
  const ThreadSpan& span_at(const JobPlace& place);
  bool end_span(JobPlace& place, const ThreadSpan& span, JobRecord& record) const;
  bool take_escape(std::uint64_t word, const JobPlace& place, JobRecord& record) const;
  bool take_line(std::uint64_t word, JobPlace& place, JobRecord& record) const;
  bool take_nvdimm_line(std::uint64_t word, JobPlace& place, JobRecord& record) const;
  const CapturedBio* bio_at(const JobPlace& place) const;
  void end_copy(const JobPlace& place, JobRecord& record) const;

  std::string file_;
  std::unique_ptr<MissSource> source_;
  RecordTape tape_;
  std::uint64_t skip_;
  ThreadSpans spans_;
  bool transfers_;
  std::vector<const ThreadSpan*> last_span_;  // by thread: where span_at() starts its search
};

}  // namespace hmsim
