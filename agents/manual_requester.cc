// SPDX-License-Identifier: BSD-3-Clause
#include "agents/manual_requester.h"

#include <algorithm>
#include <utility>

#include "core/errors.h"

namespace hmsim {

std::uint64_t ManualRequester::send(MemoryPort& port, Request request, const Part& part, Tick now) {
  if (free_tags_.empty()) {
    free_tags_.push_back(static_cast<std::uint32_t>(pending_.size()));
    pending_.emplace_back();
  }
  request.tag = free_tags_.back();
  free_tags_.pop_back();
  const std::uint64_t id = next_id_++;
  pending_[request.tag] = {id, part, std::nullopt};
  port.send(request, now);
  return id;
}

void ManualRequester::lose_requests() {
  pending_.clear();
  free_tags_.clear();
}

std::vector<Completion> ManualRequester::take_completions() { return std::exchange(done_, {}); }

std::uint32_t ManualRequester::tag_of(const Request& request) const {
  ensure(request.tag < pending_.size(), "by hand", request.arrival, request.tag,
         "tag of a manual request that was never given");
  return request.tag;
}

ManualRequester::Range ManualRequester::range_in(const Request& line, const Part& part) {
  const std::uint32_t begin = place_in_page(line);
  return {std::max(begin, part.offset),
          std::min(begin + static_cast<std::uint32_t>(sizeof(LineBytes)), part.offset + part.size)};
}

LineData ManualRequester::write_data(const Request& request) const {
  const Part& part = pending_[tag_of(request)].part;
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

void ManualRequester::on_read_data(const Request& request, const LineBytes& bytes) {
  Pending& pending = pending_[tag_of(request)];
  if (!pending.read) {
    pending.read.emplace(pending.part.size, '\0');
  }
  const Range range = range_in(request, pending.part);
  for (std::uint32_t at = range.first; at < range.end; ++at) {
    (*pending.read)[at - pending.part.offset] =
        static_cast<char>(bytes[at - place_in_page(request)]);
  }
}

void ManualRequester::on_complete(const Request& request, Tick now) {
  Pending& pending = pending_[tag_of(request)];
  ensure(request.status < kHbfStatuses, "by hand", now, request.tag, "invalid status");
  done_.push_back({pending.id, request.arrival + epoch_, now + epoch_,
                   std::exchange(pending.read, {}), request.status});
  free_tags_.push_back(request.tag);
  ++completed_;
}

void ManualRequester::serialize(Archive& archive) {
  archive.section("by hand");
  archive(pending_, free_tags_, done_, next_id_, completed_, epoch_);
  archive.check_indices(free_tags_, pending_.size(), "invalid tag of a manual request");
  for (const Pending& each : pending_) {
    archive.check(!each.read || each.read->size() == each.part.size,
                  "read of a manual request with other bytes than it has");
  }
}

void ManualRequester::Part::serialize(Archive& archive) {
  archive(offset, size, data);
  constexpr auto kPage = static_cast<std::size_t>(kPageBytes.value());
  archive.check(offset < kPage && size <= kPage - offset && (!data || data->size() == size),
                "manual request beyond its page");
}

}  // namespace hmsim
