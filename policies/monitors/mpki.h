// SPDX-License-Identifier: BSD-3-Clause
// Memory intensity: requests of a source per thousand instructions of its core.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/archive.h"
#include "policies/policy.h"

namespace hmsim {

class Mpki {
 public:
  // Rate of a source whose instructions are not counted, such as block I/O.
  static constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

  // Limits counts so that a multiplication by one million cannot overflow.
  static void check_count(const Archive& archive, std::int64_t requests) {
    archive.check(requests >= 0 && requests < std::int64_t{1} << 42, "wrong count of requests");
  }

  struct Rate {
    std::int64_t requests = 0;
    std::int64_t instructions = 0;

    std::int64_t per_million() const {
      return requests == 0       ? 0
             : instructions == 0 ? kUnbounded
                                 : requests * 1'000'000 / instructions;
    }
    // Adds the source's rate in another channel over the same instructions.
    Rate& operator+=(const Rate& other) {
      requests += other.requests;
      instructions = later(instructions, other.instructions);
      return *this;
    }
    void serialize(Archive& archive) {
      archive(requests, instructions);
      check_count(archive, requests);
    }
  };

  void connect(const SourceProgress& progress) { progress_ = &progress; }

  void arrive(std::size_t source, std::uint16_t core) {
    if (source >= sources_.size()) {
      sources_.resize(source + 1);
    }
    Source& counted = sources_[source];
    ++counted.requests;
    if (std::find(counted.cores.begin(), counted.cores.end(), core) == counted.cores.end()) {
      counted.cores.push_back(core);
      counted.instructions += progress_->instructions(core);
    }
  }

  // Ends the quantum. The results are those of this quantum until the next close().
  void close() {
    for (Source& source : sources_) {
      std::int64_t instructions = 0;
      for (const std::uint16_t core : source.cores) {
        instructions += progress_->instructions(core);
      }
      source.last = {source.requests, instructions - source.instructions};
      source.instructions = instructions;
      source.requests = 0;
    }
  }

  // Returns the rate of the last complete quantum.
  Rate rate(std::size_t source) const {
    return source < sources_.size() ? sources_[source].last : Rate();
  }
  std::int64_t per_million(std::size_t source) const { return rate(source).per_million(); }

  void serialize(Archive& archive) { archive(sources_); }

 private:
  struct Source {
    std::vector<std::uint16_t> cores;
    std::int64_t requests = 0;
    std::int64_t instructions = 0;  // total at the start of the quantum
    Rate last;
    void serialize(Archive& archive) {
      archive(cores, requests, instructions, last);
      check_count(archive, requests);
    }
  };

  const SourceProgress* progress_ = nullptr;
  std::vector<Source> sources_;
};

}  // namespace hmsim
