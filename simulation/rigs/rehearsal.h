// SPDX-License-Identifier: BSD-3-Clause
// A transaction scheduler without a channel: told of requests by hand, asked for their order.
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
  // One rank of DDR3-1600, and an NVDIMM of eight LUNs; room for 512 requests. In cycles: tRTRS.
  static ChannelShape ddr3_1600(std::int64_t rank_switch = 1);

  // `shape.slots` bounds the requests.
  Rehearsal(const std::string& scheduler, const Assignments& assignments,
            const ChannelShape& shape);

  // At the present time; takes the request's class, direction, source, bank, row and row_hit, fills
  // in the rest, and returns its number: 0, 1, ...
  std::uint32_t enqueue(RequestView request);
  void command(std::uint32_t number) { tell(&TransactionPolicy::on_command, number, false); }
  void ack(std::uint32_t number) { tell(&TransactionPolicy::on_ack, number, false); }
  void issue(std::uint32_t number, bool row_hit);
  void complete(std::uint32_t number) { tell(&TransactionPolicy::on_complete, number, false); }

  // Time passes; the scheduler changes when it wants to.
  void run_to(Tick time);
  void retire(std::uint16_t source, std::int64_t instructions);

  // Requests that are not issued, best first, as if all had the row state that they came with.
  std::vector<std::uint32_t> order() const;
  std::uint64_t key(std::uint32_t number) const { return policy().key(views_.at(number)); }
  bool withholds(std::uint32_t number) const { return policy().withholds(views_.at(number)); }
  TransactionScheduler& policy() const { return *policy_; }
  Tick now() const { return now_; }

  std::int64_t instructions(std::uint16_t source) const override;

 private:
  using Hook = void (TransactionPolicy::*)(const RequestView&, Tick);
  void tell(Hook hook, std::uint32_t number, bool row_hit);

  std::unique_ptr<TransactionScheduler> policy_;
  const ChannelShape shape_;
  Tick now_{0};
  std::vector<RequestView> views_;  // by number, which is the slot too
  std::vector<bool> issued_;
  std::vector<std::int64_t> instructions_;  // by source
};

}  // namespace hmsim
