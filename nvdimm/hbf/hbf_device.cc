// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/hbf/hbf_device.h"

#include <string>
#include <utility>

#include "core/errors.h"
#include "core/statistic_sums.h"
#include "core/statistic_table.h"

namespace hmsim {

namespace {

constexpr LineMask kWholePage = ~LineMask{0};

using Table = StatisticTable<HbfDevice, HbfStatistics>;
using S = HbfStatistics;

constexpr std::array kRows{
    Table::counter<&S::hits>("hits", "reads", "reads of a page in its bank's page cache"),
    Table::counter<&S::merged>("merged", "reads",
                               "reads that waited for a page that was being sensed"),
    Table::counter<&S::misses>("misses", "reads", "reads that sensed their page"),
    Table::counter<&S::pending_reads>("pending_reads", "reads",
                                      "reads of a page whose write was not done"),
    Table::counter<&S::pages>("pages", "pages", "pages accepted for programming"),
    Table::part<&S::answers>(),
};
static_assert(Table::complete(kRows), "missing or duplicate row of a count");

}  // namespace

HbfDevice::HbfDevice(const Shape& shape, HbfHost& host, std::size_t tags, std::uint64_t seed)
    : hbf_(shape.hbf),
      host_(host),
      banks_(shape.hbf.banks_of_channel()),
      blocks_per_bank_(shape.nand.superblocks(shape.capacity) / banks_),
      pages_per_block_(shape.nand.pages_per_block),
      merges_(shape.hbf.merge && shape.hbf.cache_pages > 0),
      flash_(shape.nand, shape.nand.superblocks(shape.capacity), *this, seed),
      blocks_(banks_ * blocks_per_bank_, static_cast<std::uint32_t>(pages_per_block_),
              shape.hbf.erased_at_start),
      cache_(banks_, shape.hbf.cache_pages),
      next_(tags, kNoIndex),
      units_(static_cast<std::size_t>(shape.hbf.pending_writes)),
      bytes_(shape.store_data ? std::make_unique<LineStore>() : nullptr),
      incoming_(shape.store_data ? units_.size() : 0) {
  flash_.attach(*this);
}

void HbfDevice::read(std::uint32_t tag, std::int64_t page, LineMask lines, Tick now) {
  if (pending_ > 0) {
    if (const std::uint32_t unit = unit_of_.find(page); unit != kNoIndex) {
      ++statistics_.pending_reads;
      const bool arrived = (units_[unit].lines & lines) == lines;
      answer(tag, arrived ? HbfStatus::done : HbfStatus::pending_part, now, now, true);
      return;
    }
  }
  if (cache_.use(bank_of(page), page)) {
    ++statistics_.hits;
    answer(tag, status_of(block_of(page), page_in_block(page)), now, now);
    return;
  }
  if (merges_) {
    const std::uint32_t other = sense_of_.find_or_insert(page, sensing_.next());
    if (other != kNoIndex) {
      ++statistics_.merged;
      sensing_[other].readers.push_back(next_.data(), tag);
      return;
    }
  }
  ++statistics_.misses;
  const std::uint32_t index = sensing_.take();
  sensing_[index].page = page;
  sensing_[index].readers.push_back(next_.data(), tag);
  submit(FlashOperation::read, page, index, now);
}

HbfStatus HbfDevice::status_of(std::size_t block, std::uint32_t number) const {
  if (!blocks_.written(block, number)) {
    return HbfStatus::erased_page;
  }
  const bool due =
      hbf_.refresh_reads != kNoLimitOfReads && blocks_.senses(block) >= hbf_.refresh_reads;
  return due ? HbfStatus::refresh_due : HbfStatus::done;
}

void HbfDevice::end_sense(std::uint32_t index, Tick now) {
  Sense& sense = sensing_[index];
  const std::int64_t page = sense.page;
  const std::size_t block = block_of(page);
  blocks_.sensed(block);
  if (sense.current) {
    if (merges_) {
      sense_of_.erase(page);
    }
    cache_.keep(bank_of(page), page);
  }
  const HbfStatus status = status_of(block, page_in_block(page));
  while (!sense.readers.empty()) {
    answer(sense.readers.pop_front(next_.data()), status, sense.begun, now);
  }
  sensing_.give_back(index);
}

void HbfDevice::write(std::uint32_t tag, std::uint32_t unit, bool first, std::int64_t page,
                      LineMask lines, Tick now) {
  Unit& own = units_[unit];
  if (first) {
    ensure(own.state == UnitState::free || own.state == UnitState::late, "hbf", now, page,
           "use of a pending page that is not free");
    const std::uint32_t use = own.use + 1;
    own = Unit();
    own.page = page;
    own.use = use;
    own.state = UnitState::gathering;
    ++pending_;
    if (const std::uint32_t before = unit_of_.find(page); before != kNoIndex) {
      forget(before);
    }
    unit_of_.insert(page, unit);
    own.latest = true;
    deadlines_.push({now + hbf_.accumulate, unit, use});
    find_own_next();
  }
  if (own.state != UnitState::gathering) {
    answer(tag, own.state == UnitState::late ? HbfStatus::late : HbfStatus::overlap, now, now);
    return;
  }
  if ((own.lines & lines) != 0) {
    answer(tag, HbfStatus::overlap, now, now);
    return;
  }
  own.lines |= lines;
  own.parts.push_back(next_.data(), tag);
  if (own.lines == kWholePage) {
    complete(unit, now);
  }
}

// Checks the order of a page all of whose parts have arrived, and begins its coding.
void HbfDevice::complete(std::uint32_t unit, Tick now) {
  Unit& own = units_[unit];
  const std::size_t block = block_of(own.page);
  const std::uint32_t number = page_in_block(own.page);
  if (!blocks_.accept(block, number)) {
    end_unit(unit, HbfStatus::out_of_order, now);
    return;
  }
  ++statistics_.pages;
  own.state = UnitState::complete;
  own.age = blocks_.age(block);
  cache_.drop(bank_of(own.page), [&](std::int64_t page) {
    return page == own.page || (number == 0 && block_of(page) == block);
  });
  if (const std::uint32_t old = sense_of_.find(own.page); old != kNoIndex) {
    sensing_[old].current = false;
    sense_of_.erase(own.page);
  }
  coding_.push({now + hbf_.ecc_write, unit, own.use});
  find_own_next();
}

void HbfDevice::program(std::uint32_t unit, Tick now) {
  const std::int64_t page = units_[unit].page;
  if (page_in_block(page) == 0 && blocks_.begin(block_of(page))) {
    submit(FlashOperation::erase, page, unit, now);
  }
  submit(FlashOperation::program, page, unit, now);
}

void HbfDevice::forget(std::uint32_t unit) {
  unit_of_.erase(units_[unit].page);
  units_[unit].latest = false;
}

void HbfDevice::end_unit(std::uint32_t unit, HbfStatus status, Tick now) {
  Unit& own = units_[unit];
  if (own.latest) {
    forget(unit);
  }
  --pending_;
  own.state = status == HbfStatus::late ? UnitState::late : UnitState::free;
  while (!own.parts.empty()) {
    answer(own.parts.pop_front(next_.data()), status, earlier(own.begun, now), now);
  }
}

void HbfDevice::answer(std::uint32_t tag, HbfStatus status, Tick begun, Tick now, bool pending) {
  ++statistics_.answers[static_cast<std::size_t>(status)];
  host_.on_answer(tag, status, pending, begun, now);
}

void HbfDevice::submit(FlashOperation operation, std::int64_t page, std::uint32_t subject,
                       Tick now) {
  flash_.submit({this, operation, FlashPriority::demand, bank_of(page), subject}, now);
}

std::int64_t HbfDevice::page_of(const FlashCommand& command) const {
  return command.operation == FlashOperation::read ? sensing_[command.subject].page
                                                   : units_[command.subject].page;
}

// Withdraws operations of a page whose block has failed since the page was accepted.
bool HbfDevice::on_flash_start(const FlashCommand& command, Tick now) {
  if (command.operation == FlashOperation::read) {
    sensing_[command.subject].begun = now;
    return true;
  }
  Unit& own = units_[command.subject];
  const bool stands = own.age == blocks_.age(block_of(own.page));
  if (!stands) {
    if (command.operation == FlashOperation::program) {
      end_unit(command.subject, HbfStatus::out_of_order, now);
    }
    return false;
  }
  own.begun = earlier(own.begun, now);
  if (command.operation == FlashOperation::program) {
    own.started = true;
  } else {
    own.erasing = true;
    blocks_.clear(block_of(own.page));
  }
  return true;
}

PhysicalPage HbfDevice::flash_place(const FlashCommand& command) const {
  return place_of(page_of(command));
}

void HbfDevice::on_flash_done(const FlashCommand& command, Tick now) {
  const std::int64_t page = page_of(command);
  switch (command.operation) {
    case FlashOperation::read:
      end_sense(command.subject, now);
      return;
    case FlashOperation::erase:
      blocks_.erased(block_of(page));
      units_[command.subject].erasing = false;
      clear_block(page);
      return;
    case FlashOperation::program:
      end_program(command, now);
      return;
  }
}

// A failed program ends everything that is pending for its block.
void HbfDevice::end_program(const FlashCommand& command, Tick now) {
  const Unit& own = units_[command.subject];
  const std::size_t block = block_of(own.page);
  HbfStatus status = HbfStatus::done;
  if (own.age != blocks_.age(block)) {
    status = HbfStatus::out_of_order;
  } else if (command.failed) {
    status = HbfStatus::program_failed;
    blocks_.fail(block);
  }
  if (status == HbfStatus::done) {
    blocks_.programmed(block, page_in_block(own.page));
    if (bytes_ != nullptr) {
      keep(command.subject);
    }
  }
  end_unit(command.subject, status, now);
}

// Processes the next event that is not the flash array's.
void HbfDevice::advance_own() {
  const Tick now = own_next_;
  if (!coding_.empty() && coding_.front().time == now) {
    const std::uint32_t unit = coding_.front().unit;
    coding_.pop();
    program(unit, now);
  } else {
    const Deadline deadline = deadlines_.front();
    deadlines_.pop();
    const Unit& own = units_[deadline.unit];
    if (own.use == deadline.use && own.state == UnitState::gathering) {
      end_unit(deadline.unit, HbfStatus::late, now);
    }
  }
  find_own_next();
}

void HbfDevice::find_own_next() {
  const Tick coded = coding_.empty() ? kNever : coding_.front().time;
  const Tick deadline = deadlines_.empty() ? kNever : deadlines_.front().time;
  own_next_ = earlier(coded, deadline);
}

void HbfStatistics::serialize(Archive& archive) { Table::serialize(*this, archive, kRows); }

void HbfDevice::reset_statistics(Tick now) {
  statistics_ = HbfStatistics();
  flash_.reset_statistics(now);
}

void register_hbf_statistics(StatisticRegistry& registry, const std::vector<HbfDevice*>& devices) {
  Table::report(kRows, registry, devices, "hbf.");
  constexpr std::array<const char*, kHbfStatuses> kAnswers{
      "requests answered without a status",
      "reads of a block that must be refreshed",
      "reads of a page that is not programmed",
      "reads of a part of a page that had not arrived",
      "writes of a part that had arrived already",
      "writes whose page was not complete in time",
      "writes that were not for the next page of their block",
      "writes whose program failed"};
  for (std::size_t i = 0; i < kHbfStatuses; ++i) {
    registry.counter(std::string("hbf.status.") + kHbfStatusNames[i], "requests", kAnswers[i],
                     members_of(devices, [i](HbfDevice& device) -> Counter& {
                       return device.statistics().answers[i];
                     }));
  }
  register_nand_statistics(registry, members_of(devices, &HbfDevice::flash));
}

void HbfDevice::serialize(Archive& archive) {
  archive.section("hbf device");
  archive(flash_.statistics(), flash_, blocks_, cache_, statistics_, sensing_, pending_, deadlines_,
          coding_);
  archive.fixed(units_);
  if (bytes_ != nullptr) {
    archive(*bytes_);
    for (PageBytes& page : incoming_) {
      archive.raw(page.data(), page.size());
    }
  }
  for (std::uint32_t index = 0; index < sensing_.size(); ++index) {
    serialize_slots(archive, sensing_[index].readers, next_.data(), next_.size(),
                    [](std::uint32_t) {});
  }
  for (Unit& unit : units_) {
    serialize_slots(archive, unit.parts, next_.data(), next_.size(), [](std::uint32_t) {});
  }
  if (archive.loading()) {
    rebuild(archive);
  }
}

// Rebuilds the tables of pages.
void HbfDevice::rebuild(const Archive& archive) {
  sense_of_.clear();
  unit_of_.clear();
  for (const std::uint32_t index : sensing_.taken()) {
    const Sense& sense = sensing_[index];
    archive.check_index(sense.page, static_cast<std::size_t>(pages()), "invalid page");
    if (merges_ && sense.current) {
      archive.check(sense_of_.find(sense.page) == kNoIndex, "page that is sensed twice");
      sense_of_.insert(sense.page, index);
    }
  }
  for (std::uint32_t unit = 0; unit < units_.size(); ++unit) {
    archive.check_index(units_[unit].page, static_cast<std::size_t>(pages()), "invalid page");
    if (units_[unit].latest) {
      archive.check(unit_of_.find(units_[unit].page) == kNoIndex, "page that is pending twice");
      unit_of_.insert(units_[unit].page, unit);
    }
  }
  const auto check = [&](const Deadline& each) {
    archive.check_index(each.unit, units_.size(), "invalid pending page");
  };
  deadlines_.each(check);
  coding_.each(check);
  find_own_next();
}

}  // namespace hmsim
