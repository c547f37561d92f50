// SPDX-License-Identifier: BSD-3-Clause
// The channel's timing model for NVDIMMs: when their bursts may have the data bus. The model treats
// all NVDIMMs as one rank. Two bursts of different NVDIMMs need a change of driver, as between
// DIMMs.
#pragma once

#include "core/archive.h"
#include "core/types.h"
#include "dram/parameters.h"
#include "dram/timing_engine.h"
#include "dram/timing_model.h"

namespace hmsim {

class NvdimmTiming {
 public:
  // `native`: the model itself if it is the native engine, otherwise nullptr. `rank`: rank of the
  // first NVDIMM. `dram_banks`: number of DRAM banks before it. `timing`: of the data bus.
  NvdimmTiming(TimingModel& model, TimingEngine* native, int rank, int dram_banks,
               const DramTiming& timing)
      : model_(model),
        native_(native),
        rank_(rank),
        dram_banks_(dram_banks),
        same_direction_(timing.burst + timing.dimm_gap()),
        read_to_write_(timing.cl + timing.burst + timing.dimm_gap() - timing.cwl),
        write_to_read_(timing.cwl + timing.burst + timing.dimm_gap() - timing.cl) {}

  // Returns a lower bound, over all NVDIMMs, on the cycle of the data-bus command `burst`.
  Cycle gate(Command burst) const {
    return native_ != nullptr ? native_->gate(native_->gate_number(burst, 0))
                              : model_.rank_gate(burst, rank_);
  }
  // Returns the earliest cycle for the data-bus command `burst` of the NVDIMM with this rank.
  Cycle gate(Command burst, int rank) const {
    const Cycle opens = gate(burst);
    return rank == last_rank_ ? opens : later(opens, last_at_ + after_another(burst));
  }
  void issue(Command burst, int rank, Cycle edge) {
    last_burst_ = burst;
    last_rank_ = rank;
    last_at_ = edge;
    if (native_ != nullptr) {
      native_->nvdimm_burst(burst, edge);
    } else {
      model_.issue(burst, dram_banks_, edge);
    }
  }

  void serialize(Archive& archive) { archive(last_burst_, last_rank_, last_at_); }

 private:
  // Returns the cycles from the last burst to one of another NVDIMM.
  Cycle after_another(Command burst) const {
    return burst == last_burst_             ? same_direction_
           : burst == Command::nvdimm_write ? read_to_write_
                                            : write_to_read_;
  }

  TimingModel& model_;
  TimingEngine* const native_;
  const int rank_;
  const int dram_banks_;
  const Cycle same_direction_;  // these three: from a burst to one of another NVDIMM
  const Cycle read_to_write_;
  const Cycle write_to_read_;
  Command last_burst_ = Command::nvdimm_read;
  int last_rank_ = -1;
  Cycle last_at_{-(std::int64_t{1} << 40)};  // far in the past
};

}  // namespace hmsim
