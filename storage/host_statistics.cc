// SPDX-License-Identifier: BSD-3-Clause
// Statistics of the host: latencies and their parts, rates and utilisation.
#include <algorithm>

#include "storage/host.h"
#include "storage/statistics.h"

namespace hmsim {

namespace {

constexpr NamedPart<Layer> kNames[] = {
    {Layer::entry, "entry", "system call and entry"},
    {Layer::file_system, "file_system", "in the file system"},
    {Layer::queue, "queue", "in the block layer's queue"},
    {Layer::tag, "tag", "taking a tag"},
    {Layer::copy_in, "copy_in", "copying data to be written"},
    {Layer::issue, "issue", "handing the request to the device"},
    {Layer::device, "device", "the device had the whole request"},
    {Layer::interrupt, "interrupt", "in the interrupt at the request's end"},
    {Layer::wake, "wake", "waking the sleeping thread"},
    {Layer::copy_out, "copy_out", "copying read data"},
    {Layer::leave, "leave", "on the way back to the program"},
    {Layer::context_wait, "context_wait", "waiting for a hardware context"},
    {Layer::section_wait, "section_wait", "waiting for a lock, the queue or the file system"},
};
static_assert(std::size(kNames) == kLayers);

constexpr NamedPart<Section> kSectionNames[] = {
    {Section::file_system, "file_system", "share of time in which the file system was held"},
    {Section::queue, "queue", "share of time in which the block layer's queue was held"},
    {Section::lock, "lock", "share of time in which the lock for issuing was held"},
};
static_assert(std::size(kSectionNames) == kSections);

}  // namespace

void Host::register_statistics(StatisticRegistry& registry, const std::string& path) {
  const std::string prefix = path + ".";
  const auto seconds = [this] {
    return static_cast<double>(outstanding_.time().value()) / static_cast<double>(kSecond.value());
  };
  const auto rate = [seconds](double count) {
    const double time = seconds();
    return time == 0 ? 0 : count / time;
  };
  for (const bool write : {false, true}) {
    HostCounts::Direction& of = counts_.of[write ? 1 : 0];
    const std::string name = write ? "write" : "read";
    registry.histogram(prefix + name + "_latency_us", "us",
                       write ? "latency of a write, from its start in software to its end there"
                             : "latency of a read, from its start in software to its end there",
                       kMicrosecond.value(), {&of.latency});
    register_parts(registry, prefix + name + ".", kNames, of.parts, of.requests);
    registry.counter(prefix + name + "s", "requests",
                     write ? "writes that ended" : "reads that ended", {&of.requests});
    registry.counter(prefix + name + "_bytes", "bytes",
                     write ? "bytes of writes that ended" : "bytes of reads that ended",
                     {&of.bytes});
  }
  registry.counter(prefix + "flushes", "requests", "flushes that ended", {&counts_.flushes});
  registry.gauge(prefix + "iops", "requests/s", "reads and writes that ended per second",
                 [this, rate] {
                   return rate(static_cast<double>(counts_.of[0].requests) +
                               static_cast<double>(counts_.of[1].requests));
                 });
  registry.gauge(prefix + "bandwidth_gb_per_s", "GB/s", "reads and writes together, in 10^9 bytes",
                 [this, rate] {
                   return rate(static_cast<double>(counts_.of[0].bytes) +
                               static_cast<double>(counts_.of[1].bytes)) /
                          1e9;
                 });
  register_level(registry, prefix + "outstanding", "requests", "requests in flight, mean over time",
                 outstanding_);
  registry.gauge(prefix + "cores_used", "contexts",
                 "hardware contexts that software kept busy, including spinning; mean over time",
                 [this, rate] {
                   return rate(static_cast<double>(counts_.processor_time)) /
                          static_cast<double>(kSecond.value());
                 });
  register_level(registry, prefix + "contexts.busy", "",
                 "share of hardware contexts in use, mean over time", contexts_.level(),
                 contexts_.count());
  for (const NamedPart<Section>& each : kSectionNames) {
    register_level(registry, prefix + "section." + each.name + ".busy", "", each.description,
                   sections_[static_cast<std::size_t>(each.part)].level());
  }
  registry.on_reset([this](Tick) { counts_.processor_time = 0; });
  device_.register_statistics(registry, prefix + "device");
}

}  // namespace hmsim
