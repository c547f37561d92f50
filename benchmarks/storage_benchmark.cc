// SPDX-License-Identifier: BSD-3-Clause
// Runs random 4 KB requests, half of them reads, on Moneta with its driver and two queues,
// balanced. KIND is a number of threads, AMOUNT one of requests. The trace has 1,000 requests and
// is repeated.
#include "benchmarks/agent_run.h"
#include "core/random.h"

namespace {

constexpr std::uint64_t kRequests = 1'000;  // in the trace

std::string trace() {
  hmsim::Random random(1);
  std::string text;
  for (std::uint64_t i = 0; i < kRequests; ++i) {
    const std::uint64_t sector = random.below(std::uint64_t{1} << 21) * 8;
    text += "0 0 " + std::to_string(sector) + " 8 " + std::to_string(random.below(2)) + "\n";
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  return hmsim::measure_agent(
      argc, argv, "storage_benchmark THREADS REQUESTS",
      [](const std::string& threads, const std::string& requests) {
        hmsim::AgentRun run;
        run.pattern = "storage, " + threads + " threads";
        run.config = {{"nvdimm.present", "false"},   {"dram.refresh", "false"},
                      {"storage.kind", "array"},     {"storage.path.driver", "moneta_balance"},
                      {"storage.array.queues", "2"}, {"storage.array.order", "balance"}};
        run.agent = {{"kind", "block_trace"},
                     {"path", "t"},
                     {"format", "mqsim"},
                     {"threads", threads},
                     {"loop", std::to_string(std::stoull(requests) / kRequests)}};
        run.trace = trace();
        return run;
      });
}
