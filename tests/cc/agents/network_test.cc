// SPDX-License-Identifier: BSD-3-Clause
// The network between nodes in isolation.
#include "agents/node/network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/random.h"
#include "tests/cc/states.h"
#include "tests/cc/statistic.h"

namespace hmsim::testing {
namespace {

using Arrival = std::pair<std::uint32_t, Tick>;  // event, time

class Receiver final : public NetworkUser {
 public:
  void message_arrived(std::uint32_t event, Tick now) override {
    arrivals.emplace_back(event, now);
  }
  std::vector<Arrival> arrivals;
};

// 10 Gb/s: 0.8 ns per byte.
ClusterParameters cluster(std::int64_t nodes) {
  ClusterParameters parameters;
  parameters.nodes = nodes;
  parameters.latency = 10 * kMicrosecond;
  return parameters;
}

struct Sending {
  Tick time;
  Network::Message message;
};

Sending sending(Tick time, int from, int to, std::uint32_t event, std::uint64_t bytes) {
  Network::Message message;
  message.from = static_cast<std::uint16_t>(from);
  message.to = static_cast<std::uint16_t>(to);
  message.event = event;
  message.bytes = bytes;
  return {time, message};
}

struct Wire {
  explicit Wire(const ClusterParameters& parameters) : network(parameters) {
    network.join(receiver);
  }
  void run_until(Tick time) {
    while (network.next_event() <= time) {
      network.advance(network.next_event());
    }
  }
  void send(const std::vector<Sending>& all) {
    for (const Sending& each : all) {
      run_until(each.time);
      network.send(each.message, each.time);
    }
  }
  std::vector<Arrival> arrivals() {
    run_until(kLongest);
    return receiver.arrivals;
  }
  static constexpr Tick kLongest{std::int64_t{1} << 60};
  Receiver receiver;
  Network network;
};

std::vector<Arrival> arrivals_of(const std::vector<Sending>& all) {
  Wire wire(cluster(4));
  wire.send(all);
  return wire.arrivals();
}

TEST(Network, AMessageTakesTheLatencyAndItsTimeOnALink) {
  EXPECT_EQ(arrivals_of({sending(Tick(7), 0, 1, 5, 1'250)}),
            (std::vector<Arrival>{{5, Tick(7) + 11 * kMicrosecond}}));
}

TEST(Network, ALinkOutCarriesOneMessageAtATime) {
  const auto arrivals =
      arrivals_of({sending(Tick(0), 0, 1, 1, 1'250), sending(Tick(0), 0, 2, 2, 2'500),
                   sending(kMicrosecond, 0, 1, 3, 1'250)});
  EXPECT_EQ(arrivals, (std::vector<Arrival>{
                          {1, 11 * kMicrosecond}, {2, 13 * kMicrosecond}, {3, 14 * kMicrosecond}}));
}

// Two senders to one receiver: each has its own outgoing link, and both share the incoming link.
TEST(Network, ALinkInIsAFifoServer) {
  const auto arrivals =
      arrivals_of({sending(Tick(0), 0, 3, 1, 12'500), sending(kMicrosecond, 1, 3, 2, 1'250),
                   sending(3 * kMicrosecond, 2, 3, 3, 1'250)});
  EXPECT_EQ(arrivals, (std::vector<Arrival>{
                          {1, 20 * kMicrosecond}, {2, 21 * kMicrosecond}, {3, 22 * kMicrosecond}}));
}

// A later message overtakes one that waits for its outgoing link.
TEST(Network, MessagesAreServedInTheOrderOfTheirFirstBits) {
  const auto arrivals =
      arrivals_of({sending(Tick(0), 0, 2, 1, 12'500), sending(Tick(0), 0, 3, 2, 1'250),
                   sending(5 * kMicrosecond, 1, 3, 3, 1'250)});
  EXPECT_EQ(arrivals, (std::vector<Arrival>{
                          {3, 16 * kMicrosecond}, {1, 20 * kMicrosecond}, {2, 21 * kMicrosecond}}));
}

// Returns the arrivals computed from the recursions of two first-in first-out servers.
std::vector<Arrival> expected(const std::vector<Sending>& all,
                              const ClusterParameters& parameters) {
  std::vector<Tick> out(static_cast<std::size_t>(parameters.nodes), Tick(0));
  std::vector<std::tuple<Tick, std::size_t>> first_bits;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Tick& link = out[all[i].message.from];
    const Tick begin = later(link, all[i].time);
    link = begin + Tick(static_cast<std::int64_t>(all[i].message.bytes) * 800);
    first_bits.emplace_back(begin + parameters.latency, i);
  }
  std::sort(first_bits.begin(), first_bits.end());
  std::vector<Tick> in(out.size(), Tick(0));
  std::vector<Arrival> arrivals;
  for (const auto& [time, i] : first_bits) {
    const Network::Message& message = all[i].message;
    Tick& link = in[message.to];
    link = later(link, time) + Tick(static_cast<std::int64_t>(message.bytes) * 800);
    arrivals.emplace_back(message.event, link);
  }
  std::sort(arrivals.begin(), arrivals.end());
  return arrivals;
}

std::vector<Sending> traffic(std::uint64_t seed) {
  Random random(seed);
  std::vector<Sending> all;
  Tick time{0};
  for (std::uint32_t i = 0; i < 500; ++i) {
    time += Tick(static_cast<std::int64_t>(random.below(3'000'000)));
    const auto from = static_cast<int>(random.below(4));
    const int to = (from + 1 + static_cast<int>(random.below(3))) % 4;
    all.push_back(sending(time, from, to, i, 1 + random.below(8'000)));
  }
  return all;
}

TEST(Network, ServersOfRandomTrafficFollowTheirRecursions) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<Sending> all = traffic(seed);
    std::vector<Arrival> arrivals = arrivals_of(all);
    std::sort(arrivals.begin(), arrivals.end());
    EXPECT_EQ(arrivals, expected(all, cluster(4))) << seed;
  }
}

TEST(Network, CountsSentMessagesAndBusyTimeOfLinks) {
  Wire wire(cluster(2));
  StatisticRegistry registry;
  wire.network.register_statistics(registry);
  wire.send({sending(Tick(0), 0, 1, 1, 1'250), sending(Tick(0), 0, 1, 2, 1'250)});
  const auto value = [&](const std::string& path) { return statistic_of(registry, path).count; };
  EXPECT_EQ(value("node.0.network.messages"), 2u);
  EXPECT_EQ(value("node.0.network.bytes"), 2'500u);
  registry.account(kMicrosecond / 2);
  EXPECT_EQ(value("node.0.network.out_busy"), 500'000u);
  wire.run_until(12 * kMicrosecond);
  registry.account(12 * kMicrosecond);
  EXPECT_EQ(value("node.0.network.out_busy"), 2'000'000u);
  EXPECT_EQ(value("node.1.network.in_busy"), 2'000'000u);
  EXPECT_EQ(value("node.0.network.in_busy"), 0u);
  EXPECT_EQ(value("node.1.network.messages"), 0u);
}

TEST(Network, ContinuesFromACheckpoint) {
  const std::vector<Sending> all = traffic(1);
  const std::vector<Arrival> whole = arrivals_of(all);
  for (const std::size_t cut : {0, 3, 100, 499}) {
    Wire first(cluster(4));
    first.send({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(cut)});
    Wire second(cluster(4));
    copy_state(first.network, second.network);
    second.receiver.arrivals = first.receiver.arrivals;
    EXPECT_EQ(second.network.under_way(0), first.network.under_way(0));
    second.send({all.begin() + static_cast<std::ptrdiff_t>(cut), all.end()});
    EXPECT_EQ(second.arrivals(), whole) << cut;
  }
}

// Whatever bytes are changed in it.
TEST(Network, ADamagedStateIsRejectedOrHarmless) {
  Wire saved(cluster(4));
  saved.send(traffic(2));
  const std::string bytes = state_of(saved.network);
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int bit : {0, 7}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      Wire wire(cluster(4));
      try {
        Archive loaded(damaged);
        wire.network.serialize(loaded);
        wire.arrivals();
      } catch (const InputError&) {
        ++refused;
      } catch (const Fault&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace hmsim::testing
