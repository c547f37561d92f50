// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of the host: each request is in one place, and has one thing to come.
#include <algorithm>

#include "core/places.h"
#include "storage/host.h"

namespace hmsim {

namespace {

constexpr const char* kWrong = "the storage's requests do not hold together";

}  // namespace

void Host::Io::serialize(Archive& archive) {
  request.serialize(archive);
  archive(client, stage, pieces, issued, issued_all, in_context, waits_outside, spins, begun, since,
          parts);
}

void Host::serialize(Archive& archive) {
  archive.section("storage host");
  archive(ios_, pieces_, contexts_, sections_, events_, outstanding_, counts_);
  if (archive.loading()) {
    check_loaded(archive);
  }
  device_.serialize(archive);
  if (archive.loading()) {
    archive.check(pieces_.taken() == device_.under_way(), kWrong);
  }
  device_next_ = device_.next_event();
}

void Host::check_io(const Archive& archive, const Io& io) const {
  const std::vector<Stage>& stages = path(io).stages;
  const auto capacity = static_cast<std::uint64_t>(device_.capacity().value());
  archive.check_index(io.client, clients_.size(), kWrong);
  archive.check_index(io.stage, stages.size(), kWrong);
  archive.check(io.request.offset <= capacity && io.request.bytes <= capacity - io.request.offset &&
                    io.issued <= io.request.bytes,
                kWrong);
  archive.check(io.request.kind != IoRequest::Kind::flush || io.request.bytes == 0, kWrong);
  archive.check(!io.issued_all || io.issued == io.request.bytes, kWrong);
  archive.check(io.begun >= Tick(0) && io.begun <= io.since, kWrong);
  for (const Tick part : io.parts) {
    archive.check(part >= Tick(0), kWrong);
  }
}

void Host::check_loaded(const Archive& archive) const {
  Places places(archive, ios_.size(), kWrong);
  ios_.take_free(places);
  const std::vector<bool> used = ios_.in_use();
  std::vector<std::uint32_t> pieces(ios_.size());
  const std::vector<bool> issued = pieces_.in_use();
  for (std::uint32_t tag = 0; tag < pieces_.size(); ++tag) {
    if (issued[tag]) {
      archive.check_index(pieces_[tag].io, ios_.size(), kWrong);
      archive.check(used[pieces_[tag].io], kWrong);
      ++pieces[pieces_[tag].io];
    } else {
      archive.check(pieces_[tag].io == kNoIndex, kWrong);
    }
  }
  for (std::uint32_t slot = 0; slot < ios_.size(); ++slot) {
    if (!used[slot]) {
      continue;
    }
    const Io& io = ios_[slot];
    check_io(archive, io);
    archive.check(io.pieces == pieces[slot], kWrong);
    const bool outside = clients_[io.client].contexts != nullptr;
    const Stage& stage = path(io).stages[io.stage];
    if (io.waits_outside) {
      archive.check(outside && !io.in_context && stage.where == Stage::Where::core, kWrong);
      places.take(slot);
    }
    if (stage.where == Stage::Where::device && io.issued_all) {
      archive.check(io.pieces > 0, kWrong);
      places.take(slot);
    }
  }
  contexts_.each_waiting([&](std::uint32_t slot) {
    places.take(slot);
    archive.check(!ios_[slot].in_context &&
                      path(ios_[slot]).stages[ios_[slot].stage].where == Stage::Where::core,
                  kWrong);
  });
  std::array<int, kSections> ends{};
  events_.each([&](const auto& event) {
    archive.check(event.time >= Tick(0) && event.time < kNever, kWrong);
    if (event.kind == Event::go_on) {
      places.take(event.payload);
    } else {
      archive.check_index(event.payload, kSections, kWrong);
      ++ends[event.payload];
    }
  });
  for (std::size_t i = 0; i < kSections; ++i) {
    archive.check(ends[i] == (sections_[i].busy() ? 1 : 0), kWrong);
    sections_[i].waiting().each([&](std::uint32_t slot) {
      places.take(slot);
      const Stage& stage = path(ios_[slot]).stages[ios_[slot].stage];
      archive.check(
          stage.where == Stage::Where::section && static_cast<std::size_t>(stage.section) == i,
          kWrong);
    });
  }
  archive.check(places.all(), kWrong);
}

template <class Wanted>
std::vector<std::uint32_t> Host::slots_of(std::uint16_t client, Wanted wanted) const {
  std::vector<std::uint32_t> slots;
  for (const std::uint32_t slot : ios_.taken()) {
    if (ios_[slot].client == client && wanted(ios_[slot])) {
      slots.push_back(slot);
    }
  }
  return slots;
}

std::vector<std::uint32_t> Host::with_context(std::uint16_t client) const {
  return slots_of(client, [](const Io& io) { return io.in_context; });
}

std::vector<std::uint32_t> Host::without_context(std::uint16_t client) const {
  return slots_of(client, [](const Io& io) { return io.waits_outside; });
}

std::vector<std::uint32_t> Host::under_way(std::uint16_t client) const {
  std::vector<std::uint32_t> tags;
  const std::vector<bool> used = ios_.in_use();
  for (std::uint32_t slot = 0; slot < ios_.size(); ++slot) {
    if (used[slot] && ios_[slot].client == client) {
      tags.push_back(ios_[slot].request.tag);
    }
  }
  std::sort(tags.begin(), tags.end());
  return tags;
}

}  // namespace hmsim
