// SPDX-License-Identifier: BSD-3-Clause
// A program that measures one agent in a complete simulation and prints results as JSON:
//
//   PROGRAM KIND AMOUNT [NAME=VALUE]...
//
// Settings override the run's configuration. benchmarks/run.py counts host instructions.
#pragma once

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "simulation/simulation.h"

namespace hmsim {

struct AgentRun {
  std::string pattern;  // as printed
  Assignments config;
  Assignments agent;
  std::string trace;  // text of the agent's file, if it reads one
};

// Plays a run and prints its results.
inline void measure(AgentRun run, const std::vector<std::string>& settings,
                    const std::string& amount) {
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    run.config.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  constexpr std::size_t kPiece = 1 << 16;
  Simulation simulation(
      run.config, {run.agent}, RunOptions(), [&run](std::size_t, std::uint64_t offset) {
        return offset < run.trace.size() ? run.trace.substr(offset, kPiece) : std::string();
      });
  const std::clock_t begin = std::clock();
  while (!simulation.run(std::numeric_limits<std::uint64_t>::max())) {
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf(
      "{\"pattern\": \"%s\", \"requests\": %s, \"simulated_ps\": %lld, \"wall_seconds\": %.3f}\n",
      run.pattern.c_str(), amount.c_str(), static_cast<long long>(simulation.now().value()),
      seconds);
}

// The program: make(kind, amount) returns the run. Returns the exit status.
template <class Make>
int measure_agent(int argc, char** argv, const char* usage, Make make) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s [NAME=VALUE]...\n", usage);
    return 2;
  }
  try {
    const std::string amount = argv[2];
    measure(make(std::string(argv[1]), amount), {argv + 3, argv + argc}, amount);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 2;
  }
  return 0;
}

}  // namespace hmsim
