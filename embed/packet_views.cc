// SPDX-License-Identifier: BSD-3-Clause
#include "embed/packet_views.h"

#include <numeric>

namespace hmsim {

namespace {

constexpr std::array<const char*, 2> kNames{"read", "write"};

std::int64_t lines_of(const GatePacket& packet) {
  const std::int64_t line = kLineBytes.value();
  const std::int64_t first = packet.address.value();
  return (first + packet.size - 1) / line - first / line + 1;
}

}  // namespace

void PacketViews::begin(Tick now) {
  begin_ = now;
  sums_ = {};
  area_ = before_ = admission_ = residue_ = Tick(0);
  differing_ = disordered_ = unseen_ = 0;
  for (const auto& [id, flight] : flights_) {
    before_ += now - flight.taken;
  }
}

void PacketViews::taken(const GatePacket& packet, Tick now) {
  Flight flight;
  flight.taken = now;
  flight.write = packet.write;
  flight.bytes = packet.size;
  flight.lines = lines_of(packet);
  unseen_ += flights_.emplace(packet.id, flight).second ? 0 : 1;
  area_ -= now - begin_;
}

void PacketViews::on_line(std::uint64_t id, const RequestRecord& record, Tick shift) {
  const auto found = flights_.find(id);
  if (found == flights_.end()) {
    ++unseen_;
    return;
  }
  Flight& flight = found->second;
  --flight.lines;
  ++sums_[flight.write ? 1 : 0].lines;
  flight.admitted = earlier(flight.admitted, record.admitted + shift);
  flight.last = later(flight.last, record.done + shift);
  // A packet offered after the gate's events of its time enters one picosecond later.
  const Tick late = record.request.arrival + shift - flight.taken;
  differ(late == Tick(1) ? Tick(0) : late);
  differ(std::accumulate(record.parts.begin(), record.parts.end(), Tick(0)) -
         (record.done - record.request.arrival));
}

void PacketViews::done(std::uint64_t id, Tick now) {
  const auto found = flights_.find(id);
  if (found == flights_.end()) {
    ++unseen_;
    return;
  }
  const Flight flight = found->second;
  flights_.erase(found);
  area_ += now - begin_;
  if (flight.lines != 0) {
    ++unseen_;
    return;
  }
  Sums& sums = sums_[flight.write ? 1 : 0];
  ++sums.packets;
  sums.bytes += flight.bytes;
  sums.interface += now - flight.taken;
  sums.simulator += flight.last - flight.admitted;
  admission_ += flight.admitted - flight.taken;
  differ((now - flight.taken) - (flight.admitted - flight.taken) - (flight.last - flight.admitted));
  const bool ordered =
      flight.taken <= flight.admitted && flight.admitted <= flight.last && flight.last <= now;
  disordered_ += ordered ? 0 : 1;
}

void PacketViews::differ(Tick difference) {
  if (difference != Tick(0)) {
    ++differing_;
    residue_ += later(difference, Tick(0) - difference);
  }
}

PacketViews::Values PacketViews::values(Tick now) const {
  Values values{{"window_ps", (now - begin_).value()}};
  Tick latencies{0};
  Tick after{0};
  for (const auto& [id, flight] : flights_) {
    after += now - flight.taken;
  }
  for (std::size_t kind = 0; kind < sums_.size(); ++kind) {
    const Sums& sums = sums_[kind];
    const std::string name = kNames[kind];
    values.emplace_back(name + ".packets", sums.packets);
    values.emplace_back(name + ".bytes", sums.bytes);
    values.emplace_back(name + ".lines", sums.lines);
    values.emplace_back(name + ".interface_ps", sums.interface.value());
    values.emplace_back(name + ".simulator_ps", sums.simulator.value());
    latencies += sums.interface;
  }
  const auto in_flight = static_cast<std::int64_t>(flights_.size());
  const Tick area = area_ + in_flight * (now - begin_);
  values.emplace_back("admission_ps", admission_.value());
  values.emplace_back("in_flight", in_flight);
  values.emplace_back("residue.times_ps", residue_.value());
  values.emplace_back("residue.times", differing_);
  values.emplace_back("residue.order", disordered_);
  values.emplace_back("residue.unseen", unseen_);
  values.emplace_back("residue.little_ps", (area - (latencies - before_ + after)).value());
  return values;
}

std::string PacketViews::lines(Tick now) const {
  std::string text;
  for (const auto& [name, value] : values(now)) {
    text += name + "=" + std::to_string(value) + "\n";
  }
  return text;
}

}  // namespace hmsim
