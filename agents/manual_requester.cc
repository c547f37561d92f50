// SPDX-License-Identifier: BSD-3-Clause
#include "agents/manual_requester.h"

#include <algorithm>
#include <utility>

#include "core/errors.h"

namespace hmsim {

std::uint64_t ManualRequester::send(MemoryPort& port, Request request, const Part& part, Tick now) {
  request.tag = pending_.take();
  const std::uint64_t id = next_id_++;
  pending_[request.tag] = {id, part, std::nullopt};
  port.send(request, now);
  return id;
}

std::vector<Completion> ManualRequester::take_completions() { return std::exchange(done_, {}); }

ManualRequester::Range ManualRequester::range_in(const Request& line, const Part& part) {
  const std::uint32_t begin = place_in_page(line);
  return {std::max(begin, part.offset),
          std::min(begin + static_cast<std::uint32_t>(sizeof(LineBytes)), part.offset + part.size)};
}

LineData ManualRequester::write_data(const Request& request) const {
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

void ManualRequester::on_read_data(const Request& request, const LineBytes& bytes) {
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

void ManualRequester::on_complete(const Request& request, Tick now) {
  Pending& pending = pending_.held(request.tag);
  ensure(request.status < kHbfStatuses, "by hand", now, request.tag, "invalid status");
  done_.push_back({pending.id, request.arrival + epoch_, now + epoch_,
                   std::exchange(pending.read, {}), request.status});
  pending_.give_back(request.tag);
  ++completed_;
}

void ManualRequester::serialize(Archive& archive) {
  archive.section("by hand");
  archive(pending_, done_, next_id_, completed_, epoch_);
}

void ManualRequester::Pending::serialize(Archive& archive) {
  archive(id, part, read);
  archive.check(!read || read->size() == part.size,
                "read of a manual request with other bytes than it has");
}

void ManualRequester::Part::serialize(Archive& archive) {
  archive(offset, size, data);
  constexpr auto kPage = static_cast<std::size_t>(kPageBytes.value());
  archive.check(offset < kPage && size <= kPage - offset && (!data || data->size() == size),
                "manual request beyond its page");
}

}  // namespace hmsim
