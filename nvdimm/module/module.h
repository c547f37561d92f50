// SPDX-License-Identifier: BSD-3-Clause
// What is behind the ack line of a channel, whatever it stores its data in.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/archive.h"
#include "core/kernel.h"
#include "core/request.h"
#include "core/statistics.h"
#include "core/types.h"
#include "nvdimm/module/module_parameters.h"
#include "nvdimm/module/power_record.h"

namespace hmsim {

class FlashObserver;
class MediaObserver;

// The host side of the ack line.
class AckListener {
 public:
  virtual ~AckListener() = default;
  // Command `tag` became ready at `now`: its data can be had (read), or there is room for them
  // (write). Called only from within NvdimmModule::advance(); the host must not call back from it.
  virtual void on_ack(std::uint32_t tag, Tick now) = 0;
  // The module can take another write on credit. As on_ack().
  virtual void on_credit(Tick /*now*/) {}
};

class NvdimmModule : public Component {
 public:
  // `driver` wakes whoever advances the module: its channel, or the kernel itself.
  virtual void attach(const Kernel& kernel, const Wakeup& driver) {
    kernel_ = &kernel;
    driver_ = driver;
  }
  Tick next_event() const final { return *next_; }
  // From now on it keeps its next event there.
  void keep_next_in(Tick& next) {
    next = *next_;
    next_ = &next;
  }
  Tick now() const { return kernel_->now(); }

  // A command whose command-bus slot ends at `now`. `address`: of a line, in the logical space.
  // `tag` < parameters.command_queue - parameters.posted_writes: the host's slot, unique among
  // unfinished commands.
  virtual void command(std::uint32_t tag, Address address, bool write, Tick now) = 0;
  // A write whose data burst ends at `now`: it is done, and needs no finish(). At most
  // parameters.posted_writes at once, of which on_credit() returns one each. `data`: data mode.
  virtual void post(Address address, const LineData& data, Tick now) = 0;
  // A flush whose command-bus slot ends at `now`; no command is unfinished, and none comes until it
  // has ended. Once it is acknowledged, all that was written before is where the module keeps it.
  virtual void flush(std::uint32_t tag, Tick now) = 0;
  // The data burst of an acknowledged command is over at `now`; its tag is free again. Returns for
  // how long it waited for what the module did of its own: LUNs locked by garbage collection, banks
  // that moved a gap.
  virtual Tick finish(std::uint32_t tag, Tick now) = 0;

  // Discards all pages that lie in the range as a whole, at once; their number. From then on they
  // hold zeros, power failures or not, until they are written again. What commands under way find
  // there is open.
  virtual std::int64_t trim(Address address, Bytes size, Tick now) = 0;

  // Data mode: the bytes of an acknowledged command, just before finish().
  virtual void write_line(std::uint32_t tag, const LineData& data) = 0;
  virtual LineBytes read_line(std::uint32_t tag) const = 0;
  // Data mode: what a reader of the line would get.
  virtual LineBytes peek(Address address) const = 0;

  // Data mode, just before power_fail(): the module still gets a write that the host's queue holds.
  // Those of a line come in order.
  virtual void spare(Address address, const LineData& data) = 0;
  // Data mode: power goes at `now`. What is done, or spared, is saved, all else is lost; then only
  // peek(), power_record() and restore() from it make sense. The save is interrupted when it has
  // lasted for `save_for`, if it does: by power, which has returned; the rest stays where it is.
  virtual PowerRecord power_fail(Tick now, Tick save_for = kNever) = 0;
  // Data mode, before any command: goes on with what a module of the same parameters that had a
  // power failure holds. False: the recovery was interrupted when it had lasted for `recover_for`;
  // now only peek(), power_record() and power_fail() make sense.
  virtual bool restore(NvdimmModule& before, Tick now, Tick recover_for = kNever) = 0;
  virtual const PowerRecord& power_record() const = 0;
  virtual bool off() const { return off_; }  // since a power failure
  // The longest that a save at a power failure may take; collections left out.
  virtual Tick worst_hold_up() const = 0;
  virtual const ModuleParameters& parameters() const = 0;

  // Saves what is there before any command, or goes on from it: what preconditioning has left.
  virtual void serialize_start(Archive& /*archive*/) {}

  // Before any command: what is written takes place in order, on flash, if it has one, and without
  // time; a page may be there again.
  virtual void write_before(const std::vector<LogicalPage>& /*pages*/) {}
  // Before any command: its buffer, if it has one, holds these pages as if they had been read, or
  // written, as many as fit. The first is given up last.
  virtual void hold_read(const std::vector<LogicalPage>& /*pages*/) {}
  virtual void hold_written(const std::vector<LogicalPage>& /*pages*/) {}

  // Garbage collections so far.
  virtual std::uint64_t collections_begun() const { return 0; }
  virtual std::uint64_t collections_ended() const { return 0; }

  virtual bool idle() const = 0;  // no command is unfinished and nothing is going on

  // To be told, too, from now on of what happens in flash, or other media; must outlive the module.
  virtual void add_flash_observer(FlashObserver& /*observer*/) {}
  virtual void add_media_observer(MediaObserver& /*observer*/) {}

 protected:
  bool off_ = false;

  // When it is next due, to be told after each event, ...
  void set_next(Tick next) { *next_ = next; }
  // ... and after each call from outside that may have changed it.
  void is_due(Tick next) {
    *next_ = next;
    driver_.notify();
  }

 private:
  const Kernel* kernel_ = nullptr;
  Wakeup driver_;
  Tick own_next_ = kNever;
  Tick* next_ = &own_next_;
};

using NvdimmModules = std::vector<NvdimmModule*>;

// Registers what modules remember of their power failures.
void register_power_statistics(StatisticRegistry& registry, const NvdimmModules& modules);

}  // namespace hmsim
