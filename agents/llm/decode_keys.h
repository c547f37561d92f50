// SPDX-License-Identifier: BSD-3-Clause
// Keys of an agent of kind llm_decode.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "agents/llm/model_shape.h"
#include "core/parameters.h"
#include "core/tiers.h"
#include "core/types.h"

namespace hmsim {

// Names of tiers to users. nvdimm: the device of block I/O, either the NVDIMM or storage.
inline constexpr std::array<const char*, kTiers> kTierNames{"dram", "nvdimm"};

struct DecodeKeys {
  static constexpr std::int64_t kAllLayers = 0;
  static constexpr std::int64_t kOfQueue = 0;
  static constexpr std::int64_t kMostRequests = 16'384;

  Model model;
  std::int64_t batch = 1;
  std::int64_t context = 1'024;  // tokens of a new sequence
  std::int64_t output = 0;       // tokens that a sequence generates; 0: it does not end
  std::int64_t steps = 4;        // of a pass
  bool prefill = false;
  std::int64_t page_tokens = 16;
  std::int64_t layers_simulated = kAllLayers;
  Tier weights = Tier::slow;
  Tier kv = Tier::fast;
  std::int64_t prefetch = 1;       // stages
  std::int64_t flops = 1'000'000;  // peak, in 10^9 a second; 0: computation takes no time
  Bytes request{4'096};            // largest request of block I/O
  // Requests of block I/O in each direction, and lines of such a request in flight on the NVDIMM.
  std::int64_t outstanding = kOfQueue;
  std::int64_t window = kOfQueue;
  std::int64_t lines = 512;  // lines of DRAM in each direction

  void declare(ParameterSet& parameters);
  std::vector<ParameterError> check() const;

  std::uint32_t layers() const {  // simulated
    return static_cast<std::uint32_t>(layers_simulated == kAllLayers ? model.shape.layers
                                                                     : layers_simulated);
  }
  std::uint32_t stages() const { return layers() + 2; }
  std::uint32_t head_stage() const { return layers() + 1; }
  // Returns the steps after which a sequence ends. Without `output`, sequences end with the pass.
  std::int64_t lifetime() const { return output == 0 ? steps : output; }
  std::int64_t most_tokens() const { return context + lifetime(); }  // of a sequence
  // Returns the pages that hold this many tokens of a sequence. In DRAM, the last page may be
  // incomplete; elsewhere, incomplete pages are gathered in DRAM.
  std::uint64_t pages_of(std::int64_t tokens) const {
    return static_cast<std::uint64_t>((tokens + (kv == Tier::fast ? page_tokens - 1 : 0)) /
                                      page_tokens);
  }
  // Returns the bytes of a page's keys, or of its values, in one layer.
  std::uint64_t page_bytes() const {
    return static_cast<std::uint64_t>(page_tokens) * model.half_bytes();
  }
  bool uses(Tier tier) const { return weights == tier || kv == tier; }
  // Returns the time that 2 x parameters x tokens operations take.
  Tick compute_time(std::uint64_t parameters, std::uint64_t tokens) const;
};

}  // namespace hmsim
