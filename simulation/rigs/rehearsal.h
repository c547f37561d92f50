// SPDX-License-Identifier: BSD-3-Clause
// Transaction scheduler without a channel, driven by hand; reports the order of its requests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/archive.h"
#include "policies/policy.h"

namespace hmsim {

class Rehearsal final : public SourceProgress {
 public:
  // Shape with one rank of DDR3-1600, an NVDIMM of eight LUNs, and 512 slots. `rank_switch`: tRTRS,
  // in cycles.
  static ChannelShape ddr3_1600(std::int64_t rank_switch = 1);

  // At most `shape.slots` requests can be enqueued.
  Rehearsal(const std::string& scheduler, const Assignments& assignments,
            const ChannelShape& shape);

  // Enqueues a request now and returns its number: 0, 1, ... Uses the class, direction, source,
  // bank, row and row_hit of `request`, and sets its other fields.
  std::uint32_t enqueue(RequestView request);
  void command(std::uint32_t number) { notify(&TransactionPolicy::on_command, number, false); }
  void ack(std::uint32_t number) { notify(&TransactionPolicy::on_ack, number, false); }
  void issue(std::uint32_t number, bool row_hit);
  void complete(std::uint32_t number) { notify(&TransactionPolicy::on_complete, number, false); }

  // Advances time. The scheduler performs its changes on the way.
  void run_to(Tick time);
  void retire(std::uint16_t source, std::int64_t instructions);

  // Returns the requests not yet issued, best first, as if each had the row state it was enqueued
  // with.
  std::vector<std::uint32_t> order() const;
  std::uint64_t key(std::uint32_t number) const { return policy().key(views_.at(number)); }
  bool withholds(std::uint32_t number) const { return policy().withholds(views_.at(number)); }
  TransactionScheduler& policy() const { return *policy_; }
  Tick now() const { return now_; }

  std::int64_t instructions(std::uint16_t source) const override;

 private:
  using Hook = void (TransactionPolicy::*)(const RequestView&, Tick);
  void notify(Hook hook, std::uint32_t number, bool row_hit);

  std::unique_ptr<TransactionScheduler> policy_;
  const ChannelShape shape_;
  Tick now_{0};
  std::vector<RequestView> views_;  // by number, which is also the slot
  std::vector<bool> issued_;
  std::vector<std::int64_t> instructions_;  // by source
};

}  // namespace hmsim
