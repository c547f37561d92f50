// SPDX-License-Identifier: BSD-3-Clause
#include "check/media_checker.h"

#include <array>

namespace hmsim {

namespace {

constexpr std::array<const char*, 4> kMediaNames{"media read", "media write", "gap move",
                                                 "media update"};

std::int64_t key(std::uint64_t number) { return static_cast<std::int64_t>(number); }

}  // namespace

MediaChecker::MediaChecker(const NvdimmParameters& nvdimm, int channel, Tick period,
                           ViolationLog& violations)
    : media_(nvdimm.media),
      places_(static_cast<std::uint64_t>(nvdimm.media.region_lines(nvdimm.capacity)) + 1),
      channel_(channel),
      period_(period),
      violations_(violations) {
  if (nvdimm.present && !has_flash(nvdimm.kind)) {
    banks_.resize(static_cast<std::size_t>(media_.banks));
    regions_.resize(static_cast<std::size_t>(media_.banks * media_.start_gap.regions));
  }
}

void MediaChecker::on_gap(std::uint64_t region, std::uint64_t place, std::uint64_t writes) {
  const auto psi = static_cast<std::uint64_t>(media_.start_gap.psi);
  regions_[region] = {place, writes};
  Bank& bank = banks_[region / (regions_.size() / banks_.size())];
  bank.due = bank.due || (psi != 0 && writes >= psi);
}

void MediaChecker::on_media(const MediaRecord& record) {
  ++records_;
  Bank& bank = banks_[record.bank];
  if (record.start < bank.until) {
    violated("media busy", record, static_cast<std::uint64_t>(bank.until.value()),
             static_cast<std::uint64_t>(record.start.value()));
  }
  bank.until = record.end;
  const Tick read = media_.technology.read_time;
  const Tick write = media_.technology.write_time;
  const std::array<Tick, 4> times{read, write, read + write, read + write};
  const Tick time = times[static_cast<std::size_t>(record.operation)];
  if (record.end - record.start != time) {
    violated("media time", record, static_cast<std::uint64_t>(time.value()),
             static_cast<std::uint64_t>((record.end - record.start).value()));
  }
  const std::uint64_t region = record.place / places_;
  const std::uint64_t home = region / (regions_.size() / banks_.size());
  if (region >= regions_.size() || home != record.bank) {
    violated("media bank", record, record.bank, home);
    return;
  }
  if (record.operation == MediaOperation::move) {
    check_move(record);
    return;
  }
  if (bank.due) {
    violated("gap interval", record, 0, 1);
  }
  check_place(record);
  const auto psi = static_cast<std::uint64_t>(media_.start_gap.psi);
  if (record.operation != MediaOperation::read) {
    bank.due = psi != 0 && ++regions_[region].writes >= psi;
  }
}

void MediaChecker::check_place(const MediaRecord& record) {
  const auto line_bytes = static_cast<std::uint64_t>(media_.line.value());
  const std::uint64_t bank = record.line * line_bytes /
                             static_cast<std::uint64_t>(media_.interleave.value()) % banks_.size();
  if (bank != record.bank) {
    violated("media bank", record, bank, record.bank);
  }
  const std::uint64_t gap = regions_[record.place / places_].gap;
  if (record.place == gap) {
    violated("media place", record, gap, record.place);
  }
  const std::uint32_t known = by_line_.find(key(record.line));
  const std::uint32_t there = by_place_.find(key(record.place));
  if (known != there) {
    violated("media place", record, known == kNoIndex ? record.place : lines_[known].place,
             record.place);
  } else if (known == kNoIndex) {
    const auto index = static_cast<std::uint32_t>(lines_.size());
    lines_.push_back({record.line, record.place});
    by_line_.insert(key(record.line), index);
    by_place_.insert(key(record.place), index);
  }
}

void MediaChecker::check_move(const MediaRecord& record) {
  Region& region = regions_[record.place / places_];
  const auto psi = static_cast<std::uint64_t>(media_.start_gap.psi);
  if (psi == 0 || region.writes < psi) {
    violated("gap interval", record, psi, region.writes);
  }
  const std::uint64_t first = record.place / places_ * places_;
  const std::uint64_t before = region.gap == first ? first + places_ - 1 : region.gap - 1;
  if (record.place != region.gap || record.from != before) {
    violated("gap move", record, before, record.from);
    return;
  }
  const std::uint32_t moved = by_place_.find(key(record.from));
  if (moved != kNoIndex) {
    by_place_.erase(key(record.from));
    by_place_.insert(key(record.place), moved);
    lines_[moved].place = record.place;
  }
  region = {record.from, 0};
  banks_[record.bank].due = false;
}

void MediaChecker::violated(const char* rule, const MediaRecord& record, std::uint64_t needed,
                            std::uint64_t got) {
  violations_.add({channel_, Cycle(record.start / period_), rule,
                   kMediaNames[static_cast<std::size_t>(record.operation)], -1,
                   static_cast<int>(record.bank), -1, key(needed), key(got)});
}

void MediaChecker::serialize(Archive& archive) {
  archive.fixed(regions_, banks_);
  archive(lines_, records_);
  if (!archive.loading()) {
    return;
  }
  by_line_.clear();
  by_place_.clear();
  for (std::uint32_t index = 0; index < lines_.size(); ++index) {
    by_line_.insert(key(lines_[index].line), index);
    by_place_.insert(key(lines_[index].place), index);
  }
}

}  // namespace hmsim
