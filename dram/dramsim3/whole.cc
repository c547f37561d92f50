// SPDX-License-Identifier: BSD-3-Clause
// Model of one channel based on DRAMsim3's Controller. JedecDRAMSystem is not used: it runs several
// channels in lockstep, writes statistics files, and counts its instances in a global variable.
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "controller.h"
#include "dram/dramsim3/adapter.h"
#include "dram/dramsim3/device_config.h"

namespace hmsim {

namespace {

// DRAMsim3 writes its counters to files only and does not expose queue lengths. An explicit
// instantiation may name a private member (C++17, [temp.explicit] 12); this one hands out a pointer
// to it.
template <class Tag, typename Tag::Member Pointer>
struct Exposed {
  friend typename Tag::Member expose(Tag /*tag*/) { return Pointer; }
};
struct Statistics {
  using Member = dramsim3::SimpleStats dramsim3::Controller::*;
  friend Member expose(Statistics tag);
};
struct EpochCounters {
  using Member = std::unordered_map<std::string, std::uint64_t> dramsim3::SimpleStats::*;
  friend Member expose(EpochCounters tag);
};
struct PendingReads {
  using Member = std::multimap<std::uint64_t, dramsim3::Transaction> dramsim3::Controller::*;
  friend Member expose(PendingReads tag);
};
struct PendingWrites {
  using Member = std::multimap<std::uint64_t, dramsim3::Transaction> dramsim3::Controller::*;
  friend Member expose(PendingWrites tag);
};
struct Returning {
  using Member = std::vector<dramsim3::Transaction> dramsim3::Controller::*;
  friend Member expose(Returning tag);
};
template struct Exposed<PendingReads, &dramsim3::Controller::pending_rd_q_>;
template struct Exposed<PendingWrites, &dramsim3::Controller::pending_wr_q_>;
template struct Exposed<Returning, &dramsim3::Controller::return_queue_>;
template struct Exposed<Statistics, &dramsim3::Controller::simple_stats_>;
template struct Exposed<EpochCounters, &dramsim3::SimpleStats::epoch_counters_>;

class Dramsim3Whole final : public WholeDram {
 public:
  Dramsim3Whole(const DramParameters& dram, const DramModelParameters& options,
                std::int64_t queue_depth)
      : config_(dramsim3_config(dram, options, queue_depth)),
        timing_(dramsim3_timing(*config_, options)),
        controller_(0, *config_, timing_) {}

  std::optional<Done> take_done() override {
    const auto [address, write] = controller_.ReturnDoneTrans(clock_);
    if (write < 0) {
      return std::nullopt;
    }
    return Done{address, write != 0};
  }
  bool accepts(bool write) const override { return controller_.WillAcceptTransaction(0, write); }
  void add(std::uint64_t address, bool write) override {
    controller_.AddTransaction(dramsim3::Transaction(address, write));
  }
  void tick() override {
    controller_.ClockTick();
    ++clock_;
  }

  std::int64_t held() const override {
    return static_cast<std::int64_t>((controller_.*expose(PendingReads())).size() +
                                     (controller_.*expose(PendingWrites())).size() +
                                     (controller_.*expose(Returning())).size());
  }

  // Counts since the last reset_counters(), because nothing here ends DRAMsim3's epoch.
  Counters counters() const override {
    return {*reads_ + *writes_, *read_hits_ + *write_hits_, *activates_, *precharges_, *refreshes_};
  }
  void reset_counters() override { controller_.ResetStats(); }

 private:
  const std::uint64_t* counter(const char* name) {
    return &((controller_.*expose(Statistics())).*expose(EpochCounters())).at(name);
  }

  std::unique_ptr<dramsim3::Config> config_;
  dramsim3::Timing timing_;
  dramsim3::Controller controller_;
  std::uint64_t clock_ = 0;
  const std::uint64_t* reads_ = counter("num_read_cmds");
  const std::uint64_t* writes_ = counter("num_write_cmds");
  // DRAMsim3 counts every column command as a hit, except the first after an activate.
  const std::uint64_t* read_hits_ = counter("num_read_row_hits");
  const std::uint64_t* write_hits_ = counter("num_write_row_hits");
  const std::uint64_t* activates_ = counter("num_act_cmds");
  const std::uint64_t* precharges_ = counter("num_pre_cmds");
  const std::uint64_t* refreshes_ = counter("num_ref_cmds");
};

}  // namespace

std::unique_ptr<WholeDram> make_dramsim3_whole(const DramParameters& dram,
                                               const DramModelParameters& options,
                                               std::int64_t queue_depth) {
  return std::make_unique<Dramsim3Whole>(dram, options, queue_depth);
}

}  // namespace hmsim
