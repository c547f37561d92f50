// SPDX-License-Identifier: BSD-3-Clause
#include "storage/disk_mechanics.h"

#include "core/random.h"

namespace hmsim {

namespace {

constexpr std::int64_t kMostTracks = std::int64_t{1} << 25;
constexpr Bytes kSector{512};
constexpr const char* kSheets = "data sheets of 1 TB disks of 2009 (7200 rpm)";

std::int64_t tracks_of(const DiskParameters& parameters, Bytes capacity) {
  return (capacity + parameters.track - Bytes(1)) / parameters.track;
}

Tick revolution_of(const DiskParameters& parameters) { return 60 * kSecond / parameters.rpm; }

// Returns the largest integer whose square is at most `value`.
std::uint64_t square_root(std::uint64_t value) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31; bit != 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= value) {
      root += bit;
    }
  }
  return root;
}

}  // namespace

void DiskParameters::declare(ParameterSet& set) {
  const ParameterSet::Scope scope(set, "disk");
  set.integer("rpm", rpm, {1000, 100'000}, "revolutions a minute",
              {"rotation speed", "Caulfield et al., SC 2010 (7200)"});
  set.size("track", track, {4096, 1LL << 30},
           {"bytes of a track, mean over its zones: 94 MB/s at 7200 rpm",
            "assumed, from sustained rates of 1 TB disks of 2009"});
  set.time("track_seek", track_seek, {"seek time to the next track, or to the next head", kSheets});
  set.time("average_seek", average_seek, {"mean seek time of reads over the whole disk", kSheets});
  set.time("write_settle", write_settle,
           {"a write's additional time after a seek over several tracks", kSheets});
  set.time("overhead", overhead,
           {"time from a request to the arm's first move; waiting requests have already spent it",
            "assumed"});
  set.time("interface", interface, {"time of a KiB on the disk's interface", "SATA 2: 300 MB/s"});
  set.size(
      "buffer", buffer, {0, 1LL << 30},
      {"buffer for read-ahead, up to half of it, until the arm has to move; 0: none", "assumed"});
  set.boolean("elevator", elevator,
              {"waiting requests are served in ascending order of place, then again from the "
               "lowest one; otherwise in order of arrival",
               "assumed"});
}

std::vector<ParameterError> DiskParameters::check(Bytes capacity) const {
  std::vector<ParameterError> errors;
  const auto wrong = [&](const char* name, const std::string& message) {
    errors.push_back({std::string("storage.disk.") + name, message});
  };
  if (track % kSector != Bytes(0)) {
    wrong("track", format_size(track) + " is not a multiple of a sector, 512 B; nearest: " +
                       format_size(track / 512 * 512));
  }
  const std::int64_t tracks = tracks_of(*this, capacity);
  if (tracks < 2 || tracks > kMostTracks) {
    wrong("track", format_size(track) + " gives " + std::to_string(tracks) +
                       " tracks on a disk of " + format_size(capacity) + ": must be 2 to " +
                       std::to_string(kMostTracks));
  }
  const Tick turn = revolution_of(*this);
  if (track_seek < kNanosecond || track_seek > turn) {
    wrong("track_seek",
          format_time(track_seek) + " is not between 1ns and a revolution, " + format_time(turn));
  }
  if (average_seek < track_seek) {
    wrong("average_seek", format_time(average_seek) + " is below storage.disk.track_seek, " +
                              format_time(track_seek));
  }
  return errors;
}

DiskMechanics::DiskMechanics(const DiskParameters& parameters, Bytes capacity, std::uint64_t seed)
    : track_(static_cast<std::uint64_t>(parameters.track.value())),
      tracks_(tracks_of(parameters, capacity)),
      revolution_(revolution_of(parameters)),
      change_(parameters.track_seek),
      longest_((parameters.average_seek - parameters.track_seek) * 15 / 8),
      phase_(static_cast<std::int64_t>(
          Random(seed).below(static_cast<std::uint64_t>(revolution_.value())))) {}

std::int64_t DiskMechanics::track_of(std::uint64_t offset) const {
  return static_cast<std::int64_t>(offset / track_);
}

Tick DiskMechanics::seek(std::int64_t from, std::int64_t to) const {
  if (from == to) {
    return Tick(0);
  }
  constexpr int kBits = 19;
  const auto distance = static_cast<std::uint64_t>(from < to ? to - from : from - to);
  const std::uint64_t share =
      ((distance - 1) << (2 * kBits)) / static_cast<std::uint64_t>(tracks_ - 1);
  const auto root = static_cast<std::int64_t>(square_root(share));  // of the share, times 2^19
  return change_ + Tick(longest_.value() * root >> kBits);
}

Tick DiskMechanics::time_to_start_of(std::uint64_t offset) const {
  const auto within = static_cast<std::int64_t>(offset % track_);
  const auto bytes = static_cast<std::int64_t>(track_);
  const std::int64_t turn = revolution_.value();
  return track_of(offset) * (revolution_ + change_) +
         Tick(turn / bytes * within + turn % bytes * within / bytes);
}

Tick DiskMechanics::way_past(std::uint64_t offset) const {
  return offset % track_ == 0 ? time_to_start_of(offset) - change_ : time_to_start_of(offset);
}

Tick DiskMechanics::rotation(std::uint64_t offset, Tick now) const {
  const Tick there = time_to_start_of(offset) % revolution_;
  const Tick here = (now % revolution_ + phase_) % revolution_;
  return (there - here + revolution_) % revolution_;
}

Tick DiskMechanics::transfer(std::uint64_t from, std::uint64_t to) const {
  return way_past(to) - time_to_start_of(from);
}

std::int64_t DiskMechanics::track_after(std::uint64_t from, Tick time) const {
  return (time_to_start_of(from) + time) / (revolution_ + change_);
}

}  // namespace hmsim
