// SPDX-License-Identifier: BSD-3-Clause
// Do channels that defer their commands beside others give the same results? Random channels and
// two agents, one before and one after them in the kernel's order, run with and without shortcuts.
// Calls to agents, records of requests and series of statistics are compared in the order of the
// whole system.
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "tests/cc/controller/random_system.h"
#include "tests/cc/controller/statistics_text.h"

namespace hmsim::testing {
namespace {

struct System;

// Sends random requests, to few rows, at random times on and between edges, and at completions.
class RandomAgent final : public Component, public Requester {
 public:
  RandomAgent(System& system, std::uint16_t number, std::uint64_t seed)
      : system_(system), number_(number), random_(seed) {}

  Tick next_event() const override { return next_; }
  Tick advance(Tick now) override;
  void serialize(Archive& /*archive*/) override {}
  void on_admit(const Request& request, Tick now) override;
  void on_complete(const Request& request, Tick now) override;

 private:
  std::int64_t below(std::uint64_t bound) {
    return static_cast<std::int64_t>(random_.below(bound));
  }
  void send(Tick now);

  System& system_;
  const std::uint16_t number_;
  Random random_;
  Tick next_{0};
};

// Reads all statistics at an odd interval, as a series does.
class Reader final : public Component {
 public:
  explicit Reader(System& system) : system_(system) {}
  Tick next_event() const override { return next_; }
  Tick advance(Tick now) override;
  void serialize(Archive& /*archive*/) override {}

 private:
  System& system_;
  Tick next_{777'777};
};

struct System final : public RequestObserver, public SourceProgress {
  System(const SystemConfig& given, int channels, bool shortcuts, std::uint64_t seed)
      : config(given), first(*this, 0, seed), second(*this, 1, seed + 1), reader(*this) {
    kernel.attach(first);
    kernel.attach(reader);
    for (int i = 0; i < channels; ++i) {
      all.push_back(std::make_unique<Channel>(config, i, seed));
      if (!shortcuts) {
        all.back()->use_reference_paths();
      }
      all.back()->attach(kernel, requesters, *this);
      all.back()->set_request_observer(this);
    }
    kernel.attach(second);
    kernel.notify_all();
  }
  std::int64_t instructions(std::uint16_t /*source*/) const override { return 0; }
  void on_request(const RequestRecord& record) override {
    log << 'r' << record.request.id << ' ' << record.rank << ' ' << record.bank << ' '
        << record.row_hit << ' ' << record.admitted.value() << ' ' << record.first_command.value()
        << ' ' << record.issued.value() << ' ' << record.done.value() << '\n';
  }
  // Runs until an agent pauses the kernel, or until `end`; then returns false.
  bool run(Tick end) {
    std::uint64_t steps = ~std::uint64_t{0};
    const bool paused = kernel.run(end, steps);
    if (!paused) {
      kernel.run_until(end);
    }
    return paused;
  }
  // Returns what has happened since the last call.
  std::string happened() {
    std::string text = std::to_string(kernel.now().value()) + '\n';
    text += std::exchange(log, std::ostringstream()).str();
    for (const auto& each : all) {
      text += statistics_of(*each);
    }
    return text;
  }
  std::string state() {
    Archive archive;
    for (const auto& each : all) {
      each->serialize(archive);
    }
    return archive.bytes();
  }

  const SystemConfig config;
  Kernel kernel;
  RandomAgent first;
  RandomAgent second;
  Reader reader;
  std::vector<Requester*> requesters{&first, &second};
  std::vector<std::unique_ptr<Channel>> all;
  std::uint64_t sent = 0;
  std::ostringstream log;
};

void RandomAgent::send(Tick now) {
  Request request;
  request.id = system_.sent++;
  request.agent = number_;
  request.arrival = now;
  request.write = below(3) == 0;
  const std::size_t channel = random_.below(system_.all.size());
  if (system_.config.nvdimm.present && below(4) == 0) {
    request.memory = MemoryClass::nvdimm;
    request.address = Address(below(8) * 4096 + below(64) * 64);
  } else {
    request.address = Address((below(8) * 4096 + below(256)) * 64);
  }
  system_.all[channel]->send(request, now);
}

Tick RandomAgent::advance(Tick now) {
  for (auto count = below(8); count > 0; --count) {
    send(now);
  }
  const Tick period = system_.all[0]->clock_period();
  const Cycle edge(now / period + 1 + below(below(20) == 0 ? 3000 : 30));
  next_ = edge.value() * period + (below(2) == 0 ? Tick(0) : Tick(below(1000)));
  return next_;
}

void RandomAgent::on_admit(const Request& request, Tick now) {
  system_.log << 'a' << request.id << ' ' << now.value() << '\n';
}

void RandomAgent::on_complete(const Request& request, Tick now) {
  system_.log << 'c' << request.id << ' ' << now.value() << '\n';
  if (below(3) != 0) {
    send(now);
  }
  if (below(200) == 0) {
    system_.kernel.pause();
  }
}

Tick Reader::advance(Tick now) {
  system_.kernel.catch_up();
  for (const auto& each : system_.all) {
    system_.log << statistics_of(*each);
  }
  next_ = now + Tick(777'777);
  return next_;
}

class DeferredCommands : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(DeferredCommands, ChangeNothingWithOtherChannelsAndAgents) {
  Random random(GetParam());
  for (int i = 0; i < 15; ++i) {
    const RandomSystem drawn = draw_system(random, true);
    SCOPED_TRACE(text_of(drawn.assignments));
    const auto channels = static_cast<int>(1 + random.below(5));
    const std::uint64_t seed = random.below(1 << 20);
    System deferring(drawn.config, channels, true, seed);
    System reference(drawn.config, channels, false, seed);
    for (const Tick end : {Tick(3'000'001), Tick(6'000'000), Tick(12'000'000)}) {
      for (bool more = true; more;) {
        more = deferring.run(end);
        ASSERT_EQ(reference.run(end), more);
        ASSERT_TRUE(deferring.happened() == reference.happened()) << deferring.kernel.now().value();
      }
      ASSERT_TRUE(deferring.state() == reference.state());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Part, DeferredCommands, ::testing::Range<std::uint64_t>(1, 5));

}  // namespace
}  // namespace hmsim::testing
