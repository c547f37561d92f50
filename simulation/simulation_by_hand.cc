// SPDX-License-Identifier: BSD-3-Clause
// Manual control of a simulation: requests, their data, and power failures.
#include <utility>

#include "core/errors.h"
#include "simulation/simulation.h"

namespace hmsim {

void Simulation::check_power() const {
  if (power_ != Power::on) {
    throw InputError(power_ == Power::off
                         ? "the power is off"
                         : "the recovery has not ended: only power_fail is allowed");
  }
}

// Returns the lines of a range: part of one, or several whole ones within `most` bytes.
std::uint8_t Simulation::check_range(Address address, std::int64_t size, Bytes most) const {
  const Address end(memory_->capacity(MemoryClass::dram).value() +
                    memory_->capacity(MemoryClass::nvdimm).value());
  if (address < Address(0) || address >= end) {
    throw InputError("address " + std::to_string(address.value()) + " is outside the memory of " +
                     std::to_string(end.value()) + " bytes");
  }
  const std::int64_t line = kLineBytes.value();
  const std::int64_t offset = address.value() % line;
  const std::int64_t left = most.value() - address.value() % most.value();
  const bool part = size >= 1 && size <= line - offset;
  const bool whole = offset == 0 && size >= line && size % line == 0 && size <= left;
  if (!part && !whole) {
    throw InputError(std::to_string(size) + " bytes from address " +
                     std::to_string(address.value()) + " are not within one 64-byte line" +
                     (most > kLineBytes ? ", and not whole lines of one page of 4096 bytes" : ""));
  }
  return static_cast<std::uint8_t>(part ? 1 : size / line);
}

std::optional<std::uint64_t> Simulation::enqueue(Address address, std::int64_t size, bool write,
                                                 std::uint16_t source,
                                                 std::optional<std::string> data) {
  const Address dram(memory_->capacity(MemoryClass::dram).value());
  const Address line = address - address % Address(kLineBytes.value());
  Request request;
  request.memory = line < dram ? MemoryClass::dram : MemoryClass::nvdimm;
  request.address = line < dram ? line : line - dram;
  request.lines = check_range(address, size, memory_->largest_request(request.memory));
  check_power();
  if (data && !memory_->config().store_data) {
    throw InputError("requests carry data only with system.store_data: true");
  }
  if (data && (!write || data->size() != static_cast<std::size_t>(size))) {
    throw InputError(write ? "a write of " + std::to_string(size) +
                                 " bytes must carry as many, got " + std::to_string(data->size())
                           : std::string("a read must not carry data"));
  }
  request.agent = static_cast<std::uint16_t>(agents_.size());
  request.source = source;
  request.write = write;
  if (memory_->would_wait(request.memory, request.address)) {
    return std::nullopt;
  }
  const Address place = (request.address + (address - line)) % Address(kPageBytes.value());
  const ManualRequester::Part part{static_cast<std::uint32_t>(place.value()),
                                   static_cast<std::uint32_t>(size), std::move(data)};
  return by_hand_->send(*memory_, request, part, kernel_.now());
}

std::uint64_t Simulation::submit(const SessionRequest& request,
                                 const std::vector<std::uint64_t>& after, std::optional<Tick> at) {
  if (!agents_.empty()) {
    throw InputError("a session needs a simulation without agents");
  }
  check_power();
  if (at) {
    if (*at < now()) {
      throw InputError("at: must not be before now, " + std::to_string(now().value()) +
                       " ps, got " + std::to_string(at->value()));
    }
    if (*at > now()) {
      advance(*at - Tick(1));
      kernel_.enter(*at - epoch_);
    }
  }
  return blaming_file([&] { return session_->submit(request, after); });
}

std::optional<std::uint64_t> Simulation::flush(std::uint16_t source) {
  if (!memory_->config().nvdimm.present) {
    throw InputError("the system has no NVDIMM to flush");
  }
  check_power();
  if (memory_->flush_would_wait()) {
    return std::nullopt;
  }
  Request request;
  request.memory = MemoryClass::nvdimm;
  request.agent = static_cast<std::uint16_t>(agents_.size());
  request.source = source;
  request.flush = true;
  return by_hand_->send(*memory_, request, {}, kernel_.now());
}

std::string Simulation::peek(Address address, std::int64_t size) const {
  if (!memory_->config().store_data) {
    throw InputError("peek needs system.store_data: true");
  }
  check_range(address, size, kLineBytes);
  const Address dram(memory_->capacity(MemoryClass::dram).value());
  const Address offset = address % Address(kLineBytes.value());
  const Address line = address - offset;
  const LineBytes bytes = line < dram ? memory_->peek(MemoryClass::dram, line)
                                      : memory_->peek(MemoryClass::nvdimm, line - dram);
  const auto* const begin = bytes.data() + offset.value();
  return {begin, begin + size};
}

std::int64_t Simulation::trim(Address address, Bytes size) {
  const Address first(memory_->capacity(MemoryClass::dram).value());
  const Bytes capacity = memory_->capacity(MemoryClass::nvdimm);
  if (address < first || size < Bytes(0) || address - first > Address(capacity.value()) ||
      size > capacity - Bytes((address - first).value())) {
    throw InputError(std::to_string(size.value()) + " bytes from address " +
                     std::to_string(address.value()) + " are not within the NVDIMM");
  }
  check_power();
  return blaming_file([&] { return memory_->trim(address - first, size, kernel_.now()); });
}

std::string Simulation::preconditioned() {
  const NvdimmParameters& nvdimm = memory_->config().nvdimm;
  if (!nvdimm.present || !nvdimm.has_ftl()) {
    throw InputError(nvdimm.present && nvdimm.kind == NvdimmKind::hbf
                         ? "hbf.ftl: preconditioning needs host, got raw"
                         : "preconditioning needs nvdimm.kind: flash");
  }
  if (kernel_.now() > Tick(0) || memory_->requests() > 0) {
    throw InputError("preconditioned state is available only before the simulation begins");
  }
  return blaming_file([&] { return memory_->preconditioned(options_.seed); });
}

void Simulation::power_fail(Tick save_for, std::optional<std::size_t> interrupted) {
  if (!memory_->config().store_data) {
    throw InputError("a power failure needs system.store_data: true");
  }
  if (!agents_.empty() || series_ != nullptr) {
    throw InputError("a power failure is not supported with agents or a time series");
  }
  if (power_ == Power::off) {
    throw InputError("the power is already off");
  }
  if (!session_->under_way().empty()) {
    throw InputError("a power failure is not supported while submitted requests are under way");
  }
  std::size_t nvdimms = 0;
  for (std::size_t channel = 0; channel < memory_->channels(); ++channel) {
    nvdimms += memory_->nvdimms(channel).size();
  }
  if (interrupted && *interrupted >= nvdimms) {
    throw InputError("invalid NVDIMM " + std::to_string(*interrupted) + ": must be below " +
                     std::to_string(nvdimms));
  }
  watchers_->raise_if_violated();
  power_ = Power::off;
  if (memory_->config().persistence == Persistence::controller) {
    blaming_file([&] { memory_->spare_writes(); });
  }
  by_hand_->lose_requests();
  blaming_file([&] { memory_->power_fail(kernel_.now(), save_for, interrupted); });
}

bool Simulation::power_on(Tick recover_for) {
  if (power_ != Power::off) {
    throw InputError("the power is already on");
  }
  epoch_ += kernel_.now();
  kernel_ = Kernel();
  no_stall_until_ = Tick(0);
  by_hand_->set_epoch(epoch_);
  session_->set_epoch(epoch_);
  SystemConfig config = memory_->config();
  config.nvdimm.precondition = PreconditionParameters();
  config.preconditioned = false;
  const std::unique_ptr<MemorySystem> before = std::move(memory_);
  make_memory(config);
  session_->connect(*memory_, requesters().size() - 1, nullptr);
  const bool recovered =
      blaming_file([&] { return memory_->restore(*before, kernel_.now(), recover_for); });
  power_ = recovered ? Power::on : Power::recovering;
  watchers_->check(config, *memory_);
  registry_ = StatisticRegistry();
  register_statistics();
  kernel_.notify_all();
  begin_measuring();
  update_progress();
  return power_ == Power::on;
}

}  // namespace hmsim
