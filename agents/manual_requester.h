// SPDX-License-Identifier: BSD-3-Clause
// Requests that a script or a test sends by hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/pool.h"
#include "core/request.h"
#include "nvdimm/hbf/hbf_status.h"

namespace hmsim {

// Completed request that was sent by hand.
struct Completion {
  std::uint64_t id = 0;
  Tick arrival{0};
  Tick finish{0};
  std::optional<std::string> data;  // data mode: the bytes read
  std::uint8_t status = 0;          // Request::status

  void serialize(Archive& archive) {
    archive(id, arrival, finish, data, status);
    archive.check(status < kHbfStatuses, "invalid status of a manual request");
  }
};

class ManualRequester final : public Requester {
 public:
  // Bytes of its page that a request accesses: some of one line, or whole lines. In data mode,
  // `data` holds the bytes to write; without it, a write stores bytes derived from its id.
  struct Part {
    std::uint32_t offset = 0;  // in the page
    std::uint32_t size = 64;
    std::optional<std::string> data;  // `size` bytes

    void serialize(Archive& archive);
  };

  // Sends a request as requester `agent` and returns its id: 0, 1, 2, ... in order of sending.
  std::uint64_t send(MemoryPort& port, Request request, const Part& part, Tick now);

  // Drops the pending requests, which then never complete.
  void lose_requests() { pending_ = {}; }
  // Sets the host time that is time 0 of the port.
  void set_epoch(Tick epoch) { epoch_ = epoch; }

  // Returns the requests completed since the last call, in order of completion.
  std::vector<Completion> take_completions();

  std::uint64_t& completed() { return completed_; }

  void on_complete(const Request& request, Tick now) override;
  LineData write_data(const Request& request) const override;
  void on_read_data(const Request& request, const LineBytes& bytes) override;
  void serialize(Archive& archive);

 private:
  struct Pending {
    std::uint64_t id = 0;
    Part part;
    std::optional<std::string> read;  // `part.size` bytes

    void serialize(Archive& archive);
  };

  // The bytes of a part that are in one line, from `first` to `end`: places in the page.
  struct Range {
    std::uint32_t first;
    std::uint32_t end;
  };

  static std::uint32_t place_in_page(const Request& line) {
    return static_cast<std::uint32_t>(line.address.value() % kPageBytes.value());
  }
  static Range range_in(const Request& line, const Part& part);

  Pool<Pending> pending_;  // by tag
  std::vector<Completion> done_;
  std::uint64_t next_id_ = 0;
  std::uint64_t completed_ = 0;
  Tick epoch_{0};
};

}  // namespace hmsim
