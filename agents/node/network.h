// SPDX-License-Identifier: BSD-3-Clause
// Network between nodes. Each node has an outgoing and an incoming link. A link carries one message
// at a time, in FIFO order.
//
// A message's first bit leaves when the outgoing link has carried the earlier messages, and reaches
// the other end one latency later. The incoming link carries it from then on, or after messages
// that arrived there earlier. On idle links, a message arrives latency + size / rate after it was
// sent.
#pragma once

#include <cstdint>
#include <vector>

#include "agents/node/cluster_parameters.h"
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

  explicit Network(const ClusterParameters& parameters);
  void attach(Wakeup wakeup) { wakeup_ = wakeup; }

  // Adds a user and returns its number. The user must outlive the network's last message.
  std::uint16_t join(NetworkUser& user);
  void send(const Message& message, Tick now);
  std::uint64_t under_way(std::uint16_t user) const { return under_way_[user]; }

  Tick next_event() const override { return steps_.next_time(); }
  Tick advance(Tick now) override;
  void register_statistics(StatisticRegistry& registry);
  void serialize(Archive& archive) override;

 private:
  enum class Step : std::uint8_t { first_bit, last_bit, last = last_bit };  // that arrives

  // Link that carries messages until a time, and is idle afterwards.
  struct Link {
    Tick until{0};
    Tick counted_to{0};  // busy time is counted up to here
    Counter busy = 0;    // picoseconds
    void account(Tick now);
    // Queues another message that takes `time`. Returns when its transmission begins.
    Tick carry(Tick now, Tick time);
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
