// SPDX-License-Identifier: BSD-3-Clause
// Row-buffer locality: the share of a source's requests that would hit if it ran alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "policies/policy.h"

namespace hmsim {

// A shadow row for each source and bank holds the row that the source used last.
class Locality {
 public:
  void connect(const ChannelShape& shape) { banks_ = static_cast<std::size_t>(shape.banks()); }

  void issue(std::size_t source, int bank, std::int64_t row) {
    if (source >= sources_.size()) {
      sources_.resize(source + 1);
      rows_.resize((source + 1) * banks_, kNoRow);
    }
    std::int64_t& shadow = rows_[source * banks_ + static_cast<std::size_t>(bank)];
    sources_[source].hits += shadow == row ? 1 : 0;
    ++sources_[source].requests;
    shadow = row;
  }

  // The quantum ends: its figures are kept, and the next begins.
  void close() {
    for (Source& source : sources_) {
      source.share = source.requests == 0 ? 0 : source.hits * 1000 / source.requests;
      source.hits = 0;
      source.requests = 0;
    }
  }

  // Of the last whole quantum, in thousandths.
  std::int64_t share(std::size_t source) const {
    return source < sources_.size() ? sources_[source].share : 0;
  }

  void serialize(Archive& archive) { archive(sources_, rows_); }

 private:
  static constexpr std::int64_t kNoRow = -1;

  struct Source {
    std::int64_t hits = 0;
    std::int64_t requests = 0;
    std::int64_t share = 0;
    void serialize(Archive& archive) { archive(hits, requests, share); }
  };

  std::size_t banks_ = 0;
  std::vector<Source> sources_;
  std::vector<std::int64_t> rows_;  // by source and bank
};

}  // namespace hmsim
