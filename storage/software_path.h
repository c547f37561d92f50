// SPDX-License-Identifier: BSD-3-Clause
// Path of an I/O request through the software layers, and the cost of each.
//
// A driver is a preset: a table row with values for the parameters below, each of which can also be
// set separately.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"

namespace hmsim {

// Part of a request's time. Every moment counts in exactly one layer. The last two are waits.
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

// Resource that one request at a time may hold.
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

// Times of one direction.
struct LayerTimes {
  Tick entry, queue, tag, issue, interrupt, wake, leave;
};

struct IoDriver {
  LayerTimes read, write;
  Tick copy_in, copy_out;  // per KiB: of writes before, of reads after the device
  // How long a request holds the queue's section, and the lock under which it is issued; 0: no such
  // section. A request continues when its own time in the section is over. The section becomes free
  // at the end of the hold.
  Tick queue_hold, issue_hold;
  // Requests of at most this size spin until completion, without interrupt and wake-up; larger ones
  // sleep.
  Bytes spin_up_to;
  Tick page_time{0};  // per 4 KiB page that a request touches, added to the entry
  // Charges entry, pages and file system once per program request, including its flushes and
  // further parts.
  bool once = false;
};

const IoDriver& io_driver_of(IoDriverKind kind);

// Step of a request's path.
struct Stage {
  // Resource that the request occupies. core: a hardware context. section: `section`. nowhere:
  // nothing, only time passes. device: the device. end: nothing, because it has completed.
  enum class Where : std::uint8_t { core, section, nowhere, device, end };
  Layer layer = Layer::entry;
  Where where = Where::core;
  Section section = Section::queue;
  bool asleep = false;  // only for requests that sleep while the device works
  Tick pass{0};         // base time until the request continues
  Tick per_kib{0};
  Tick hold{0};  // of the section
  Tick per_page{0};
  bool once = false;  // skipped by a request that continues another one
};

// Contexts that run the software of jobs' requests.
enum class JobContexts : std::uint8_t { node, own };

struct PathParameters {
  IoDriverKind kind = IoDriverKind::none;  // preset of `driver`
  IoDriver driver = io_driver_of(IoDriverKind::none);
  std::int64_t contexts = 16;
  JobContexts jobs = JobContexts::node;
  Bytes max_request{1 << 20};
  Tick file_system_time{0};
  Tick file_system_read_hold{0};
  Tick file_system_write_hold{0};

  void declare(ParameterSet& parameters);  // under "storage.path."
  void take_file_system(const PathParameters& other) {
    file_system_time = other.file_system_time;
    file_system_read_hold = other.file_system_read_hold;
    file_system_write_hold = other.file_system_write_hold;
  }
  std::vector<ParameterError> check() const;
};

// Stages of reads or of writes, without those that take no time. The last stage is the end.
struct SoftwarePath {
  SoftwarePath(const PathParameters& parameters, bool write);

  std::vector<Stage> stages;
  std::size_t again = 0;  // index where the second and further pieces of a request begin
};

}  // namespace hmsim
