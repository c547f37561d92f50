// SPDX-License-Identifier: BSD-3-Clause
// Bank-level parallelism: the number of banks with queued requests of a source, averaged over time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/types.h"
#include "policies/policy.h"

namespace hmsim {

class Parallelism {
 public:
  void connect(const ChannelShape& shape) { banks_ = static_cast<std::size_t>(shape.banks()); }

  void arrive(std::size_t source, int bank, Tick now) {
    if (source >= sources_.size()) {
      sources_.resize(source + 1);
      queued_.resize((source + 1) * banks_);
    }
    if (queued_[source * banks_ + static_cast<std::size_t>(bank)]++ == 0) {
      change(sources_[source], 1, now);
    }
  }
  // Throws Fault if a damaged checkpoint has no count for the source.
  void leave(std::size_t source, int bank, Tick now) {
    ensure(source < sources_.size(), "parallelism", now, -1, "source without queued requests");
    if (--queued_[source * banks_ + static_cast<std::size_t>(bank)] == 0) {
      change(sources_[source], -1, now);
    }
  }

  // Ends the quantum. The averages are those of this quantum until the next close().
  void close(Tick now) {
    for (Source& source : sources_) {
      change(source, 0, now);
      const std::int64_t time = (now - begin_).value();
      source.mean = time < kThousandths ? 0 : source.area / (time / kThousandths);
      source.area = 0;
    }
    begin_ = now;
  }

  // Returns the mean of the last complete quantum, in thousandths of a bank.
  std::int64_t mean(std::size_t source) const {
    return source < sources_.size() ? sources_[source].mean : 0;
  }

  void serialize(Archive& archive) {
    archive(sources_, queued_, begin_);
    archive.check(queued_.size() == sources_.size() * banks_, "missing banks of sources");
    for (std::size_t i = 0; archive.loading() && i < queued_.size(); ++i) {
      sources_[i / banks_].banks += queued_[i] != 0 ? 1 : 0;
    }
  }

 private:
  static constexpr std::int64_t kThousandths = 1000;

  struct Source {
    std::int64_t banks = 0;
    std::int64_t area = 0;  // banks x ps in this quantum
    Tick since{0};
    std::int64_t mean = 0;
    void serialize(Archive& archive) { archive(area, since, mean); }
  };

  void change(Source& source, std::int64_t banks, Tick now) const {
    source.area += source.banks * (now - later(source.since, begin_)).value();
    source.since = now;
    source.banks += banks;
  }

  std::size_t banks_ = 0;
  std::vector<Source> sources_;
  std::vector<std::int32_t> queued_;  // by source and bank
  Tick begin_{0};
};

}  // namespace hmsim
