// SPDX-License-Identifier: BSD-3-Clause
#include "agents/manual_requester.h"

#include <utility>

#include "core/places.h"

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

LineData ManualRequester::write_data(const Request& request) const {
  const Part& part = pending_[request.tag].part;
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
  Pending& pending = pending_[request.tag];
  const auto* const begin = bytes.data() + pending.part.offset;
  pending.read = std::string(begin, begin + pending.part.size);
}

void ManualRequester::on_complete(const Request& request, Tick now) {
  Pending& pending = pending_[request.tag];
  done_.push_back(
      {pending.id, request.arrival + epoch_, now + epoch_, std::exchange(pending.read, {})});
  free_tags_.push_back(request.tag);
  ++completed_;
}

void ManualRequester::serialize(Archive& archive) {
  archive.section("by hand");
  archive(pending_, free_tags_, done_, next_id_, completed_, epoch_);
  archive.check_indices(free_tags_, pending_.size(), "requests by hand do not hold together");
  archive.check(epoch_ >= Tick(0) && epoch_ < kNever, "power came on before the beginning");
}

void ManualRequester::Part::serialize(Archive& archive) {
  archive(offset, size, data);
  constexpr std::size_t kLine = sizeof(LineBytes);
  archive.check(offset < kLine && size <= kLine - offset && (!data || data->size() == size),
                "a request by hand goes beyond its line");
}

void ManualRequester::check_outstanding(const Archive& archive,
                                        const std::vector<Outstanding>& requests) const {
  Places tags(archive, pending_.size(), "requests by hand do not hold together");
  for (const std::uint32_t tag : free_tags_) {
    tags.take(tag);
  }
  for (const Outstanding& each : requests) {
    tags.take(each.request.tag);
  }
  tags.check(tags.all());
}

}  // namespace hmsim
