// SPDX-License-Identifier: BSD-3-Clause
// Addresses of weights, keys and values in each tier.
//
// A tier begins with its weights, if it has them: layers in order, each from a 4 KiB boundary on,
// the output head, the embedding table. Its pages of keys and values follow: for each layer, the
// keys of all pages, then their values. At the end of DRAM are the incomplete pages of a cache that
// is elsewhere, one for each sequence, in the same order.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "agents/llm/decode_keys.h"
#include "core/tiers.h"
#include "core/types.h"

namespace hmsim {

class DecodeLayout {
 public:
  DecodeLayout() = default;
  explicit DecodeLayout(const DecodeKeys& keys);

  Bytes used(Tier tier) const { return Bytes(static_cast<std::int64_t>(used_[index_of(tier)])); }

  // `layer` counts from 0. The output head follows the last one.
  std::uint64_t weights(std::uint32_t layer) const { return layer * layer_stride_; }
  std::uint64_t row(std::uint64_t word) const { return rows_ + word * row_bytes_; }
  // `half` is 0 for keys and 1 for values.
  std::uint64_t page(std::uint32_t layer, std::uint32_t half, std::uint64_t page) const {
    return pages_at_ + ((std::uint64_t{2} * layer + half) * pages_ + page) * page_bytes_;
  }
  std::uint64_t gathered(std::uint32_t layer, std::uint32_t half, std::uint32_t sequence) const {
    return gather_ + ((std::uint64_t{2} * layer + half) * batch_ + sequence) * page_bytes_;
  }

  // Throws InputError, with the nearest value that fits, if a tier's capacity is exceeded.
  // `agent` begins its message.
  static void check_fit(const DecodeKeys& keys, const std::array<Bytes, kTiers>& capacity,
                        const std::string& agent);

 private:
  std::uint64_t layer_stride_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t row_bytes_ = 0;
  std::uint64_t pages_at_ = 0;
  std::uint64_t pages_ = 0;  // of all sequences
  std::uint64_t page_bytes_ = 0;
  std::uint64_t gather_ = 0;
  std::uint64_t batch_ = 0;
  std::array<std::uint64_t, kTiers> used_{};
};

}  // namespace hmsim
