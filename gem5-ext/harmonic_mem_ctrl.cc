// SPDX-License-Identifier: BSD-3-Clause
#include "gem5-ext/harmonic_mem_ctrl.hh"

#include <algorithm>
#include <fstream>
#include <utility>

#include "base/output.hh"
#include "base/str.hh"
#include "base/trace.hh"
#include "core/input_file.h"
#include "cpu/base.hh"
#include "cpu/thread_context.hh"
#include "debug/Drain.hh"
#include "debug/HarmonicMem.hh"
#include "embed/named_values.h"
#include "gem5-ext/guarded.hh"
#include "sim/core.hh"
#include "sim/system.hh"

namespace gem5 {
namespace memory {

namespace {

using hmsim::MemoryClass;

constexpr const char* kNames[] = {"dram", "nvdimm"};

hmsim::Tick time_now() { return hmsim::Tick(static_cast<std::int64_t>(curTick())); }

hmsim::Assignments assignments(const std::vector<std::string>& lines, const std::string& name) {
  hmsim::Assignments parameters;
  for (const std::string& line : lines) {
    const std::size_t equals = line.find('=');
    fatal_if(equals == std::string::npos, "%s: parameter '%s' is not NAME=VALUE", name, line);
    parameters.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
  return parameters;
}

}  // namespace

HarmonicMemInterface::HarmonicMemInterface(const HarmonicMemInterfaceParams& params)
    : AbstractMemory(params), latency_(params.latency) {}

HarmonicMemCtrl::HarmonicMemCtrl(const HarmonicMemCtrlParams& params)
    : ClockedObject(params),
      written_before_(params.written),
      event_([this] { advance(); }, name() + ".event", false, Event::Stat_Event_Pri - 1),
      frontend_latency_(params.static_frontend_latency),
      backend_latency_(params.static_backend_latency) {
  fatal_if(sim_clock::Frequency != 1'000'000'000'000ULL,
           "%s: a tick must be a picosecond, gem5's default", name());
  HarmonicMemInterface* const memories[] = {params.dram, params.nvdimm};
  for (const MemoryClass memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
    const auto index = static_cast<std::size_t>(memory);
    if (memories[index] != nullptr) {
      ports_[index] = std::make_unique<MemoryPort>(name() + "." + kNames[index] + "_port", *this,
                                                   *memories[index], memory);
    }
  }
  gate_ = guarded(name(), [&] {
    return std::make_unique<hmsim::MemoryGate>(*this, assignments(params.parameters, name()),
                                               params.seed, params.check);
  });
  for (const MemoryClass memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
    check_capacity(ports_[static_cast<std::size_t>(memory)].get(), memory);
  }
  if (params.nvdimm != nullptr) {
    written_ = std::make_unique<WrittenBefore>(params.nvdimm->getAddrRange());
  }
  if (params.views) {
    views_ = guarded(name(), [&] { return std::make_unique<hmsim::PacketViews>(gate_->config()); });
    gate_->observe_lines(*views_);
  }
  if (!params.record.empty()) {
    std::ostream* const out = simout.create(params.record, true)->stream();
    recorder_ = std::make_unique<hmsim::PacketRecorder>(*out, name());
  }
  declare_statistics();
}

void HarmonicMemCtrl::check_capacity(const MemoryPort* port, MemoryClass memory) const {
  const char* const which = kNames[static_cast<std::size_t>(memory)];
  const auto capacity = static_cast<std::uint64_t>(gate_->capacity(memory).value());
  const std::uint64_t range = port == nullptr ? 0 : port->memory().size();
  fatal_if(capacity != range,
           "%s: the %s's address range has %d bytes, its configuration %d (of %s)", name(), which,
           range, capacity,
           memory == MemoryClass::dram ? "dram.preset, dram.ranks, controller.channels"
                                       : "nvdimm.capacity, nvdimm.ftl.over_provisioning");
}

Port& HarmonicMemCtrl::getPort(const std::string& name, PortID index) {
  for (std::size_t memory = 0; memory < ports_.size(); ++memory) {
    if (ports_[memory] != nullptr && name == std::string(kNames[memory]) + "_port") {
      return *ports_[memory];
    }
  }
  return ClockedObject::getPort(name, index);
}

void HarmonicMemCtrl::init() {
  ClockedObject::init();
  for (const auto& port : ports_) {
    fatal_if(port != nullptr && !port->isConnected(), "%s is not connected", port->name());
    if (port != nullptr) {
      port->sendRangeChange();
    }
  }
}

// --- Packets

void HarmonicMemCtrl::note_written(const MemoryPort& port, const Packet& packet, bool loaded) {
  if (port.memory_class() == MemoryClass::nvdimm && !begun_) {
    written_->note(packet, loaded);
  }
}

bool HarmonicMemCtrl::take(MemoryPort& port, MemoryClass memory, PacketPtr packet) {
  if (free_ids_.empty()) {
    free_ids_.push_back(held_.size());
    held_.emplace_back();
  }
  hmsim::GatePacket offered;
  offered.memory = memory;
  offered.address = hmsim::Address(
      static_cast<std::int64_t>(port.memory().getAddrRange().getOffset(packet->getAddr())));
  offered.size = packet->getSize();
  offered.write = packet->isWrite() && !packet->isRead();
  offered.source = source_of(*packet);
  offered.id = free_ids_.back();
  if (!guarded(name(), [&] { return gate_->offer(offered, time_now()); })) {
    DPRINTF(HarmonicMem, "refused: %s\n", packet->print());
    return false;
  }
  DPRINTF(HarmonicMem, "taken: %s\n", packet->print());
  free_ids_.pop_back();
  const Tick delay = packet->headerDelay + packet->payloadDelay;
  packet->headerDelay = 0;
  packet->payloadDelay = 0;
  const bool answered = packet->needsResponse();
  port.memory().access(packet);
  if (!offered.write && answered) {
    held_[offered.id] = {packet, &port, delay};
  } else if (answered) {
    // ADR: an accepted write is durable.
    port.schedTimingResp(packet, curTick() + delay + frontend_latency_);
  } else {
    finished_.reset(packet);
  }
  reschedule();
  return true;
}

void HarmonicMemCtrl::on_taken(const hmsim::GatePacket& packet, hmsim::Tick time) {
  if (views_ != nullptr) {
    views_->taken(packet, time_now());
  }
  if (recorder_ != nullptr) {
    recorder_->record(packet, time, hmsim::Address(gate_->capacity(MemoryClass::dram).value()));
  }
}

void HarmonicMemCtrl::on_done(std::uint64_t id) {
  if (views_ != nullptr) {
    views_->done(id, time_now());
  }
  const Held held = std::exchange(held_[id], {});
  free_ids_.push_back(id);
  if (held.packet != nullptr) {
    held.port->schedTimingResp(held.packet,
                               curTick() + held.delay + frontend_latency_ + backend_latency_);
  }
}

void HarmonicMemCtrl::on_room(MemoryClass port) {
  DPRINTF(HarmonicMem, "room for %s\n", kNames[static_cast<std::size_t>(port)]);
  ports_[static_cast<std::size_t>(port)]->sendRetryReq();
}

void HarmonicMemCtrl::satisfy_held(MemoryPort& port, PacketPtr functional) {
  for (const Held& held : held_) {
    if (held.packet != nullptr && held.port == &port) {
      functional->trySatisfyFunctional(held.packet);
    }
  }
}

// Returns the source number of a packet. A core is identified by its context, or by its name if a
// request has none (page-table walkers). Other requestors (devices, traffic generators, write-backs
// of caches) are numbered after the cores in order of appearance.
std::uint16_t HarmonicMemCtrl::source_of(const Packet& packet) {
  System& system = *ports_[0]->memory().system();
  const std::size_t cores = system.threads.size();
  if (packet.req->hasContextId() && static_cast<std::size_t>(packet.req->contextId()) < cores) {
    return static_cast<std::uint16_t>(packet.req->contextId());
  }
  const RequestorID requestor = packet.req->requestorId();
  if (requestor >= sources_.size()) {
    sources_.resize(requestor + 1, -1);
  }
  std::int64_t& source = sources_[requestor];
  if (source < 0) {
    const std::string name = system.getRequestorName(requestor);
    std::size_t core = 0;
    while (core < cores && !startswith(name, system.threads[core]->getCpuPtr()->name() + ".")) {
      ++core;
    }
    source = static_cast<std::int64_t>(core < cores ? core : cores + others_++);
  }
  return static_cast<std::uint16_t>(source);
}

std::int64_t HarmonicMemCtrl::instructions(std::uint16_t source) const {
  const System* const system = ports_[0]->memory().system();
  return source < system->threads.size()
             ? static_cast<std::int64_t>(system->threads[source]->getCurrentInstCount())
             : 0;
}

// --- Time

void HarmonicMemCtrl::advance() {
  guarded(name(), [&] { gate_->advance(time_now()); });
  if (drainState() == DrainState::Draining && gate_->idle()) {
    DPRINTF(Drain, "all done\n");
    signalDrainDone();
  }
  reschedule();
}

void HarmonicMemCtrl::reschedule() {
  const hmsim::Tick next = gate_->next_event();
  if (next != hmsim::kNever) {
    EventManager::reschedule(event_, std::max(curTick(), static_cast<Tick>(next.value())), true);
  } else if (event_.scheduled()) {
    deschedule(event_);
  }
}

void HarmonicMemCtrl::startup() {
  if (!written_before_.empty()) {
    fatal_if(written_ == nullptr, "%s: written: the machine has no NVDIMM", name());
    written_->read(written_before_);
  }
  start();
}

// Starts time in timing mode. In other modes nothing is scheduled.
void HarmonicMemCtrl::start() {
  const bool timing = ports_[0]->memory().system()->isTimingMode();
  if (timing && !begun_ && gate_->untouched() && written_ != nullptr) {
    guarded(name(), [&] { gate_->write_before(written_->pages()); });
  }
  begun_ = begun_ || timing;
  if (timing && gate_->suspended()) {
    gate_->resume(time_now());
  } else if (!timing && !gate_->suspended()) {
    gate_->suspend(time_now());
  }
  reschedule();
}

// While other objects drain they may still send, so time continues until all are drained.
DrainState HarmonicMemCtrl::drain() {
  if (gate_->suspended() || gate_->idle()) {
    return DrainState::Drained;
  }
  DPRINTF(Drain, "work is under way\n");
  return DrainState::Draining;
}

void HarmonicMemCtrl::drainResume() {
  ClockedObject::drainResume();
  start();
}

// --- Checkpoints

// If no request ever reached the memory, its state follows from its configuration and from the
// pages that the guest wrote. Hence a checkpoint of a boot in atomic mode can be restored under any
// configuration of the same size.
void HarmonicMemCtrl::serialize(CheckpointOut& cp) const {
  ClockedObject::serialize(cp);
  std::string state_file;
  std::string written_file;
  if (!gate_->untouched()) {
    if (!gate_->suspended()) {
      gate_->suspend(time_now());  // drainResume() continues, both here and after a restore
    }
    state_file = name() + ".hmsim";
    const std::string path = CheckpointIn::dir() + "/" + state_file;
    std::ofstream out(path, std::ios::binary);
    out << gate_->save();
    out.close();
    fatal_if(!out, "%s: cannot write %s", name(), path);
  } else if (written_ != nullptr) {
    written_file = written_->save(name());
  }
  SERIALIZE_SCALAR(state_file);
  SERIALIZE_SCALAR(written_file);
  SERIALIZE_CONTAINER(sources_);
  SERIALIZE_SCALAR(others_);
}

void HarmonicMemCtrl::unserialize(CheckpointIn& cp) {
  ClockedObject::unserialize(cp);
  std::string state_file;
  std::string written_file;
  UNSERIALIZE_SCALAR(state_file);
  UNSERIALIZE_SCALAR(written_file);
  UNSERIALIZE_CONTAINER(sources_);
  UNSERIALIZE_SCALAR(others_);
  if (!state_file.empty()) {
    const std::string path = cp.getCptDir() + "/" + state_file;
    guarded(path, [&] { gate_->load(hmsim::InputFile(path, "state_file").read_all()); });
  }
  if (!written_file.empty()) {
    fatal_if(written_ == nullptr, "%s: the checkpoint belongs to a machine with an NVDIMM", name());
    written_->load(cp.getCptDir() + "/" + written_file);
  }
}

// --- Statistics

void HarmonicMemCtrl::declare_statistics() {
  for (const hmsim::NamedValue& value : hmsim::named_values(gate_->statistics(time_now()))) {
    mirrors_.push_back(std::make_unique<statistics::Scalar>(
        this, hmsim::identifiers(value.name).c_str(), statistics::units::Unspecified::get(),
        value.description.c_str()));
  }
}

void HarmonicMemCtrl::preDumpStats() {
  ClockedObject::preDumpStats();
  auto mirror = mirrors_.begin();
  for (const hmsim::NamedValue& value : hmsim::named_values(gate_->statistics(time_now()))) {
    **mirror++ = value.value;
  }
}

void HarmonicMemCtrl::resetStats() {
  ClockedObject::resetStats();
  gate_->reset_statistics(time_now());
  if (views_ != nullptr) {
    views_->begin(time_now());
  }
}

std::string HarmonicMemCtrl::statistics() {
  return hmsim::value_lines(hmsim::named_values(gate_->statistics(time_now())));
}

std::string HarmonicMemCtrl::view_sums() const {
  return views_ == nullptr ? "" : views_->lines(time_now());
}

std::string HarmonicMemCtrl::resolved() const {
  return hmsim::assignment_lines(gate_->parameters());
}

}  // namespace memory
}  // namespace gem5
