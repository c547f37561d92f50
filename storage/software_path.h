// SPDX-License-Identifier: BSD-3-Clause
// What software does to an I/O request, layer by layer, and what each costs.
//
// A driver is a row of a table: values of the parameters below, each of which may be set by itself.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"

namespace hmsim {

// Where a request is in its life; each moment of it belongs to one. The last two are waits.
enum class Layer : std::uint8_t {
  entry,
  file_system,
  queue,
  tag,
  copy_in,
  issue,
  device,
  interrupt,
  wake,
  copy_out,
  leave,
  context_wait,
  section_wait,
  last = section_wait
};
inline constexpr std::size_t kLayers = static_cast<std::size_t>(Layer::last) + 1;

// What only one request at a time may be in.
enum class Section : std::uint8_t { file_system, queue, lock, last = lock };
inline constexpr std::size_t kSections = static_cast<std::size_t>(Section::last) + 1;

enum class IoDriverKind {
  none,
  moneta_base,
  moneta_nosched,
  moneta_atomic,
  moneta_spin,
  moneta_2q,
  moneta_balance,
  haste,
  nvme_interrupt,
  nvme_poll,
  nd_pmem,
  pmbd,
  dax
};

// Of one direction.
struct LayerTimes {
  Tick entry, queue, tag, issue, interrupt, wake, leave;
};

struct IoDriver {
  LayerTimes read, write;
  Tick copy_in, copy_out;  // per KiB: of writes before, of reads after the device
  // How long a request keeps the section of the queue, and the lock that it is issued under; 0: no
  // such section. A request goes on when its own time there is over, and the section is free when
  // the hold is.
  Tick queue_hold, issue_hold;
  Bytes spin_up_to;   // requests of so many bytes are waited for by spinning: neither interrupt nor
                      // wake-up; larger ones sleep
  Tick page_time{0};  // beside the entry, per page of 4 KiB that a request touches
  bool once = false;  // entry, pages and file system: once for a program's request, its flushes and
                      // further parts included
};

const IoDriver& io_driver_of(IoDriverKind kind);

// One step of a request's way.
struct Stage {
  // core: on a hardware context; section: in one of Section; nowhere: time passes; device: the
  // device has the request; end: it is done.
  enum class Where : std::uint8_t { core, section, nowhere, device, end };
  Layer layer = Layer::entry;
  Where where = Where::core;
  Section section = Section::queue;
  bool asleep = false;  // only for requests that sleep while the device works
  Tick pass{0};         // until the request goes on, beside
  Tick per_kib{0};
  Tick hold{0};  // of the section
  Tick per_page{0};
  bool once = false;  // not for a request that continues another one
};

// What software of jobs' requests runs on.
enum class JobContexts : std::uint8_t { node, own };

struct PathParameters {
  IoDriverKind kind = IoDriverKind::none;  // as which `driver` began
  IoDriver driver = io_driver_of(IoDriverKind::none);
  std::int64_t contexts = 16;
  JobContexts jobs = JobContexts::node;
  Bytes max_request{1 << 20};
  Tick file_system_time{0};
  Tick file_system_read_hold{0};
  Tick file_system_write_hold{0};

  void declare(ParameterSet& parameters);  // under "storage.path."
  std::vector<ParameterError> check() const;
};

// The stages of reads or writes, those that take no time left out; the last one is the end.
struct SoftwarePath {
  SoftwarePath(const PathParameters& parameters, bool write);

  std::vector<Stage> stages;
  std::size_t again = 0;  // where the second and further pieces of a request begin
};

}  // namespace hmsim
