// SPDX-License-Identifier: BSD-3-Clause
// Drives one channel with a pattern of requests and prints simulated cycles, bandwidth and host
// seconds as JSON. benchmarks/run.py runs it for all patterns and counts host instructions.
//
//   controller_benchmark PATTERN REQUESTS [NAME=VALUE]...
//
// PATTERN: stream, random, mixed (random, one third writes), burst (8 lines in random rows), sparse
// (one request per 1000 cycles), nvdimm_read, nvdimm_write (random pages, one line each),
// nvdimm_hit (lines of one resident page), classes (both memories in random order, one third
// writes: bursts of DRAM lines, lines of 16 resident pages).
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "controller/memory_system.h"
#include "core/errors.h"
#include "core/random.h"
#include "policies/policy.h"

namespace hmsim {
namespace {

enum class Pattern {
  stream,
  random,
  mixed,
  burst,
  sparse,
  nvdimm_read,
  nvdimm_write,
  nvdimm_hit,
  classes
};

constexpr std::array<std::pair<const char*, Pattern>, 9> kPatterns{
    {{"stream", Pattern::stream},
     {"random", Pattern::random},
     {"mixed", Pattern::mixed},
     {"burst", Pattern::burst},
     {"sparse", Pattern::sparse},
     {"nvdimm_read", Pattern::nvdimm_read},
     {"nvdimm_write", Pattern::nvdimm_write},
     {"nvdimm_hit", Pattern::nvdimm_hit},
     {"classes", Pattern::classes}}};

Pattern pattern_of(const char* name) {
  for (const auto& [known, pattern] : kPatterns) {
    if (std::strcmp(known, name) == 0) {
      return pattern;
    }
  }
  throw InputError(std::string("unknown pattern: ") + name);
}

constexpr std::int64_t kBurstLines = 8;
constexpr std::int64_t kResidentLines = 16 * kLinesPerPage;
constexpr std::int64_t kCores = 4;  // send in turn
constexpr std::int64_t kFootprintLines = (std::int64_t{1} << 30) / 64;
constexpr std::int64_t kIntervalCycles = 1000;  // sparse
// At least this many requests are generated in advance, as if a trace were in memory. Generation
// then costs the same for both run lengths whose instruction counts are subtracted.
constexpr std::int64_t kMadeAhead = std::int64_t{1} << 17;

// Generates the requests of a pattern.
class Maker {
 public:
  explicit Maker(Pattern pattern) : pattern_(pattern) {}

  std::vector<Request> make(std::int64_t requests) {
    std::vector<Request> made(static_cast<std::size_t>(requests));
    for (Request& request : made) {
      request.memory = memory();
      request.address = Address(line(request.memory) * kLineBytes.value());
      request.write = writes();
      request.source = static_cast<std::uint16_t>(made_++ % kCores);
    }
    return made;
  }

 private:
  MemoryClass memory() {
    switch (pattern_) {
      case Pattern::classes:
        return random_.below(2) == 0 ? MemoryClass::dram : MemoryClass::nvdimm;
      case Pattern::nvdimm_read:
      case Pattern::nvdimm_write:
      case Pattern::nvdimm_hit:
        return MemoryClass::nvdimm;
      default:
        return MemoryClass::dram;
    }
  }
  std::int64_t line(MemoryClass memory) {
    switch (pattern_) {
      case Pattern::stream:
        return made_ % kFootprintLines;
      case Pattern::nvdimm_hit:
        return made_ % kLinesPerPage;
      case Pattern::classes:
        return memory == MemoryClass::dram ? next_of_burst() : made_ % kResidentLines;
      case Pattern::burst:
        return next_of_burst();
      default:
        return random_line();
    }
  }
  std::int64_t next_of_burst() {
    burst_ = of_bursts_++ % kBurstLines != 0 ? burst_ + 1 : random_line() & ~(kBurstLines - 1);
    return burst_;
  }
  std::int64_t random_line() { return static_cast<std::int64_t>(random_.below(kFootprintLines)); }
  bool writes() {
    return pattern_ == Pattern::nvdimm_write ||
           ((pattern_ == Pattern::mixed || pattern_ == Pattern::classes) && random_.below(3) == 0);
  }

  const Pattern pattern_;
  Random random_{1};
  std::int64_t burst_ = 0;
  std::int64_t of_bursts_ = 0;  // lines so far
  std::int64_t made_ = 0;
};

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
      "\"host_seconds\": %.3f, \"requests_per_second\": %.0f}\n",
      argv[1], static_cast<long long>(requests), static_cast<long long>(cycles),
      static_cast<double>(requests) * 64e3 / static_cast<double>(generator.last().value()),
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
