// SPDX-License-Identifier: BSD-3-Clause
// Service received by a source: the clock cycles in which banks were busy with its requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/parameters.h"
#include "core/types.h"
#include "policies/policy.h"

namespace hmsim {

// A DRAM request keeps its bank busy for its burst, plus tRP + tRCD on a row miss. An NVDIMM
// request counts its burst (`bus`), or the time in which its pseudo-bank is busy (`bank`): from the
// source's first command in flight there until its last one completes.
class Service {
 public:
  void declare(ParameterSet& parameters) {
    parameters.choice("nvdimm_service", unit_, {{"bus", Unit::bus}, {"bank", Unit::bank}},
                      {"service of NVDIMM requests: data-bus cycles, or cycles for which their "
                       "pseudo-bank is busy (flash operations then count as service)",
                       "bank: as the policy's paper counts DRAM; bus: assumed"});
  }
  void connect(const ChannelShape& shape) {
    shape_ = shape;
    banks_ = static_cast<std::size_t>(shape.banks());
  }

  void command(std::size_t source, const RequestView& request, Tick now) {
    if (unit_ == Unit::bank) {
      Pseudo& bank = pseudo(source, request);
      bank.since = bank.under_way++ == 0 ? now : bank.since;
    }
  }
  void issue(std::size_t source, const RequestView& request, bool row_hit) {
    if (request.memory == MemoryClass::dram) {
      add(source, shape_.burst + (row_hit ? Tick(0) : shape_.row_miss));
    } else if (unit_ == Unit::bus) {
      add(source, shape_.burst);
    }
  }
  void complete(std::size_t source, const RequestView& request, Tick now) {
    if (unit_ == Unit::bank && request.memory == MemoryClass::nvdimm) {
      Pseudo& bank = pseudo(source, request);
      if (--bank.under_way == 0) {
        add(source, now - bank.since);
      }
    }
  }

  // Ends the quantum at `now`. cycles() returns the quantum's counts until the next close(). A bank
  // that is busy now counts in the ended quantum until `now`, and in the next from `now` on.
  void close(Tick now) {
    for (std::size_t i = 0; i < pseudo_.size(); ++i) {
      if (pseudo_[i].under_way > 0) {
        add(i / banks_, now - pseudo_[i].since);
        pseudo_[i].since = now;
      }
    }
    last_ = cycles_;
    cycles_.assign(cycles_.size(), 0);
  }
  // Returns the clock cycles of the last complete quantum.
  std::int64_t cycles(std::size_t source) const {
    return source < last_.size() ? last_[source] : 0;
  }

  void serialize(Archive& archive) { archive(cycles_, last_, pseudo_); }

 private:
  enum class Unit : std::uint8_t { bus, bank };
  struct Pseudo {
    std::int64_t under_way = 0;
    Tick since{0};
    void serialize(Archive& archive) { archive(under_way, since); }
  };

  void add(std::size_t source, Tick time) {
    if (source >= cycles_.size()) {
      cycles_.resize(source + 1);
    }
    cycles_[source] += time / shape_.clock_period;
  }
  Pseudo& pseudo(std::size_t source, const RequestView& request) {
    if ((source + 1) * banks_ > pseudo_.size()) {
      pseudo_.resize((source + 1) * banks_);
    }
    return pseudo_[source * banks_ + static_cast<std::size_t>(shape_.bank_number(request))];
  }

  Unit unit_ = Unit::bus;
  ChannelShape shape_;
  std::size_t banks_ = 0;
  std::vector<std::int64_t> cycles_;
  std::vector<std::int64_t> last_;
  std::vector<Pseudo> pseudo_;  // by source and bank; used only with Unit::bank
};

}  // namespace hmsim
