// SPDX-License-Identifier: BSD-3-Clause
// A module on the ack line of a channel, independent of its storage medium.
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

// Receiver of the module's acks and credits on the host side.
class AckListener {
 public:
  virtual ~AckListener() = default;
  // Called when command `tag` becomes ready at `now`: its data are available (read), or there is
  // room for them (write). The call comes only from within NvdimmModule::advance(). Must not call
  // the module.
  virtual void on_ack(std::uint32_t tag, Tick now) = 0;
  // Allows the host one more write on credit. The rules of on_ack() apply.
  virtual void on_credit(Tick /*now*/) {}
};

// Pages of a buffer in front of flash, so far.
struct BufferedPages {
  std::int64_t held = 0;        // written by the host, not yet programmed
  std::int64_t programmed = 0;  // of the host's

  BufferedPages& operator+=(const BufferedPages& other) {
    held += other.held;
    programmed += other.programmed;
    return *this;
  }
};

class NvdimmModule : public Component {
 public:
  // `driver` wakes the object that advances the module: its channel, or the kernel.
  virtual void attach(const Kernel& kernel, const Wakeup& driver) {
    kernel_ = &kernel;
    driver_ = driver;
  }
  Tick next_event() const final { return *next_; }
  // Makes the module store the time of its next event in `next`, which must outlive the module.
  void keep_next_in(Tick& next) {
    next = *next_;
    next_ = &next;
  }
  Tick now() const { return kernel_->now(); }

  // Takes a command whose command-bus slot ends at `now`. `address`: a line of the logical space.
  // `tag`: the host's slot, unique among unfinished commands and less than parameters.tags() -
  // parameters.posted_writes. `lines`: lines from `address` on, all in one page; more than one only
  // with parameters.access block. Its ack covers all of them.
  virtual void command(std::uint32_t tag, Address address, bool write, Tick now,
                       std::uint8_t lines = 1) = 0;
  // Takes a write whose data burst ends at `now`. The write is done and needs no finish(). At most
  // parameters.posted_writes may be in progress; each on_credit() allows one more. `data`: data
  // mode only.
  virtual void post(Address address, const LineData& data, std::uint16_t handle, Tick now) = 0;
  // Takes a flush whose command-bus slot ends at `now`. No command may be unfinished, and none may
  // arrive until the flush has ended. Its ack means that all earlier writes are durable.
  virtual void flush(std::uint32_t tag, Tick now) = 0;
  // Sets the placement handle of an acknowledged write, just before finish(). The latest one of a
  // page in the buffer counts. Modules without an FTL ignore the call.
  virtual void set_handle(std::uint32_t /*tag*/, std::uint16_t /*handle*/) {}
  // Ends an acknowledged command whose data burst is over at `now` and frees its tag. Returns the
  // time that the command waited for background work of the module: LUNs locked by garbage
  // collection, or banks that moved a gap.
  virtual Tick finish(std::uint32_t tag, Tick now) = 0;

  // Discards all pages that lie entirely within the range, in zero time. Returns their number. The
  // pages read as zeros until they are written again, also after power failures. Commands in
  // progress may see old data or zeros there.
  virtual std::int64_t trim(Address address, Bytes size, Tick now) = 0;

  // Data mode: transfer the bytes of a line of an acknowledged command, just before finish().
  // `line`: from 0, of the command's lines.
  virtual void write_line(std::uint32_t tag, const LineData& data, std::uint8_t line = 0) = 0;
  virtual LineBytes read_line(std::uint32_t tag, std::uint8_t line = 0) const = 0;
  // Returns the bytes that a read of the line would return now. Requires data mode.
  virtual LineBytes peek(Address address) const = 0;

  // Data mode, just before power_fail(): takes a write that is still in the host's queue. Writes to
  // one line arrive in order.
  virtual void spare(Address address, const LineData& data) = 0;
  // Data mode: fails at `now`. Saves writes that are done or spared; everything else is lost.
  // Afterwards only peek(), power_record() and restore() from this module are allowed. If the save
  // takes longer than `save_for`, the return of power interrupts it and the rest stays in the
  // buffer.
  virtual PowerRecord power_fail(Tick now, Tick save_for = kNever) = 0;
  // Takes over the contents of `before`, a module with the same parameters that had a power
  // failure. Requires stored data; call it before any command. Returns false if the recovery was
  // interrupted after `recover_for`; then only peek(), power_record() and power_fail() are allowed.
  virtual bool restore(NvdimmModule& before, Tick now, Tick recover_for = kNever) = 0;
  virtual const PowerRecord& power_record() const = 0;
  virtual bool off() const { return off_; }  // since a power failure
  // Returns the longest save at a power failure, collections excluded.
  virtual Tick worst_hold_up() const = 0;
  virtual const ModuleParameters& parameters() const = 0;

  // Saves or loads the state after preconditioning and before any command.
  virtual void serialize_start(Archive& /*archive*/) {}

  // Before any command: writes the pages to flash, in order and in zero time. Pages may repeat.
  // Modules without flash ignore the call.
  virtual void write_before(const std::vector<LogicalPage>& /*pages*/) {}
  // Before any command: fill the buffer with as many of these pages as fit, as if they had been
  // read or written. The first page is replaced last. Modules without a buffer ignore the call.
  virtual void hold_read(const std::vector<LogicalPage>& /*pages*/) {}
  virtual void hold_written(const std::vector<LogicalPage>& /*pages*/) {}

  // Return the garbage collections since the start.
  virtual std::uint64_t collections_begun() const { return 0; }
  virtual std::uint64_t collections_ended() const { return 0; }

  // Modules without a buffer in front of flash return zeros.
  virtual BufferedPages buffered_pages() const { return {}; }

  virtual bool idle() const = 0;  // no command is unfinished and no operation is in progress

  // Adds an observer of flash, or of other media. It must outlive the module.
  virtual void add_flash_observer(FlashObserver& /*observer*/) {}
  virtual void add_media_observer(MediaObserver& /*observer*/) {}

 protected:
  bool off_ = false;

  // Sets the time of the next event. advance() must call it after each event.
  void set_next(Tick next) { *next_ = next; }
  // Sets the time of the next event after a call from outside, and notifies the driver.
  void reschedule_at(Tick next) {
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

// Registers the modules' power failure records.
void register_power_statistics(StatisticRegistry& registry, const NvdimmModules& modules);

}  // namespace hmsim
