// SPDX-License-Identifier: BSD-3-Clause
// Requests that a host (a script, a test) sends by hand.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/request.h"

namespace hmsim {

// A request sent by hand that is done.
struct Completion {
  std::uint64_t id = 0;
  Tick arrival{0};
  Tick finish{0};

  void serialize(Archive& archive) { archive(id, arrival, finish); }
};

class HandRequester final : public Requester {
 public:
  // Sends a request as requester `agent` and returns its id: 0, 1, 2 ... in order of sending.
  std::uint64_t send(MemoryPort& port, Request request, Tick now);

  // What completed since the last call, in order of completion.
  std::vector<Completion> take_completions();

  std::uint64_t& completed() { return completed_; }

  void on_complete(const Request& request, Tick now) override;
  void serialize(Archive& archive);

 private:
  std::vector<std::uint64_t> pending_;  // by tag: id of the request
  std::vector<std::uint32_t> free_tags_;
  std::vector<Completion> done_;
  std::uint64_t next_id_ = 0;
  std::uint64_t completed_ = 0;
};

}  // namespace hmsim
