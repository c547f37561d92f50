// SPDX-License-Identifier: BSD-3-Clause
// Rules of the flash protocol, in the order in which a command meets them.
#include "check/flash_checker.h"

#include <algorithm>
#include <array>

namespace hmsim {

namespace {

using O = FlashOperation;
using S = FlashStage;

constexpr std::array<const char*, 3> kFlashNames{"flash read", "flash program", "flash erase"};

}  // namespace

FlashChecker::FlashChecker(const NandParameters& nand, std::int64_t blocks, int channel,
                           Tick period, ViolationLog& violations)
    : nand_(nand),
      channel_(channel),
      period_(period),
      violations_(violations),
      blocks_(static_cast<std::size_t>(blocks)),
      health_(static_cast<std::size_t>(blocks / nand.planes)),
      modes_(static_cast<std::size_t>(nand.slc_blocks == 0 ? 0 : blocks)),
      luns_(static_cast<std::size_t>(nand.luns())),
      free_(static_cast<std::size_t>(nand.channels)) {}

std::int64_t FlashChecker::unfinished() const {
  std::int64_t count = 0;
  for (const Lun& lun : luns_) {
    count += std::count_if(lun.parts.begin(), lun.parts.end(),
                           [](const Part& part) { return part.step != Step::moved; });
  }
  return count;
}

void FlashChecker::on_flash(const FlashRecord& record) {
  ++records_;
  if (!check_place(record)) {
    return;
  }
  if (record.stage == S::command || record.stage == S::data_out || record.stage == S::status) {
    check_bus(record);
  }
  // By stage.
  constexpr std::array kRules{&FlashChecker::command, &FlashChecker::cells,
                              &FlashChecker::done,    &FlashChecker::suspend,
                              &FlashChecker::resume,  &FlashChecker::data_out,
                              &FlashChecker::status,  &FlashChecker::fail};
  (this->*kRules[static_cast<std::size_t>(record.stage)])(luns_[record.lun], record);
}

bool FlashChecker::check_place(const FlashRecord& record) {
  const bool exists = record.lun < luns_.size() && record.block < blocks_.size() &&
                      record.block / (blocks_.size() / luns_.size()) == record.lun &&
                      record.page < nand_.pages_per_block && record.parts > 0 &&
                      record.parts < 1 << (nand_.page_size.value() / 4096);
  if (!exists) {
    add("flash place", record, 1, std::int64_t{0});
  }
  return exists;
}

void FlashChecker::check_bus(const FlashRecord& record) {
  Tick& free = free_[record.lun / static_cast<std::size_t>(nand_.luns_per_channel())];
  if (record.start < free) {
    add("flash bus", record, free, record.start);
  }
  free = later(free, record.end);
  const Tick least = least_bus_time(record);
  if (record.end - record.start < least) {
    add("flash bus time", record, least, record.end - record.start);
  }
}

void FlashChecker::command(Lun& lun, const FlashRecord& record) {
  if (lun.more) {
    check_plane(lun, record);
  } else {
    overwrite(lun, 0);
    check_ready(lun, record);
    ++lun.group;
  }
  const Health health = health_of(record.block);
  const bool refused =
      record.operation == O::program ? health != Health::good : health == Health::bad;
  if (record.operation != O::read && refused && !lun.more) {
    add("bad block", record, 1, std::int64_t{0});
  }
  check_mode(record);
  if (record.operation == O::program) {
    check_page(record);
  }
  lun.parts.push_back({record.operation, Step::commanded, record.transfer, record.block,
                       record.page, lun.group, record.end});
  lun.more = record.more;
}

void FlashChecker::check_ready(Lun& lun, const FlashRecord& record) {
  for (Part& part : lun.parts) {
    if (part.step == Step::suspended) {
      ++part.overtaken;
      if (record.operation != O::read || same_superblock(part.block, record.block)) {
        add("suspended LUN", record, 1, std::int64_t{0});
      } else if (part.overtaken > nand_.suspend_limit) {
        add("suspend limit", record, nand_.suspend_limit, part.overtaken);
      }
      continue;
    }
    // In a cache sequence, the previous operation is in the cells, or its page is in the register.
    // An operation that waits for the cells, erases, or reads without transfer blocks the register.
    const bool sequence = nand_.cache && part.operation == record.operation &&
                          record.operation != O::erase && part.transfer && record.transfer &&
                          part.step != Step::commanded;
    if (!sequence) {
      add("busy LUN", record, 1, std::int64_t{0});
    } else if (part.step == Step::cells && record.start < lun.cells_begun + nand_.cache_busy_time) {
      add("tCBSY", record, lun.cells_begun + nand_.cache_busy_time, record.start);
    }
  }
}

void FlashChecker::check_plane(const Lun& lun, const FlashRecord& record) {
  for (const Part& part : lun.parts) {
    if (part.group != lun.group) {
      continue;
    }
    const std::uint64_t planes = static_cast<std::uint64_t>(nand_.planes);
    const bool any_page = nand_.independent_reads && record.operation == O::read;
    if (part.operation != record.operation || part.transfer != record.transfer ||
        (part.page != record.page && !any_page) || part.block % planes == record.block % planes) {
      add("multi-plane", record, 1, std::int64_t{0});
    }
    if (nand_.multi_plane && record.start < part.commanded + nand_.plane_busy_time) {
      add("tDBSY", record, part.commanded + nand_.plane_busy_time, record.start);
    }
  }
  if (!nand_.multi_plane && record.operation != O::erase) {
    add("multi-plane", record, 0, std::int64_t{1});
  }
}

void FlashChecker::check_page(const FlashRecord& record) {
  std::uint32_t& programmed = blocks_[record.block];
  if (record.page < programmed) {
    add("erase before program", record, programmed, std::int64_t{record.page});
  } else if (record.page > programmed) {
    add("page order", record, programmed, std::int64_t{record.page});
  }
  programmed = std::max(programmed, record.page + 1);
}

// Blocks that were programmed before the checker saw them have an unknown mode. A read whose page
// was moved and erased meanwhile may find any mode.
void FlashChecker::check_mode(const FlashRecord& record) {
  if (record.operation == O::erase ||
      (record.operation == O::read && record.page >= blocks_[record.block])) {
    return;
  }
  if (record.one_bit &&
      (nand_.slc_blocks == 0 || record.page >= nand_.pages_per_block / nand_.cell_bits)) {
    add("cell mode", record, nand_.pages_per_block / nand_.cell_bits, std::int64_t{record.page});
  }
  if (modes_.size() == 0) {
    return;
  }
  const Mode mode = record.one_bit ? Mode::one_bit : Mode::several_bits;
  Mode& known = modes_[record.block];
  const bool first = record.page == 0 && record.operation == O::program;
  known = first || known == Mode::unknown ? mode : known;
  if (known != mode) {
    add("cell mode", record, static_cast<std::int64_t>(known), static_cast<std::int64_t>(mode));
  }
}

void FlashChecker::cells(Lun& lun, const FlashRecord& record) {
  Part* const own = find(lun, record, Step::commanded);
  if (own == nullptr) {
    add("cells without command", record, 1, std::int64_t{0});
    return;
  }
  if (record.start < own->commanded || lun.more) {
    add("cells before command", record, own->commanded, record.start);
  }
  for (const Part& part : lun.parts) {
    if (part.step == Step::cells && part.group != own->group) {
      add("cells", record, 1, std::int64_t{2});
    }
  }
  own->step = Step::cells;
  own->begun = record.start;
  lun.cells_begun = record.start;
}

void FlashChecker::done(Lun& lun, const FlashRecord& record) {
  Part* const part = find(lun, record, Step::cells);
  if (part == nullptr) {
    add("done without cells", record, 1, std::int64_t{0});
    return;
  }
  const Tick worked = part->worked + (record.start - part->begun);
  const Tick least = least_cell_time(record);
  if (worked < least) {
    add("cell time", record, least, worked);
  }
  if (record.operation == O::erase) {
    blocks_[record.block] = 0;
    Health& health = health_of(record.block);
    health = health == Health::failing ? Health::bad : health;
  }
  part->step = Step::done;
  if (record.operation == O::read ? !record.transfer : nand_.interface == NandInterface::flat) {
    lun.parts.erase(lun.parts.begin() + (part - lun.parts.data()));
  }
}

void FlashChecker::fail(Lun& /*lun*/, const FlashRecord& record) {
  health_of(record.block) = record.operation == O::erase ? Health::bad : Health::failing;
}

void FlashChecker::suspend(Lun& lun, const FlashRecord& record) {
  Part* const part = find(lun, record, Step::cells);
  const bool allowed = nand_.suspend == SuspendMode::both ||
                       (nand_.suspend == SuspendMode::erase && record.operation == O::erase) ||
                       (nand_.suspend == SuspendMode::program && record.operation == O::program);
  if (part == nullptr || !allowed || record.operation == O::read) {
    add("suspend", record, 1, std::int64_t{0});
    return;
  }
  part->step = Step::suspended;
  part->worked += record.start - part->begun;
  part->begun = record.start;
}

void FlashChecker::resume(Lun& lun, const FlashRecord& record) {
  Part* const part = find(lun, record, Step::suspended);
  if (part == nullptr) {
    add("resume", record, 1, std::int64_t{0});
    return;
  }
  if (record.start < part->begun + nand_.suspend_time) {
    add("suspend time", record, part->begun + nand_.suspend_time, record.start);
  }
  part->step = Step::cells;
  part->begun = record.start + nand_.resume_time;
  const std::int64_t group = part->group;
  overwrite(lun, group);
  for (const Part& other : lun.parts) {
    if (other.group != group) {
      add("busy LUN", record, 1, std::int64_t{0});
    }
  }
}

// While the cells work on another page, the register is the cache register.
void FlashChecker::data_out(Lun& lun, const FlashRecord& record) {
  Part* const part = find(lun, record, record.further ? Step::moved : Step::done);
  if (part == nullptr || record.operation != O::read) {
    add("data without read", record, 1, std::int64_t{0});
    return;
  }
  for (const Part& other : lun.parts) {
    if (other.group == part->group || other.step == Step::suspended) {
      continue;
    }
    if (!nand_.cache) {
      add("busy LUN", record, 1, std::int64_t{0});
    } else if (other.step == Step::cells &&
               record.start < lun.cells_begun + nand_.cache_busy_time) {
      add("tCBSY", record, lun.cells_begun + nand_.cache_busy_time, record.start);
    }
  }
  const Tick taken = record.end - record.start;
  const bool follows = (record.parts & -record.parts) / 2 <= part->moved &&
                       (record.parts & -record.parts) > part->moved;
  if (part->step == Step::moved && !follows && taken < least_bus_time(record, true)) {
    add("column change", record, least_bus_time(record, true), taken);
  }
  part->step = Step::moved;
  part->moved = record.parts;
  overwrite(lun, part->group);
}

// One status command covers all planes of an operation.
void FlashChecker::status(Lun& lun, const FlashRecord& record) {
  const Part* const part = find(lun, record, Step::done);
  if (part == nullptr || record.operation == O::read) {
    add("status", record, 1, std::int64_t{0});
    return;
  }
  remove_if(lun, [group = part->group](const Part& other) { return other.group == group; });
}

FlashChecker::Part* FlashChecker::find(Lun& lun, const FlashRecord& record, Step step) {
  for (Part& part : lun.parts) {
    if (part.step == step && part.operation == record.operation && part.block == record.block &&
        part.page == record.page) {
      return &part;
    }
  }
  return nullptr;
}

// Forgets pages in the register, save those of the operation `group`.
void FlashChecker::overwrite(Lun& lun, std::int64_t group) {
  remove_if(lun,
            [group](const Part& part) { return part.step == Step::moved && part.group != group; });
}

void FlashChecker::add(const char* rule, const FlashRecord& record, std::int64_t needed,
                       std::int64_t got) {
  const auto planes = static_cast<std::uint64_t>(nand_.planes);
  violations_.add({channel_, Cycle(record.start / period_), rule,
                   kFlashNames[static_cast<std::size_t>(record.operation)],
                   static_cast<int>(record.lun), static_cast<int>(record.block % planes),
                   static_cast<std::int64_t>(record.block) * nand_.pages_per_block + record.page,
                   needed, got});
}

}  // namespace hmsim
