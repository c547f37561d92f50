// SPDX-License-Identifier: BSD-3-Clause
#include "agents/manual_requester.h"

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

LineData ManualRequester::write_data(const Request& request) const {
  const Part& part = pending_[tag_of(request)].part;
  LineData line = Requester::write_data(request);
  line.mask = 0;
  for (std::size_t i = 0; i < part.size; ++i) {
    line.mask |= std::uint64_t{1} << (part.offset + i);
    if (part.data) {
      line.bytes[part.offset + i] = static_cast<std::uint8_t>((*part.data)[i]);
    }
  }
  return line;
}

void ManualRequester::on_read_data(const Request& request, const LineBytes& bytes) {
  Pending& pending = pending_[tag_of(request)];
  const auto* const begin = bytes.data() + pending.part.offset;
  pending.read = std::string(begin, begin + pending.part.size);
}

void ManualRequester::on_complete(const Request& request, Tick now) {
  Pending& pending = pending_[tag_of(request)];
  done_.push_back(
      {pending.id, request.arrival + epoch_, now + epoch_, std::exchange(pending.read, {})});
  free_tags_.push_back(request.tag);
  ++completed_;
}

void ManualRequester::serialize(Archive& archive) {
  archive.section("by hand");
  archive(pending_, free_tags_, done_, next_id_, completed_, epoch_);
  archive.check_indices(free_tags_, pending_.size(), "invalid tag of a manual request");
}

void ManualRequester::Part::serialize(Archive& archive) {
  archive(offset, size, data);
  constexpr std::size_t kLine = sizeof(LineBytes);
  archive.check(offset < kLine && size <= kLine - offset && (!data || data->size() == size),
                "manual request beyond its line");
}

}  // namespace hmsim
