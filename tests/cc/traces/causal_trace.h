// SPDX-License-Identifier: BSD-3-Clause
// Hand-made records of traces with causes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/cc/agents/harness.h"
#include "traces/causal_job.h"
#include "traces/cause_records.h"
#include "traces/trace_formats.h"

namespace hmsim::testing {

using Words = std::vector<std::uint64_t>;

inline std::uint64_t escape(EscapeCode code, std::uint64_t bits, unsigned vcpu = 0) {
  return hmsim_record(bits, 3, vcpu, static_cast<std::uint64_t>(code));
}
inline std::uint64_t runs(std::uint64_t thread, Leave leave, unsigned vcpu = 0) {
  return escape(EscapeCode::run, thread | static_cast<std::uint64_t>(leave) << 16, vcpu);
}
inline std::uint64_t wakes(std::uint64_t thread, unsigned vcpu = 0) {
  return escape(EscapeCode::wake, thread, vcpu);
}
inline std::uint64_t alarms(std::uint64_t thread, std::uint64_t us, unsigned vcpu = 0) {
  return escape(EscapeCode::alarm, thread | us << 16, vcpu);
}
inline std::uint64_t begins_bio(std::uint64_t pages, BioOperation operation,
                                std::uint64_t flags = 0) {
  return escape(EscapeCode::bio, pages | static_cast<std::uint64_t>(operation) << 16 | flags << 19);
}
inline std::uint64_t ends_bio() { return escape(EscapeCode::bio_end, 0); }
inline std::uint64_t written(std::uint64_t first_page, std::uint64_t pages) {
  return escape(EscapeCode::written, first_page | (pages - 1) << 28);
}
inline std::uint64_t computes(std::uint64_t instructions, unsigned vcpu = 0) {
  return escape(EscapeCode::add_instructions, instructions, vcpu);
}
inline std::uint64_t misses(std::uint64_t line, std::uint64_t gap, unsigned vcpu = 0) {
  return hmsim_record(line, 0, vcpu, gap);
}

inline std::string causal_trace(const Words& words, unsigned vcpus = 2, std::size_t block = 7) {
  return hmsim_trace(words, vcpus, 6, block);
}

inline CausalJob causal_job(const Words& words, bool transfers = false, std::uint64_t skip = 0,
                            std::uint64_t length = 0) {
  const std::string trace = causal_trace(words);
  return {find_format("hmsim")->misses({text_source(trace), 0, "x", trace.size()}, std::nullopt),
          skip, length, transfers, "x"};
}

}  // namespace hmsim::testing
