// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of a flash device: each request and each page is in one place, and the module knows
// of those that are its own.
#include "storage/flash_device.h"

namespace hmsim {

namespace {

constexpr const char* kWrong = "the requests of a flash device do not hold together";

}  // namespace

void FlashDevice::serialize(Archive& archive) {
  archive.section("flash device");
  intake_.serialize(archive);
  archive(driver_, queue_, links_, flash_, events_, pages_, left_, free_slots_, flushing_);
  archive.fixed(page_of_);
  module_->serialize(archive);
  clock_.serialize(archive);
  if (archive.loading()) {
    check_flash(archive);
    check_loaded(archive);
  }
}

// Slots are free, or have a page whose lines are commanded.
void FlashDevice::check_flash(const Archive& archive) const {
  using State = NvdimmModule::CommandState;
  Places slots(archive, page_of_.size(), kWrong);
  for (const std::uint32_t slot : free_slots_) {
    slots.take(slot);
  }
  for (std::uint32_t slot = 0; slot < page_of_.size(); ++slot) {
    const std::uint32_t page = page_of_[slot];
    archive.check(slots.has(slot) == (page == kNoIndex), kWrong);
    archive.check_index(page, pages_.size(), kNoIndex, kWrong);
    const bool taken = page != kNoIndex;
    archive.check(!taken || (pages_[page].slot == slot && pages_[page].stage == Stage::flash),
                  kWrong);
    std::uint32_t acks = 0;
    for (std::uint32_t line = 0; line < kLinesPerPage; ++line) {
      const NvdimmModule::CommandView view = module_->command_view(slot * kLinesPerPage + line);
      if (!taken) {
        archive.check(view.state == State::none || (flushing_ != kNoIndex && slot + line == 0),
                      kWrong);
        continue;
      }
      const Page& record = pages_[page];
      const std::uint32_t first = first_line(record);
      const bool commanded = first <= line && line < first + lines(record);
      const auto address =
          static_cast<std::int64_t>(record.offset) / kPageBytes.value() * kPageBytes.value() +
          line * kLineBytes.value();
      archive.check(
          commanded == (view.state != State::none) &&
              (!commanded || (view.write == record.write && view.address == Address(address))),
          kWrong);
      acks += view.state == State::unfinished ? 1 : 0;
    }
    archive.check(!taken || (acks == pages_[page].acks && acks > 0), kWrong);
  }
  const std::size_t used = page_of_.size() - slots.count();
  archive.check(static_cast<std::int64_t>(used) == flash_.used(), kWrong);
}

void FlashDevice::check_loaded(const Archive& archive) const {
  const auto capacity = static_cast<std::uint64_t>(intake_.capacity().value());
  Places places = intake_.started(archive);
  Places pages(archive, pages_.size(), kWrong);
  pages_.take_free(pages);
  std::vector<std::uint32_t> left(left_.size());
  const std::vector<bool> used = pages_.in_use();
  for (std::uint32_t page = 0; page < pages_.size(); ++page) {
    const Page& record = pages_[page];
    archive.check(used[page] == (record.stage != Stage::none), kWrong);
    if (!used[page]) {
      continue;
    }
    const std::uint64_t within = record.offset % static_cast<std::uint64_t>(kPageBytes.value());
    archive.check(record.place < left.size() && record.place < intake_.size() &&
                      record.bytes >= kLineBytes.value() && record.bytes % 512 == 0 &&
                      record.offset % 512 == 0 && record.offset < capacity &&
                      within + record.bytes <= static_cast<std::uint64_t>(kPageBytes.value()) &&
                      record.write == (intake_[record.place].kind == IoRequest::Kind::write),
                  kWrong);
    if (left[record.place]++ == 0) {
      places.take(record.place);
    }
    if (record.stage == Stage::flash) {
      archive.check(record.slot < page_of_.size() && page_of_[record.slot] == page, kWrong);
      pages.take(page);
    }
  }
  archive.check(left == left_, kWrong);
  const auto on = [&](Stage stage) {
    return [&, stage](std::uint32_t page) {
      pages.take(page);
      archive.check(pages_[page].stage == stage, kWrong);
    };
  };
  flash_.each_waiting(on(Stage::waiting));
  events_.each([&](const auto& event) {
    archive.check(event.time >= Tick(0) && event.time < kNever, kWrong);
    if (event.kind == Event::moved_in || event.kind == Event::moved_out) {
      const bool write = event.kind == Event::moved_in;
      on(write ? Stage::link_in : Stage::link_out)(event.payload);
      return;
    }
    places.take(event.payload);
  });
  for (std::size_t i = 0; i < links_.size(); ++i) {
    links_[i].waiting().each([&](std::uint32_t page) {
      pages.take(page);
      const bool write = pages_[page].stage == Stage::link_in;
      archive.check((write || pages_[page].stage == Stage::link_out) &&
                        (write && parameters_.duplex ? 1U : 0U) == i,
                    kWrong);
    });
  }
  driver_.waiting().each([&](std::uint32_t place) { places.take(place); });
  queue_.each_waiting([&](std::uint32_t place) { places.take(place); });
  if (flushing_ != kNoIndex) {
    places.take(flushing_);
    archive.check(intake_[flushing_].kind == IoRequest::Kind::flush && flash_.used() == 0 &&
                      module_->command_view(0).state != NvdimmModule::CommandState::none,
                  kWrong);
  }
  archive.check(pages.all() && places.all(), kWrong);
}

}  // namespace hmsim
