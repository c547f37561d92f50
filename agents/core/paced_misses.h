// SPDX-License-Identifier: BSD-3-Clause
// Memory requests without times, as misses of a core: each is the last of a fixed number of
// instructions. Reads become loads; writes are posted.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "traces/trace_formats.h"

namespace hmsim {

class PacedMisses final : public MissSource {
 public:
  PacedMisses(std::unique_ptr<AccessSource> source, std::int64_t instructions)
      : source_(std::move(source)), instructions_(instructions) {}

  bool next(Miss& miss) override {
    Access access;
    miss = Miss();
    if (!source_->next(access)) {
      return false;
    }
    miss.gap = instructions_;
    miss.load = !access.write;
    miss.write = access.write;
    (access.write ? miss.write_address : miss.load_address) = access.address;
    return true;
  }
  void rewind() override { source_->rewind(); }
  double fraction() const override { return source_->fraction(); }
  void serialize(Archive& archive) override { source_->serialize(archive); }

 private:
  std::unique_ptr<AccessSource> source_;
  std::int64_t instructions_;
};

}  // namespace hmsim
