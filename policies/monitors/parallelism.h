// SPDX-License-Identifier: BSD-3-Clause
// Bank-level parallelism: banks for which a source has something queued, mean over time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
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
  void leave(std::size_t source, int bank, Tick now) {
    if (--queued_[source * banks_ + static_cast<std::size_t>(bank)] == 0) {
      change(sources_[source], -1, now);
    }
  }

  // The quantum ends: its figures are kept, and the next begins.
  void close(Tick now) {
    for (Source& source : sources_) {
      change(source, 0, now);
      const std::int64_t time = (now - begin_).value();
      source.mean = time < kThousandths ? 0 : source.area / (time / kThousandths);
      source.area = 0;
    }
    begin_ = now;
  }

  // Of the last whole quantum, in thousandths of a bank.
  std::int64_t mean(std::size_t source) const {
    return source < sources_.size() ? sources_[source].mean : 0;
  }

  void serialize(Archive& archive) {
    archive(sources_, queued_, begin_);
    archive.check(begin_ != kNever && queued_.size() == sources_.size() * banks_,
                  "banks of sources are missing");
  }
  // Loading: counts those that are queued; source_of(view) is their source.
  template <class SourceOf>
  void check_held(const Archive& archive, const HeldRequests& held, const ChannelShape& shape,
                  SourceOf source_of) {
    queued_.assign(queued_.size(), 0);
    for (Source& source : sources_) {
      source.banks = 0;
    }
    for (const HeldRequest& each : held) {
      const std::size_t source = source_of(each.view);
      archive.check_index(source, sources_.size(), "banks of sources are missing");
      const auto bank = static_cast<std::size_t>(shape.bank_number(each.view));
      if (!each.issued && queued_[source * banks_ + bank]++ == 0) {
        ++sources_[source].banks;
      }
    }
  }

 private:
  static constexpr std::int64_t kThousandths = 1000;

  struct Source {
    std::int64_t banks = 0;
    std::int64_t area = 0;  // banks x ps, in this quantum
    Tick since{0};
    std::int64_t mean = 0;
    void serialize(Archive& archive) {
      archive(area, since, mean);
      archive.check(area >= 0 && area < std::int64_t{1} << 60 && since != kNever,
                    "banks of sources are miscounted");
    }
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
