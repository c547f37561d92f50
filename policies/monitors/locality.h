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
  struct Count {
    std::int64_t hits = 0;
    std::int64_t requests = 0;

    std::int64_t share() const { return requests == 0 ? 0 : hits * 1000 / requests; }
    Count& operator+=(const Count& other) {
      hits += other.hits;
      requests += other.requests;
      return *this;
    }
    void serialize(Archive& archive) {
      archive(hits, requests);
      archive.check(hits >= 0 && hits <= requests && requests < std::int64_t{1} << 50,
                    "wrong count of row hits");
    }
  };

  void connect(const ChannelShape& shape) { banks_ = static_cast<std::size_t>(shape.banks()); }

  void issue(std::size_t source, int bank, std::int64_t row) {
    if (source >= sources_.size()) {
      sources_.resize(source + 1);
      rows_.resize((source + 1) * banks_, kNoRow);
    }
    std::int64_t& shadow = rows_[source * banks_ + static_cast<std::size_t>(bank)];
    Count& now = sources_[source].now;
    now.hits += shadow == row ? 1 : 0;
    ++now.requests;
    shadow = row;
  }

  // Ends the quantum. The results are those of this quantum until the next close().
  void close() {
    for (Source& source : sources_) {
      source.last = source.now;
      source.now = Count();
    }
  }

  // Returns the counts of the last complete quantum.
  Count count(std::size_t source) const {
    return source < sources_.size() ? sources_[source].last : Count();
  }
  // Returns the share of row hits, in thousandths.
  std::int64_t share(std::size_t source) const { return count(source).share(); }

  void serialize(Archive& archive) {
    archive(sources_, rows_);
    archive.check(rows_.size() == sources_.size() * banks_, "missing rows of sources");
  }

 private:
  static constexpr std::int64_t kNoRow = -1;

  struct Source {
    Count now;
    Count last;
    void serialize(Archive& archive) { archive(now, last); }
  };

  std::size_t banks_ = 0;
  std::vector<Source> sources_;
  std::vector<std::int64_t> rows_;  // by source and bank
};

}  // namespace hmsim
