// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <string>
#include <utility>

#include "controller/hbf/hbf_channel.h"

namespace hmsim {

namespace {

using Channels = std::vector<HbfChannel*>;

void register_lane(StatisticRegistry& registry, const Channels& channels, const std::string& path,
                   const ByteLane& (HbfChannel::*lane)() const) {
  registry.gauge(path + ".bytes", "B", "bytes on the link in this direction", [channels, lane] {
    double bytes = 0;
    for (const HbfChannel* channel : channels) {
      bytes += static_cast<double>((channel->*lane)().bytes().value());
    }
    return bytes;
  });
  registry.ratio(
      path + ".busy", "share of time in which messages occupy the link in this direction",
      [channels, lane] {
        double busy = 0;
        for (const HbfChannel* channel : channels) {
          busy += static_cast<double>((channel->*lane)().busy().value());
        }
        return busy;
      },
      [channels] {
        double time = 0;
        for (const HbfChannel* channel : channels) {
          time += static_cast<double>((channel->now() - channel->measured_from()).value());
        }
        return time;
      });
}

void register_bandwidth(StatisticRegistry& registry, const Channels& channels) {
  registry.gauge(
      "hbf.bandwidth_gb_per_s", "GB/s",
      "data on the links of all channels, both directions together, without headers", [channels] {
        double rate = 0;
        for (HbfChannel* channel : channels) {
          const double ps =
              static_cast<double>((channel->now() - channel->measured_from()).value());
          const double bytes = static_cast<double>(channel->to_host().bytes().value()) +
                               static_cast<double>(channel->to_device().bytes().value()) -
                               static_cast<double>(channel->header_bytes());
          constexpr double kGigabytesPerSecond = 1e3;  // bytes/ps x 10^12 / 10^9
          rate += ps == 0 ? 0 : bytes * kGigabytesPerSecond / ps;
        }
        return rate;
      });
}

}  // namespace

void register_hbf_channel_statistics(StatisticRegistry& registry, const Channels& channels) {
  register_bandwidth(registry, channels);
  register_lane(registry, channels, "hbf.to_device", &HbfChannel::to_device);
  register_lane(registry, channels, "hbf.to_host", &HbfChannel::to_host);
  std::vector<Counter*> headers;
  std::vector<HbfDevice*> devices;
  for (HbfChannel* channel : channels) {
    headers.push_back(&channel->header_bytes());
    devices.push_back(&channel->device());
  }
  registry.counter("hbf.header_bytes", "B", "bytes of commands' headers, part of to_device",
                   std::move(headers));
  constexpr std::array<std::pair<const char*, RequestOrigin>, kRequestOrigins> kOrigins{
      {{"user", RequestOrigin::user},
       {"collection", RequestOrigin::collection},
       {"map", RequestOrigin::map},
       {"refresh", RequestOrigin::refresh}}};
  for (const auto& [name, origin] : kOrigins) {
    std::vector<Counter*> counters;
    for (HbfChannel* channel : channels) {
      counters.push_back(&channel->answered(origin));
    }
    registry.counter(std::string("hbf.requests.") + name, "requests",
                     "requests of this origin answered by the flash", std::move(counters));
  }
  register_hbf_statistics(registry, devices);
}

}  // namespace hmsim
