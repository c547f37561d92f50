// SPDX-License-Identifier: BSD-3-Clause
// Runs random 4 KB requests on Moneta, as a complete simulation with an agent and its trace, and
// prints results as JSON. benchmarks/run.py counts host instructions.
//
//   storage_benchmark THREADS REQUESTS [NAME=VALUE]...
//
// Half of the requests are reads. The trace has 1,000 requests and is repeated. Settings override
// the configuration, which defaults to Moneta with its driver and two queues, balanced.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "core/random.h"
#include "simulation/simulation.h"

namespace hmsim {
namespace {

constexpr std::uint64_t kRequests = 1'000;  // in the trace

std::string trace() {
  Random random(1);
  std::string text;
  for (std::uint64_t i = 0; i < kRequests; ++i) {
    const std::uint64_t sector = random.below(std::uint64_t{1} << 21) * 8;
    text += "0 0 " + std::to_string(sector) + " 8 " + std::to_string(random.below(2)) + "\n";
  }
  return text;
}

int run(const std::vector<std::string>& arguments) {
  const std::string text = trace();
  Assignments config{{"nvdimm.present", "false"},   {"dram.refresh", "false"},
                     {"storage.kind", "array"},     {"storage.path.driver", "moneta_balance"},
                     {"storage.array.queues", "2"}, {"storage.array.order", "balance"}};
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    const std::size_t equals = arguments[i].find('=');
    config.emplace_back(arguments[i].substr(0, equals), arguments[i].substr(equals + 1));
  }
  const Assignments agent{{"kind", "block_trace"},
                          {"path", "t"},
                          {"format", "mqsim"},
                          {"threads", arguments[0]},
                          {"loop", std::to_string(std::stoull(arguments[1]) / kRequests)}};
  constexpr std::size_t kPiece = 1 << 16;
  Simulation simulation(config, {agent}, RunOptions(), [&text](std::size_t, std::uint64_t offset) {
    return offset < text.size() ? text.substr(offset, kPiece) : std::string();
  });
  const std::clock_t begin = std::clock();
  while (!simulation.run(std::numeric_limits<std::uint64_t>::max())) {
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf(
      "{\"pattern\": \"storage, %s threads\", \"requests\": %s, \"simulated_ps\": %lld, "
      "\"wall_seconds\": %.3f}\n",
      arguments[0].c_str(), arguments[1].c_str(), static_cast<long long>(simulation.now().value()),
      seconds);
  return 0;
}

}  // namespace
}  // namespace hmsim

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: storage_benchmark THREADS REQUESTS [NAME=VALUE]...\n");
    return 2;
  }
  try {
    return hmsim::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "storage_benchmark: %s\n", error.what());
    return 2;
  }
}
