// SPDX-License-Identifier: BSD-3-Clause
// Positions of a disk's arm and platters, and the times to change them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"

namespace hmsim {

struct DiskParameters {
  std::int64_t rpm = 7200;
  Bytes track{768LL << 10};
  Tick track_seek = 800 * kMicrosecond;
  Tick average_seek = 8500 * kMicrosecond;
  Tick write_settle = 1000 * kMicrosecond;
  Tick overhead = 100 * kMicrosecond;
  Tick interface { 3'413'333 };  // per KiB
  Bytes buffer{2LL << 20};
  bool elevator = true;

  void declare(ParameterSet& set);                          // under "storage.disk."
  std::vector<ParameterError> check(Bytes capacity) const;  // `capacity`: of one disk
};

// Geometry and timing of a disk. All tracks are equal and follow one another inwards. A track is
// skewed so that its first byte arrives under the head right after a track change from the end of
// the track before. A seek over d of D tracks takes a + b x sqrt((d - 1) / D). Here a is
// track_seek, and b makes average_seek the mean over all pairs of tracks; the mean of sqrt(d / D)
// is 8/15.
class DiskMechanics {
 public:
  // Precondition: `parameters` passed check(). `seed` determines the initial angle of the platters.
  DiskMechanics(const DiskParameters& parameters, Bytes capacity, std::uint64_t seed);

  Tick revolution() const { return revolution_; }
  std::int64_t track_of(std::uint64_t offset) const;
  Tick seek(std::int64_t from, std::int64_t to) const;
  // Returns the time from `now` until the byte at `offset` passes under the head. Precondition: the
  // head is on the byte's track.
  Tick rotation(std::uint64_t offset, Tick now) const;
  // Returns the time from the start of byte `from` to the end of byte `to` - 1, track changes
  // included. Requires from < to.
  Tick transfer(std::uint64_t from, std::uint64_t to) const;
  // Returns the track that a transfer from byte `from` has reached after `time`.
  std::int64_t track_after(std::uint64_t from, Tick time) const;

 private:
  Tick time_to_start_of(std::uint64_t offset) const;  // time to read up to the byte, from byte 0
  Tick way_past(std::uint64_t offset) const;  // time until the byte before it is read, from byte 0

  std::uint64_t track_;
  std::int64_t tracks_;
  Tick revolution_;
  Tick change_;  // to the next track
  Tick longest_;
  Tick phase_;  // initial angle of the platters, as a time
};

}  // namespace hmsim
