// SPDX-License-Identifier: BSD-3-Clause
#include "storage/software_path.h"

#include <array>
#include <limits>
#include <string>

#include "core/preset_table.h"

namespace hmsim {

namespace {

constexpr Bytes kAlways{std::numeric_limits<std::int64_t>::max()};
constexpr Bytes kNoSpinning{0};
constexpr Bytes kSpinPage{4096};

// Caulfield et al., Moneta (MICRO 2010), Fig. 3 and section IV for 4 KB, in the order of
// LayerTimes: entry, queue, tag, issue, interrupt, wake, leave. The figure gives Base; the others
// follow from the savings that the text states for each version. The wake-up is the remainder of
// the figure's software totals. A hold is longer than the time of a lone request; it is set to
// match the paper's rates of 4 KB and 512 B requests.
constexpr LayerTimes kBaseRead{ns(1'950), ns(3'740), ns(510),  ns(1'150),
                               ns(1'080), ns(740),   ns(1'950)};
constexpr LayerTimes kBaseWrite{ns(1'980), ns(2'510), ns(440),  ns(1'180),
                                ns(1'100), ns(3'150), ns(1'980)};
constexpr LayerTimes kNoschedRead{ns(1'950), ns(1'740), ns(510),  ns(1'150),
                                  ns(1'080), ns(740),   ns(1'950)};
constexpr LayerTimes kNoschedWrite{ns(1'980), ns(510),   ns(440),  ns(1'180),
                                   ns(1'100), ns(3'150), ns(1'980)};
constexpr LayerTimes kAtomicRead{ns(1'950), ns(1'740), ns(140),  ns(480),
                                 ns(1'080), ns(740),   ns(1'950)};
constexpr LayerTimes kAtomicWrite{ns(1'980), ns(510),   ns(140),  ns(480),
                                  ns(1'100), ns(3'150), ns(1'980)};
constexpr LayerTimes kSpinRead{ns(1'600), ns(0), ns(100), ns(400), ns(1'080), ns(740), ns(1'750)};
constexpr LayerTimes kSpinWrite{ns(1'600), ns(0),     ns(100),  ns(400),
                                ns(1'100), ns(3'150), ns(1'750)};
// Caulfield et al., Understanding the impact of emerging non-volatile memories (SC 2010): no queue,
// one lock, spinning. The split is fitted to its 16 us and 1.34 GB/s for 4 KB requests.
constexpr LayerTimes kHaste{ns(2'200), ns(0), ns(0), ns(3'050), ns(0), ns(0), ns(2'350)};
// Zhong et al., XRP (OSDI 2022), Table 1: crossing 351 ns and system call 199 ns, half of them on
// return; bio 379 ns; NVMe driver 113 ns. The device's time includes its interrupt.
constexpr LayerTimes kNvme{ns(275), ns(379), ns(0), ns(113), ns(0), ns(0), ns(275)};
// J. Axboe's io_uring with registered buffers (linux-block, 2020): one core reaches 2.58 million
// requests per second, 388 ns each.
constexpr LayerTimes kNvmePoll{ns(100), ns(0), ns(0), ns(188), ns(0), ns(0), ns(100)};

constexpr Tick kCopyIn = ns(240);
constexpr Tick kCopyOut = ns(270);

// Drivers of an NVDIMM (storage/nvdimm_driver.h). Assumed: 3 us for 4 KiB; 2.6 us were measured
// with a RAM disk (SC 2010, HASTE). Files mapped into memory (dax) need no system call.
constexpr IoDriver on_memory(Tick entry, Tick page) {
  return {{entry, {}, {}, {}, {}, {}, {}},
          {entry, {}, {}, {}, {}, {}, {}},
          {},
          {},
          {},
          {},
          kNoSpinning,
          page,
          true};
}
constexpr IoDriver kCopyingDriver = on_memory(ns(2'500), ns(500));

constexpr std::array<PresetRow<IoDriverKind, IoDriver>, 13> kDrivers{{
    {IoDriverKind::none, "none", {{}, {}, Tick(0), Tick(0), Tick(0), Tick(0), kNoSpinning}},
    {IoDriverKind::moneta_base,
     "moneta_base",
     {kBaseRead, kBaseWrite, kCopyIn, kCopyOut, ns(16'400), Tick(0), kNoSpinning}},
    {IoDriverKind::moneta_nosched,
     "moneta_nosched",
     {kNoschedRead, kNoschedWrite, kCopyIn, kCopyOut, Tick(0), ns(4'100), kNoSpinning}},
    {IoDriverKind::moneta_atomic,
     "moneta_atomic",
     {kAtomicRead, kAtomicWrite, kCopyIn, kCopyOut, Tick(0), Tick(0), kNoSpinning}},
    {IoDriverKind::moneta_spin,
     "moneta_spin",
     {kSpinRead, kSpinWrite, kCopyIn, kCopyOut, Tick(0), Tick(0), kSpinPage}},
    {IoDriverKind::moneta_2q,
     "moneta_2q",
     {kSpinRead, kSpinWrite, kCopyIn, kCopyOut, Tick(0), Tick(0), kSpinPage}},
    {IoDriverKind::moneta_balance,
     "moneta_balance",
     {kSpinRead, kSpinWrite, kCopyIn, kCopyOut, Tick(0), Tick(0), kSpinPage}},
    {IoDriverKind::haste,
     "haste",
     {kHaste, kHaste, kCopyIn, kCopyOut, Tick(0), ns(3'050), kAlways}},
    {IoDriverKind::nvme_interrupt,
     "nvme_interrupt",
     {kNvme, kNvme, Tick(0), Tick(0), Tick(0), Tick(0), kNoSpinning}},
    {IoDriverKind::nvme_poll,
     "nvme_poll",
     {kNvmePoll, kNvmePoll, Tick(0), Tick(0), Tick(0), Tick(0), kNoSpinning}},
    {IoDriverKind::nd_pmem, "nd_pmem", kCopyingDriver},
    {IoDriverKind::pmbd, "pmbd", kCopyingDriver},
    {IoDriverKind::dax, "dax", on_memory(Tick(0), Tick(0))},
}};
static_assert(in_order(kDrivers));

// Layer's time as a parameter of reads and one of writes. Its description has the direction's name
// between two texts.
struct NamedTime {
  const char* name;
  Tick LayerTimes::*time;
  const char* before;
  const char* after;
};
constexpr NamedTime kTimes[] = {
    {"entry", &LayerTimes::entry, "time of system call and entry of a ", ", on a context"},
    {"queue", &LayerTimes::queue, "time of the block layer's queue, of a ", ""},
    {"tag", &LayerTimes::tag, "time in which a ", " takes its tag, on a context"},
    {"issue", &LayerTimes::issue, "time to hand a ", " to the device"},
    {"interrupt", &LayerTimes::interrupt, "time of the interrupt at the end of a ",
     ", on a context; not for spinning threads"},
    {"wake", &LayerTimes::wake, "time to wake the sleeper at the end of a ",
     ", on a context; not for spinning threads"},
    {"leave", &LayerTimes::leave, "time of a ", "'s way back to the program, on a context"},
};

// Declares the keys of which storage.path.driver is a preset.
void declare_driver(ParameterSet& parameters, IoDriver& driver) {
  const ParameterSet::PartData part(parameters);
  for (LayerTimes* const times : {&driver.read, &driver.write}) {
    const std::string direction = times == &driver.read ? "read" : "write";
    for (const NamedTime& each : kTimes) {
      const std::string doc = each.before + direction + each.after;
      parameters.time((each.name + ("_" + direction)).c_str(), times->*each.time,
                      {doc.c_str(), "storage.path.driver"});
    }
  }
  parameters.time(
      "page_time", driver.page_time,
      {"time per page of 4 KiB that a request accesses, added to its entry, on a context",
       "storage.path.driver"});
  parameters.boolean("once", driver.once,
                     {"whether entry, page_time and file system apply once to a request of a "
                      "program, including its flushes and FUA; otherwise to each of these",
                      "storage.path.driver"});
  parameters.time("copy_in", driver.copy_in,
                  {"time per KiB that a write copies before it is issued", "storage.path.driver"},
                  kMillisecond);
  parameters.time("copy_out", driver.copy_out,
                  {"time per KiB that a read copies after the device", "storage.path.driver"},
                  kMillisecond);
  parameters.time("queue_hold", driver.queue_hold,
                  {"time that a request keeps others out of the block layer's queue; 0ps: none",
                   "storage.path.driver"});
  parameters.time("issue_hold", driver.issue_hold,
                  {"time that a request holds the lock under which it is issued; 0ps: none",
                   "storage.path.driver"});
  parameters.size("spin_up_to", driver.spin_up_to, {0, kAlways.value()},
                  {"largest request that threads wait for by spinning, which keeps their context; "
                   "for larger ones they sleep",
                   "storage.path.driver"});
}

}  // namespace

const IoDriver& io_driver_of(IoDriverKind kind) { return row_of(kDrivers, kind).values; }

void PathParameters::declare(ParameterSet& parameters) {
  const ParameterSet::Scope scope(parameters, "path");
  declare_preset(parameters, "driver", kind, kDrivers,
                 [this](const auto& row) { driver = row.values; },
                 {"preset of all keys of storage.path except contexts, max_request and file_system",
                  "Caulfield et al. 2010; Zhong et al. 2022"});
  declare_driver(parameters, driver);
  parameters.integer("contexts", contexts, {1, 4'096}, "contexts",
                     {"hardware contexts on which software runs; each spinning thread has one",
                      "a modelling choice of hmsim"});
  parameters.choice<JobContexts>(
      "jobs", jobs, {{"node", JobContexts::node}, {"own", JobContexts::own}},
      {"where software of jobs' requests runs: on cores of their node, taken from their threads, "
       "or on the contexts above, which take no time from threads",
       "a modelling choice of hmsim"});
  parameters.size("max_request", max_request, {512, std::int64_t{1} << 30},
                  {"larger requests are split into pieces of this size, issued one after another "
                   "and in flight together",
                   "Linux: a bio of 256 pages"});
  const ParameterSet::Scope file_system(parameters, "file_system");
  parameters.time("time", file_system_time,
                  {"time that a file system adds to a request; 0ps: raw device",
                   "Caulfield et al. 2010: XFS about 5 us"});
  parameters.time(
      "read_hold", file_system_read_hold,
      {"time that a read keeps others out of the file system", "a modelling choice of hmsim"});
  parameters.time(
      "write_hold", file_system_write_hold,
      {"time that a write keeps others out of the file system", "a modelling choice of hmsim"});
}

std::vector<ParameterError> PathParameters::check() const {
  std::vector<ParameterError> errors;
  if (max_request % Bytes(512) != Bytes(0)) {
    errors.push_back({"storage.path.max_request", "must be a multiple of 512B"});
  }
  return errors;
}

SoftwarePath::SoftwarePath(const PathParameters& parameters, bool write) {
  using Where = Stage::Where;
  const IoDriver& driver = parameters.driver;
  const LayerTimes& times = write ? driver.write : driver.read;
  const auto add = [this](const Stage& stage) {
    if (stage.pass + stage.per_kib + stage.hold + stage.per_page > Tick(0)) {
      stages.push_back(stage);
    }
  };
  const auto guarded = [&add](Layer layer, Section section, Tick pass, Tick hold, Where free,
                              bool once = false) {
    add({layer, hold > Tick(0) ? Where::section : free, section, false, pass, {}, hold, {}, once});
  };
  add({Layer::entry, Where::core, {}, false, times.entry, {}, {}, driver.page_time, driver.once});
  guarded(Layer::file_system, Section::file_system, parameters.file_system_time,
          write ? parameters.file_system_write_hold : parameters.file_system_read_hold, Where::core,
          driver.once);
  again = stages.size();
  guarded(Layer::queue, Section::queue, times.queue, driver.queue_hold, Where::core);
  add({Layer::tag, Where::core, {}, false, times.tag});
  add({Layer::copy_in, Where::core, {}, false, {}, write ? driver.copy_in : Tick(0)});
  guarded(Layer::issue, Section::lock, times.issue, driver.issue_hold, Where::core);
  stages.push_back({Layer::device, Where::device, {}, false, {}});
  add({Layer::interrupt, Where::core, {}, true, times.interrupt});
  add({Layer::wake, Where::nowhere, {}, true, times.wake});
  add({Layer::copy_out, Where::core, {}, false, {}, write ? Tick(0) : driver.copy_out});
  add({Layer::leave, Where::core, {}, false, times.leave});
  stages.push_back({Layer::leave, Where::end, {}, false, {}});
}

}  // namespace hmsim
