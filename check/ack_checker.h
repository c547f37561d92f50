// SPDX-License-Identifier: BSD-3-Clause
// The protocol between host and NVDIMM on one channel: a command, then one ack, then a burst in the
// command's direction for each of its lines (docs/concepts.md). A flush ends with its ack. It
// follows the bursts of all older requests and precedes the commands of all younger ones.
//
// NVDIMM-P: reads as above, but acks and credits are responses on separate lines. A write is a
// burst without command and ack. It takes a credit, which returns at the earliest after the write's
// lookup.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "controller/config/system_config.h"
#include "core/ring.h"

namespace hmsim {

class AckChecker {
 public:
  // `violations` must outlive the checker.
  AckChecker(const SystemConfig& config, ViolationLog& violations);

  // Checks an NVDIMM command, ack or burst. Returns whether no burst of its request is due after
  // it.
  bool check(const CommandRecord& record);
  std::int64_t unfinished() const { return count_; }

  void serialize(Archive& archive) {
    archive.fixed(table_);
    archive(waiting_, last_ack_.command, last_ack_.cycle, youngest_, last_flush_, flushing_, block_,
            credits_, arriving_, posted_);
    for (Device& device : devices_) {
      archive(device.lookup_end);
    }
    count_ = std::count_if(table_.begin(), table_.end(),
                           [](const Exchange& each) { return each.request != kNone; });
    archive.check(count_ <= slots_, "more commands than slots");  // or find() loops
  }

 private:
  struct Device {
    Tick lookup;
    bool serial_lookups;
    Tick lookup_end{0};  // of the last command
  };
  struct Exchange {
    std::int64_t request = kNone;
    ChannelCommand command = ChannelCommand::nvdimm_read_command;
    Tick lookup_end{0};  // the NVDIMM cannot answer earlier
    std::int64_t ack = kNoAck;
    std::int64_t lines = 1;  // without a burst
    bool began = false;      // has had a burst
    void serialize(Archive& archive) { archive(request, command, lookup_end, ack, lines, began); }
  };
  static constexpr std::int64_t kNone = -1;
  static constexpr std::int64_t kNoAck = -1;

  void check_command(const CommandRecord& record);
  void check_ack(const CommandRecord& record);
  bool check_burst(const CommandRecord& record);
  void check_posted(const CommandRecord& record);
  void check_credit(const CommandRecord& record);
  void check_barrier(const CommandRecord& record);
  void check_ack_line(const CommandRecord& record);
  void check_lookup(const CommandRecord& record, Tick end);
  void check_grant(const CommandRecord& record, const Exchange& exchange);

  std::size_t home_of(std::int64_t request) const {
    return static_cast<std::size_t>(request) & (table_.size() - 1);
  }
  Exchange* find(std::int64_t request);
  void insert(const Exchange& exchange);
  void erase(Exchange* exchange);

  const AckMode ack_;
  const Tick period_;
  const std::int64_t outstanding_limit_;
  const std::int64_t slots_;  // of the host's queues
  const std::int64_t grant_delay_;
  const std::int64_t write_cycles_;  // from a write's burst command to the end of its data
  Tick credit_time_{0};              // from there to its credit, at least
  const int first_rank_;             // of the NVDIMMs
  ViolationLog& violations_;
  std::vector<Device> devices_;
  std::vector<Exchange> table_;  // by request, linear probing; at least half is free
  std::int64_t count_ = 0;       // exchanges in progress
  std::int64_t waiting_ = 0;     // of these, without an ack
  EarlierCommand last_ack_{ChannelCommand::nvdimm_ack, kLongPast};
  std::int64_t youngest_ = kNone;    // youngest request with a command so far
  std::int64_t last_flush_ = kNone;  // request
  bool flushing_ = false;            // its ack is outstanding
  std::int64_t block_ = kNone;       // without grants: the request whose bursts follow its ack
  std::int64_t credits_ = 0;         // NVDIMM-P: credits that the host has
  Ring<std::int64_t> arriving_;      // cycles from which returned credits count
  Ring<Tick> posted_;                // times at which lookups of uncredited writes end
};

}  // namespace hmsim
