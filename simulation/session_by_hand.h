// SPDX-License-Identifier: BSD-3-Clause
// Session of a simulation without agents: numbers requests and keeps the receipts of those that
// ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/kernel.h"
#include "session/session.h"

namespace hmsim {

class SessionByHand final : private SessionClient {
 public:
  explicit SessionByHand(Kernel& kernel) : kernel_(kernel), session_(*this) {}

  // See Session. `storage`: nullptr: there is none.
  void connect(MemorySystem& memory, std::size_t requester, Host* storage);
  Session& requester() { return session_; }
  Bytes capacity(SessionTarget target) const { return session_.capacity(target); }

  // Returns the request's id: 0, 1, 2, ... in order. Throws InputError for an invalid request, and
  // for an id in `after` that no request had.
  std::uint64_t submit(SessionRequest request, const std::vector<std::uint64_t>& after);
  std::vector<std::uint64_t> under_way() const { return session_.ids(); }
  // Receipts since the last call, in order.
  std::vector<Receipt> take_receipts() { return std::exchange(receipts_, {}); }
  bool has_receipts() const { return !receipts_.empty(); }
  // Sets the host time that is time 0 of the kernel.
  void set_epoch(Tick epoch) { epoch_ = epoch; }
  std::uint64_t& completed() { return completed_; }

  void serialize(Archive& archive);

 private:
  void on_ended(const Receipt& receipt, Tick now) override;
  void observe();

  Kernel& kernel_;
  MemorySystem* memory_ = nullptr;
  Session session_;
  std::vector<Receipt> receipts_;
  std::uint64_t next_id_ = 0;
  std::uint64_t completed_ = 0;
  Tick epoch_{0};
  bool observes_ = false;  // the memory's requests
};

}  // namespace hmsim
