// SPDX-License-Identifier: BSD-3-Clause
// Network between nodes. Each node has an outgoing and an incoming link. A link carries one message
// at a time, in FIFO order.
//
// A message's first bit leaves when the outgoing link has carried the earlier messages, and reaches
// the other end one latency later. The incoming link carries it from then on, or after messages
// that arrived there earlier. On idle links, a message arrives latency + size / rate after it was
// sent.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "agents/node/cluster_parameters.h"
#include "core/clock.h"
#include "core/event_queue.h"
#include "core/kernel.h"
#include "core/pool.h"
#include "core/statistics.h"
#include "traces/job_program.h"

namespace hmsim {

// Receiver of messages.
class NetworkUser {
 public:
  virtual ~NetworkUser() = default;
  virtual void message_arrived(std::uint32_t event, Tick now) = 0;
};

class Network final : public Component {
 public:
  struct Message {
    std::uint16_t user = 0;
    std::uint16_t from = 0;  // node
    std::uint16_t to = 0;
    std::uint32_t event = 0;
    std::uint64_t bytes = 0;
    void serialize(Archive& archive) { archive(user, from, to, event, bytes); }
  };

  explicit Network(const ClusterParameters& parameters)
      : parameters_(parameters), ports_(static_cast<std::size_t>(parameters.nodes)) {}
  void attach(Wakeup wakeup) { wakeup_ = wakeup; }

  // Adds a user and returns its number. The user must outlive the network's last message.
  std::uint16_t join(NetworkUser& user) {
    users_.push_back(&user);
    under_way_.push_back(0);
    return static_cast<std::uint16_t>(users_.size() - 1);
  }

  void send(const Message& message, Tick now) {
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

  std::uint64_t under_way(std::uint16_t user) const { return under_way_[user]; }

  Tick next_event() const override { return steps_.next_time(); }

  Tick advance(Tick now) override {
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

  void register_statistics(StatisticRegistry& registry) {
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

  void serialize(Archive& archive) override {
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

 private:
  enum class Step : std::uint8_t { first_bit, last_bit, last = last_bit };  // that arrives

  // Link that carries messages until a time, and is idle afterwards.
  struct Link {
    Tick until{0};
    Tick counted_to{0};  // busy time is counted up to here
    Counter busy = 0;    // picoseconds
    void account(Tick now) {
      const Tick end = earlier(until, now);
      busy += end > counted_to ? static_cast<Counter>((end - counted_to).value()) : 0;
      counted_to = now;
    }

    // Queues another message that takes `time`. Returns when its transmission begins.
    Tick carry(Tick now, Tick time) {
      account(now);
      const Tick begin = later(until, now);
      until = sum_in_time(begin, time);
      return begin;
    }

    void serialize(Archive& archive) { archive(until, counted_to, busy); }
  };
  struct Port {
    Link out;
    Link in;
    Counter messages = 0;  // sent
    Counter bytes = 0;
    void serialize(Archive& archive) { archive(out, in, messages, bytes); }
  };

  const ClusterParameters parameters_;
  Wakeup wakeup_;
  std::vector<NetworkUser*> users_;
  std::vector<std::uint64_t> under_way_;  // messages, by user
  std::vector<Port> ports_;               // by node
  Pool<Message> messages_;                // in flight
  EventQueue<Step> steps_;                // payload: a message; each has one step
};

}  // namespace hmsim
