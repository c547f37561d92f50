// SPDX-License-Identifier: BSD-3-Clause
// Module on the ack line of a channel, of any storage medium.
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
  // Command `tag` became ready at `now`: its data are available (read), or there is room for them
  // (write). Called only from within NvdimmModule::advance(). The host must not call the module
  // back.
  virtual void on_ack(std::uint32_t tag, Tick now) = 0;
  // The module can take another write on credit. The rules of on_ack() hold.
  virtual void on_credit(Tick /*now*/) {}
};

class NvdimmModule : public Component {
 public:
  // `driver` wakes what advances the module: its channel, or the kernel itself.
  virtual void attach(const Kernel& kernel, const Wakeup& driver) {
    kernel_ = &kernel;
    driver_ = driver;
  }
  Tick next_event() const final { return *next_; }
  // From now on the module keeps its next event in `next`.
  void keep_next_in(Tick& next) {
    next = *next_;
    next_ = &next;
  }
  Tick now() const { return kernel_->now(); }

  // Takes a command whose command-bus slot ends at `now`. `address`: of a line, in the logical
  // space. `tag` < parameters.command_queue - parameters.posted_writes: the host's slot, unique
  // among unfinished commands.
  virtual void command(std::uint32_t tag, Address address, bool write, Tick now) = 0;
  // Takes a write whose data burst ends at `now`. It is done, and needs no finish(). At most
  // parameters.posted_writes are under way; each on_credit() allows one more. `data`: data mode.
  virtual void post(Address address, const LineData& data, Tick now) = 0;
  // Takes a flush whose command-bus slot ends at `now`. No command is unfinished, and none arrives
  // until the flush has ended. Its ack means that all earlier writes are durable.
  virtual void flush(std::uint32_t tag, Tick now) = 0;
  // The data burst of an acknowledged command is over at `now`; its tag is free again. Returns how
  // long the command waited for the module's background work: LUNs locked by garbage collection,
  // banks that moved a gap.
  virtual Tick finish(std::uint32_t tag, Tick now) = 0;

  // Discards all pages that lie wholly in the range, without time. Returns their number. From then
  // on they hold zeros until they are written again, also after power failures. Commands under way
  // may find old data or zeros there.
  virtual std::int64_t trim(Address address, Bytes size, Tick now) = 0;

  // Data mode: the bytes of an acknowledged command, just before finish().
  virtual void write_line(std::uint32_t tag, const LineData& data) = 0;
  virtual LineBytes read_line(std::uint32_t tag) const = 0;
  // Data mode: what a read of the line would return.
  virtual LineBytes peek(Address address) const = 0;

  // Data mode, just before power_fail(): takes a write that the host's queue still holds. Writes to
  // one line arrive in order.
  virtual void spare(Address address, const LineData& data) = 0;
  // Data mode: power fails at `now`. Writes that are done, or spared, are saved; all else is lost.
  // Afterwards only peek(), power_record() and restore() from this module are allowed. If the save
  // takes longer than `save_for`, the return of power interrupts it; the rest stays in the buffer.
  virtual PowerRecord power_fail(Tick now, Tick save_for = kNever) = 0;
  // Data mode, before any command: takes over the contents of a module with the same parameters
  // that had a power failure. False: the recovery was interrupted after `recover_for`; then only
  // peek(), power_record() and power_fail() are allowed.
  virtual bool restore(NvdimmModule& before, Tick now, Tick recover_for = kNever) = 0;
  virtual const PowerRecord& power_record() const = 0;
  virtual bool off() const { return off_; }  // since a power failure
  // The longest that a save at a power failure may take; collections left out.
  virtual Tick worst_hold_up() const = 0;
  virtual const ModuleParameters& parameters() const = 0;

  // Saves or loads the state before any command, which preconditioning has left.
  virtual void serialize_start(Archive& /*archive*/) {}

  // Before any command: writes the pages to flash, in order and without time. A page may be named
  // more than once. Modules without flash ignore it.
  virtual void write_before(const std::vector<LogicalPage>& /*pages*/) {}
  // Before any command: fills the buffer with these pages as if they had been read, or written, as
  // many as fit. The first is given up last. Modules without a buffer ignore it.
  virtual void hold_read(const std::vector<LogicalPage>& /*pages*/) {}
  virtual void hold_written(const std::vector<LogicalPage>& /*pages*/) {}

  // Garbage collections so far.
  virtual std::uint64_t collections_begun() const { return 0; }
  virtual std::uint64_t collections_ended() const { return 0; }

  virtual bool idle() const = 0;  // no command is unfinished and nothing is going on

  // Adds an observer of flash, or of other media. It must outlive the module.
  virtual void add_flash_observer(FlashObserver& /*observer*/) {}
  virtual void add_media_observer(MediaObserver& /*observer*/) {}

 protected:
  bool off_ = false;

  // Sets the time of the next event. To be called after each event.
  void set_next(Tick next) { *next_ = next; }
  // The same, after a call from outside that may have changed it.
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

// Registers the modules' records of power failures.
void register_power_statistics(StatisticRegistry& registry, const NvdimmModules& modules);

}  // namespace hmsim
