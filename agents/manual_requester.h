// SPDX-License-Identifier: BSD-3-Clause
// Requests that a script or a test sends by hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
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

    void serialize(Archive& archive) {
      archive(offset, size, data);
      constexpr auto kPage = static_cast<std::size_t>(kPageBytes.value());
      archive.check(offset < kPage && size <= kPage - offset && (!data || data->size() == size),
                    "manual request beyond its page");
    }
  };

  // Sends a request as requester `agent` and returns its id: 0, 1, 2, ... in order of sending.
  std::uint64_t send(MemoryPort& port, Request request, const Part& part, Tick now) {
    request.tag = pending_.take();
    const std::uint64_t id = next_id_++;
    pending_[request.tag] = {id, part, std::nullopt};
    port.send(request, now);
    return id;
  }

  // Drops the pending requests, which then never complete.
  void lose_requests() { pending_ = {}; }
  // Sets the host time that is time 0 of the port.
  void set_epoch(Tick epoch) { epoch_ = epoch; }

  // Returns the requests completed since the last call, in order of completion.
  std::vector<Completion> take_completions() { return std::exchange(done_, {}); }

  std::uint64_t& completed() { return completed_; }

  void on_complete(const Request& request, Tick now) override {
    Pending& pending = pending_.held(request.tag);
    ensure(request.status < kHbfStatuses, "by hand", now, request.tag, "invalid status");
    done_.push_back({pending.id, request.arrival + epoch_, now + epoch_,
                     std::exchange(pending.read, {}), request.status});
    pending_.give_back(request.tag);
    ++completed_;
  }

  LineData write_data(const Request& request) const override {
    const Part& part = pending_.held(request.tag).part;
    LineData line = Requester::write_data(request);
    line.mask = 0;
    const Range range = range_in(request, part);
    for (std::uint32_t at = range.first; at < range.end; ++at) {
      const std::size_t i = at - place_in_page(request);
      line.mask |= std::uint64_t{1} << i;
      if (part.data) {
        line.bytes[i] = static_cast<std::uint8_t>((*part.data)[at - part.offset]);
      }
    }
    return line;
  }

  void on_read_data(const Request& request, const LineBytes& bytes) override {
    Pending& pending = pending_.held(request.tag);
    if (!pending.read) {
      pending.read.emplace(pending.part.size, '\0');
    }
    const Range range = range_in(request, pending.part);
    for (std::uint32_t at = range.first; at < range.end; ++at) {
      (*pending.read)[at - pending.part.offset] =
          static_cast<char>(bytes[at - place_in_page(request)]);
    }
  }

  void serialize(Archive& archive) {
    archive.section("by hand");
    archive(pending_, done_, next_id_, completed_, epoch_);
  }

 private:
  struct Pending {
    std::uint64_t id = 0;
    Part part;
    std::optional<std::string> read;  // `part.size` bytes

    void serialize(Archive& archive) {
      archive(id, part, read);
      archive.check(!read || read->size() == part.size,
                    "read of a manual request with other bytes than it has");
    }
  };

  // The bytes of a part that are in one line, from `first` to `end`: places in the page.
  struct Range {
    std::uint32_t first;
    std::uint32_t end;
  };

  static std::uint32_t place_in_page(const Request& line) {
    return static_cast<std::uint32_t>(line.address.value() % kPageBytes.value());
  }

  static Range range_in(const Request& line, const Part& part) {
    const std::uint32_t begin = place_in_page(line);
    return {
        std::max(begin, part.offset),
        std::min(begin + static_cast<std::uint32_t>(sizeof(LineBytes)), part.offset + part.size)};
  }

  Pool<Pending> pending_;  // by tag
  std::vector<Completion> done_;
  std::uint64_t next_id_ = 0;
  std::uint64_t completed_ = 0;
  Tick epoch_{0};
};

}  // namespace hmsim
