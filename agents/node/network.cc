// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/network.h"

#include <algorithm>
#include <string>

#include "core/clock.h"

namespace hmsim {

Network::Network(const ClusterParameters& parameters)
    : parameters_(parameters), ports_(static_cast<std::size_t>(parameters.nodes)) {}

std::uint16_t Network::join(NetworkUser& user) {
  users_.push_back(&user);
  under_way_.push_back(0);
  return static_cast<std::uint16_t>(users_.size() - 1);
}

void Network::Link::account(Tick now) {
  const Tick end = earlier(until, now);
  busy += end > counted_to ? static_cast<Counter>((end - counted_to).value()) : 0;
  counted_to = now;
}

Tick Network::Link::carry(Tick now, Tick time) {
  account(now);
  const Tick begin = later(until, now);
  until = sum_in_time(begin, time);
  return begin;
}

void Network::send(const Message& message, Tick now) {
  Port& port = ports_[message.from];
  const Tick begin = port.out.carry(now, parameters_.time_on_link(message.bytes));
  ++port.messages;
  port.bytes += message.bytes;
  ++under_way_[message.user];
  const std::uint32_t index = messages_.take();
  messages_[index] = message;
  steps_.schedule(sum_in_time(begin, parameters_.latency), Step::first_bit, index);
  wakeup_.notify();
}

Tick Network::advance(Tick now) {
  while (steps_.next_time() <= now) {
    const auto step = steps_.pop();
    const Message message = messages_[step.payload];
    if (step.kind == Step::first_bit) {
      Link& link = ports_[message.to].in;
      link.carry(now, parameters_.time_on_link(message.bytes));
      steps_.schedule(link.until, Step::last_bit, step.payload);
    } else {
      messages_.give_back(step.payload);
      --under_way_[message.user];
      users_[message.user]->message_arrived(message.event, now);
    }
  }
  return next_event();
}

void Network::register_statistics(StatisticRegistry& registry) {
  for (std::size_t node = 0; node < ports_.size(); ++node) {
    const StatisticGroup group(registry, "node." + std::to_string(node) + ".network");
    Port& port = ports_[node];
    group.counter("messages", "messages", "sent to other nodes", port.messages);
    group.counter("bytes", "bytes", "sent to other nodes", port.bytes);
    group.counter("out_busy", "ps", "time in which its outgoing link carried a message",
                  port.out.busy);
    group.counter("in_busy", "ps", "time in which its incoming link carried a message",
                  port.in.busy);
    registry.on_account([&port](Tick now) {
      port.out.account(now);
      port.in.account(now);
    });
  }
}

void Network::serialize(Archive& archive) {
  archive.section("network");
  archive.fixed(ports_);
  archive(messages_, steps_);
  if (!archive.loading()) {
    return;
  }
  constexpr const char* kWrong = "invalid message of the network";
  for (std::uint32_t index = 0; index < messages_.size(); ++index) {
    const Message& message = messages_[index];
    archive.check_index(message.user, users_.size(), kWrong);
    archive.check_index(message.from, ports_.size(), kWrong);
    archive.check_index(message.to, ports_.size(), kWrong);
    archive.check_index(message.bytes, kMostMessageBytes + 1,
                        "message of the network larger than the limit");
  }
  std::fill(under_way_.begin(), under_way_.end(), 0);
  steps_.each([&](const auto& step) {
    archive.check_index(step.payload, messages_.size(), kWrong);
    ++under_way_[messages_[step.payload].user];
  });
}

}  // namespace hmsim
