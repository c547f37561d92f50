// SPDX-License-Identifier: BSD-3-Clause
// The channel's timing model as the NVDIMM needs it: when its bursts may have the data bus.
#pragma once

#include "core/types.h"
#include "dram/timing_engine.h"
#include "dram/timing_model.h"

namespace hmsim {

class NvdimmTiming {
 public:
  // `native`: the model itself, if that is the native engine; else nullptr. `rank`: the NVDIMM's,
  // behind so many DRAM banks.
  NvdimmTiming(TimingModel& model, TimingEngine* native, int rank, int dram_banks)
      : model_(model), native_(native), rank_(rank), dram_banks_(dram_banks) {}

  // The earliest cycle for the data-bus command.
  Cycle gate(Command burst) const {
    return native_ != nullptr ? native_->gate(native_->gate_number(burst, 0))
                              : model_.rank_gate(burst, rank_);
  }
  void issue(Command burst, Cycle edge) {
    if (native_ != nullptr) {
      native_->nvdimm_burst(burst, edge);
    } else {
      model_.issue(burst, dram_banks_, edge);
    }
  }

 private:
  TimingModel& model_;
  TimingEngine* const native_;
  const int rank_;
  const int dram_banks_;
};

}  // namespace hmsim
