// SPDX-License-Identifier: BSD-3-Clause
// Decodes a small language model. KIND is the memory of weights, keys and values: dram or nvdimm.
// AMOUNT is a number of steps, each of which reads 25.7 MB. The configuration is the paper's
// channel with 213 MiB of flash.
#include "benchmarks/agent_run.h"

int main(int argc, char** argv) {
  return hmsim::measure_agent(
      argc, argv, "decode_benchmark MEMORY STEPS",
      [](const std::string& memory, const std::string& steps) {
        hmsim::AgentRun run;
        run.pattern = "decode, " + memory;
        run.config = {{"nvdimm.capacity", "256MiB"}, {"nvdimm.ftl.over_provisioning", "20"}};
        run.agent = {{"kind", "llm_decode"}, {"layers", "4"},      {"width", "512"},
                     {"kv_heads", "4"},      {"head_size", "128"}, {"feed_forward", "512"},
                     {"vocabulary", "512"},  {"batch", "4"},       {"context", "320"},
                     {"weights", memory},    {"kv", memory},       {"flops", "0"},
                     {"steps", steps}};
        return run;
      });
}
