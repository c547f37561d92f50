// SPDX-License-Identifier: BSD-3-Clause
// Where a disk's arm and platters are, and how long they take to be elsewhere.
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
  Tick interface { 3'413'333 };  // for each KiB
  Bytes buffer{2LL << 20};
  bool elevator = true;

  void declare(ParameterSet& set);                          // under "storage.disk."
  std::vector<ParameterError> check(Bytes capacity) const;  // of one disk
};

// All tracks are alike, and follow one another from the rim inwards. A track begins where the head
// comes to it in time when it has read the one before to its end. A seek over d of D tracks takes
// a + b x sqrt((d - 1) / D), where a is track_seek, and b such that the mean over all pairs of
// tracks, whose sqrt(d / D) is 8/15, is average_seek.
class DiskMechanics {
 public:
  // `parameters` have passed check(); how the platters stand at the start follows from `seed`.
  DiskMechanics(const DiskParameters& parameters, Bytes capacity, std::uint64_t seed);

  Tick revolution() const { return revolution_; }
  std::int64_t track_of(std::uint64_t offset) const;
  Tick seek(std::int64_t from, std::int64_t to) const;
  // From then on until the byte passes below the head, which is over its track.
  Tick rotation(std::uint64_t offset, Tick now) const;
  // From the first byte's beginning to the last one's end, tracks' changes included; from < to.
  Tick transfer(std::uint64_t from, std::uint64_t to) const;
  // The track where a transfer from there has come to after so much time.
  std::int64_t track_after(std::uint64_t from, Tick time) const;

 private:
  Tick way_to(std::uint64_t offset) const;    // of the head, reading all from the disk's beginning
  Tick way_past(std::uint64_t offset) const;  // the same until the byte before has been read

  std::uint64_t track_;
  std::int64_t tracks_;
  Tick revolution_;
  Tick change_;  // to the next track
  Tick longest_;
  Tick phase_;  // of the platters at the start
};

}  // namespace hmsim
