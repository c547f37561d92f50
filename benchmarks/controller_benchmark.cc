// SPDX-License-Identifier: BSD-3-Clause
// Drives one channel with a pattern of requests and prints simulated cycles, bandwidth and host
// seconds as JSON. benchmarks/run.py runs it for all patterns and counts host instructions.
//
//   controller_benchmark PATTERN REQUESTS [NAME=VALUE]...
//
// PATTERN: stream, random, mixed (random, one third writes), burst (8 lines in random rows), sparse
// (one request per 1000 cycles), nvdimm_read, nvdimm_write (random pages, one line each),
// nvdimm_hit (lines of one resident page), hbf_read (whole random pages of 4 KiB, which needs
// nvdimm.attach=hbf), classes (both memories in random order, one third
// writes: bursts of DRAM lines, lines of 16 resident pages).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/request_patterns.h"
#include "controller/memory_system.h"
#include "core/errors.h"
#include "policies/policy.h"

namespace hmsim {
namespace {

constexpr std::int64_t kIntervalCycles = 1000;  // sparse

// Sends the requests: each once the previous one is admitted, or one per interval.
class Generator final : public Component, public Requester {
 public:
  Generator(Pattern pattern, std::int64_t requests, Tick period, Kernel& kernel)
      : trace_(Maker(pattern).make(later(requests, kMadeAhead))),
        requests_(requests),
        interval_(pattern == Pattern::sparse ? period * kIntervalCycles : Tick(0)),
        kernel_(kernel) {}

  void connect(MemoryPort& port) { port_ = &port; }
  bool done() const { return completed_ == requests_; }
  Tick last() const { return last_; }
  Bytes request_size() const { return trace_.front().size(); }

  Tick next_event() const override { return next_; }
  Tick advance(Tick now) override {
    send(now);
    next_ = interval_ == Tick(0) || sent_ == requests_ ? kNever : now + interval_;
    return next_;
  }
  void on_admit(const Request& request, Tick now) override {
    (void)request;
    if (interval_ == Tick(0) && sent_ < requests_) {
      send(now);
    }
  }
  void on_complete(const Request& request, Tick now) override {
    (void)request;
    ++completed_;
    last_ = now;
    if (done()) {
      kernel_.pause();
    }
  }
  void serialize(Archive& /*archive*/) override {}

 private:
  void send(Tick now) { port_->send(trace_[static_cast<std::size_t>(sent_++)], now); }

  std::vector<Request> trace_;
  const std::int64_t requests_;
  const Tick interval_;
  Kernel& kernel_;
  MemoryPort* port_ = nullptr;
  std::int64_t sent_ = 0;
  std::int64_t completed_ = 0;
  Tick next_{0};
  Tick last_{0};
};

int run(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: controller_benchmark PATTERN REQUESTS [NAME=VALUE]...\n");
    return 2;
  }
  Assignments assignments;
  for (int i = 3; i < argc; ++i) {
    const char* const equals = std::strchr(argv[i], '=');
    if (equals == nullptr) {
      throw InputError(std::string(argv[i]) + ": expected NAME=VALUE");
    }
    const auto length = static_cast<std::size_t>(equals - argv[i]);
    assignments.emplace_back(std::string(argv[i], length), equals + 1);
  }
  SystemConfig config;
  ParameterSet parameters;
  std::vector<std::unique_ptr<Policy>> policies;
  config.declare(parameters);
  declare_all_policies(parameters, policies);
  const std::vector<ParameterError> errors = parameters.apply(assignments);
  if (!errors.empty()) {
    throw InputError(join_errors(errors));
  }
  config.assignments = assignments;
  config.resolve_presets();

  const std::int64_t requests = std::strtoll(argv[2], nullptr, 10);
  Kernel kernel;
  Generator generator(pattern_of(argv[1]), requests, config.dram.clock_period(), kernel);
  const int id = kernel.attach(generator);
  MemorySystem memory(config, kernel, 1);
  memory.set_requesters({&generator});
  generator.connect(memory);
  kernel.notify(id);

  const auto start = std::chrono::steady_clock::now();
  std::uint64_t steps = ~std::uint64_t{0};
  while (!generator.done() && kernel.run(kNever, steps)) {
  }
  const std::chrono::duration<double> host = std::chrono::steady_clock::now() - start;
  const std::int64_t cycles = generator.last() / config.dram.clock_period();
  std::printf(
      "{\"pattern\": \"%s\", \"requests\": %lld, \"cycles\": %lld, \"gb_per_s\": %.3f, "
      "\"share_of_peak\": %.4f, \"host_seconds\": %.3f, \"requests_per_second\": %.0f}\n",
      argv[1], static_cast<long long>(requests), static_cast<long long>(cycles),
      static_cast<double>(requests * generator.request_size().value()) * 1e3 /
          static_cast<double>(generator.last().value()),
      static_cast<double>(requests * config.dram.line_share()) /
          static_cast<double>(cycles * config.controller.channels),
      host.count(), static_cast<double>(requests) / host.count());
  return 0;
}

}  // namespace
}  // namespace hmsim

int main(int argc, char** argv) {
  try {
    return hmsim::run(argc, argv);
  } catch (const hmsim::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
