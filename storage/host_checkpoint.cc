// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of the host.
#include "storage/host.h"

namespace hmsim {

void Host::Io::serialize(Archive& archive) {
  request.serialize(archive);
  archive(client, stage, pieces, issued, issued_all, in_context, waits_outside, spins, begun, since,
          parts);
}

void Host::serialize(Archive& archive) {
  archive.section("storage host");
  archive(ios_, pieces_, contexts_, sections_, events_, outstanding_, counts_);
  if (archive.loading()) {
    check_indices(archive);
  }
  device_.serialize(archive);
  device_next_ = device_.next_event();
}

void Host::check_indices(const Archive& archive) const {
  const auto capacity = static_cast<std::uint64_t>(device_.capacity().value());
  for (const std::uint32_t slot : ios_.taken()) {
    const Io& io = ios_[slot];
    archive.check_index(io.client, clients_.size(), "request without a client");
    archive.check_index(io.stage, path(io).stages.size(), "request without a layer");
    // These values limit the number of pieces.
    archive.check(io.request.bytes <= capacity && io.issued <= io.request.bytes,
                  "request larger than the device");
  }
  const auto check_slot = each_is_one_of(archive, ios_.in_use());
  for (const std::uint32_t tag : pieces_.taken()) {
    check_slot(pieces_[tag].io);
  }
  contexts_.each_waiting(check_slot);
  for (const Server<std::uint32_t>& section : sections_) {
    section.waiting().each(check_slot);
  }
  events_.each([&](const auto& event) {
    if (event.kind == Event::resume) {
      check_slot(event.payload);
    } else {
      archive.check_index(event.payload, kSections, "invalid section");
    }
  });
}

}  // namespace hmsim
