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
  // Of a source whose core retires nothing that anybody counts, as block I/O.
  static constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

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

  // The quantum ends: its figures are kept, and the next begins.
  void close() {
    for (Source& source : sources_) {
      std::int64_t instructions = 0;
      for (const std::uint16_t core : source.cores) {
        instructions += progress_->instructions(core);
      }
      const std::int64_t retired = instructions - source.instructions;
      source.per_million = source.requests == 0 ? 0
                           : retired == 0       ? kUnbounded
                                                : source.requests * 1'000'000 / retired;
      source.instructions = instructions;
      source.requests = 0;
    }
  }

  // Of the last whole quantum: requests per million instructions.
  std::int64_t per_million(std::size_t source) const {
    return source < sources_.size() ? sources_[source].per_million : 0;
  }

  void serialize(Archive& archive) { archive(sources_); }

 private:
  struct Source {
    std::vector<std::uint16_t> cores;
    std::int64_t requests = 0;
    std::int64_t instructions = 0;  // when the quantum began
    std::int64_t per_million = 0;
    void serialize(Archive& archive) { archive(cores, requests, instructions, per_million); }
  };

  const SourceProgress* progress_ = nullptr;
  std::vector<Source> sources_;
};

}  // namespace hmsim
