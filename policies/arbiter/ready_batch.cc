// SPDX-License-Identifier: BSD-3-Clause
#include "policies/policy.h"

namespace hmsim {

// Serves DRAM first, and NVDIMM data in batches of lines that the ack line has announced. Reasons:
// a change of bus driver costs more than one line transfer, cores wait for every DRAM read, and a
// block waits only for its last line. A batch starts when `batch` lines are ready, or when no line
// has passed for `patience` although one was ready. After a batch, DRAM gets the bus for `batch`
// commands.
class ReadyBatch final : public BusArbiter {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.integer("batch", batch_, {1, 4096}, "lines",
                       {"lines that pass together", "assumed: a quarter of a page"});
    parameters.integer("patience", patience_, {0, 1'000'000'000}, "cycles",
                       {"time after which fewer lines make a batch, if none has passed",
                        "assumed: as harmonic's dram_guard"});
  }
  void connect(const ChannelShape& shape, const SourceProgress& /*progress*/) override {
    limit_ = patience_ * shape.clock_period;
  }

  void on_ack(const RequestView& /*request*/, Tick now) override {
    idle_since_ = ready_ == 0 ? now : idle_since_;
    ++ready_;
  }
  void on_issue(const RequestView& request, Tick now) override {
    if (request.memory == MemoryClass::dram) {
      dram_left_ -= dram_left_ > 0 ? 1 : 0;
      return;
    }
    idle_since_ = now;
    --ready_;
    if (nvdimm_left_ > 0 && (--nvdimm_left_ == 0 || ready_ == 0)) {
      nvdimm_left_ = 0;
      dram_left_ = batch_;
    }
  }

  MemoryClass choose(const ArbiterView& view) override {
    const bool due = ready_ >= batch_ || view.now - idle_since_ >= limit_;
    if (nvdimm_left_ == 0 && dram_left_ == 0 && due) {
      nvdimm_left_ = batch_;
    }
    return nvdimm_left_ > 0 ? MemoryClass::nvdimm : MemoryClass::dram;
  }

  void serialize(Archive& archive) override {
    archive(ready_, nvdimm_left_, dram_left_, idle_since_);
  }

 private:
  std::int64_t batch_ = 16;
  std::int64_t patience_ = 2000;
  Tick limit_{0};

  std::int64_t ready_ = 0;        // acknowledged lines that have not used the bus yet
  std::int64_t nvdimm_left_ = 0;  // lines left in the current batch
  std::int64_t dram_left_ = 0;    // DRAM commands left before the next batch may start
  Tick idle_since_{0};            // since the last NVDIMM line passed or the first became ready
};

extern const PolicyDescriptor kPolicy_ready_batch{PolicyKind::bus_arbiter, "ready_batch",
                                                  "DRAM first; ready NVDIMM lines pass in batches",
                                                  "this project's own", make_policy<ReadyBatch>};

}  // namespace hmsim
