// SPDX-License-Identifier: BSD-3-Clause
// Decodes a small language model as a complete simulation and prints results as JSON.
//
//   decode_benchmark MEMORY STEPS [NAME=VALUE]...
//
// MEMORY holds weights, keys and values: dram or nvdimm. A step reads 10.5 MB. Settings override
// the configuration, which is the paper's channel with 213 MiB of flash.
#include <cstdio>
#include <ctime>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "simulation/simulation.h"

namespace hmsim {
namespace {

int run(const std::vector<std::string>& arguments) {
  Assignments config{{"nvdimm.capacity", "256MiB"}, {"nvdimm.ftl.over_provisioning", "20"}};
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    const std::size_t equals = arguments[i].find('=');
    config.emplace_back(arguments[i].substr(0, equals), arguments[i].substr(equals + 1));
  }
  const Assignments agent{{"kind", "llm_decode"},    {"layers", "4"},      {"width", "512"},
                          {"kv_heads", "4"},         {"head_size", "128"}, {"feed_forward", "512"},
                          {"vocabulary", "512"},     {"batch", "4"},       {"context", "320"},

                          {"weights", arguments[0]}, {"kv", arguments[0]}, {"flops", "0"},
                          {"steps", arguments[1]}};
  Simulation simulation(config, {agent}, RunOptions(),
                        [](std::size_t, std::uint64_t) { return std::string(); });
  const std::clock_t begin = std::clock();
  while (!simulation.run(std::numeric_limits<std::uint64_t>::max())) {
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf(
      "{\"pattern\": \"decode, %s\", \"requests\": %s, \"simulated_ps\": %lld, "
      "\"wall_seconds\": %.3f}\n",
      arguments[0].c_str(), arguments[1].c_str(), static_cast<long long>(simulation.now().value()),
      seconds);
  return 0;
}

}  // namespace
}  // namespace hmsim

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: decode_benchmark MEMORY STEPS [NAME=VALUE]...\n");
    return 2;
  }
  try {
    return hmsim::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "decode_benchmark: %s\n", error.what());
    return 2;
  }
}
