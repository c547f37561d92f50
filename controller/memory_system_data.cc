// SPDX-License-Identifier: BSD-3-Clause
// Contents of a memory system: preconditioned state, lines, discarded pages, and power failures.
#include <algorithm>

#include "controller/hbf/hbf_ftl.h"
#include "controller/memory_system.h"
#include "controller/preconditioned.h"
#include "nvdimm/module/module.h"

namespace hmsim {

void MemorySystem::serialize_start(Archive& archive, std::int64_t node) {
  const Channels own = nvdimm_channels(node);
  for (std::size_t i = own.first; i < own.end; ++i) {
    channels_[i]->nvdimm()->serialize_start(archive);
  }
}

std::string MemorySystem::preconditioned(std::uint64_t seed) {
  Archive archive;
  serialize_start(archive, 0);
  return seal_preconditioned(config_, seed, archive.bytes());
}

void MemorySystem::write_before(const std::vector<std::int64_t>& pages) {
  const std::vector<std::vector<LogicalPage>> parts = by_channel(pages);
  for (std::size_t i = first_of_nvdimm_; i < channels_.size(); ++i) {
    channels_[i]->nvdimm()->write_before(parts[i]);
  }
}

void MemorySystem::hold_read(const std::vector<std::int64_t>& pages) {
  const std::vector<std::vector<LogicalPage>> parts = by_channel(pages);
  for (std::size_t i = first_of_nvdimm_; i < channels_.size(); ++i) {
    channels_[i]->nvdimm()->hold_read(parts[i]);
  }
}

void MemorySystem::hold_written(const std::vector<std::int64_t>& pages) {
  const std::vector<std::vector<LogicalPage>> parts = by_channel(pages);
  for (std::size_t i = first_of_nvdimm_; i < channels_.size(); ++i) {
    channels_[i]->nvdimm()->hold_written(parts[i]);
  }
}

std::vector<std::vector<LogicalPage>> MemorySystem::by_channel(
    const std::vector<std::int64_t>& pages) const {
  std::vector<std::vector<LogicalPage>> parts(channels_.size());
  for (const std::int64_t page : pages) {
    const NvdimmPlace place = map_.nvdimm(Address(page * kPageBytes.value()));
    parts[static_cast<std::size_t>(place.channel) + first_of_nvdimm_].emplace_back(place.page);
  }
  return parts;
}

LineBytes MemorySystem::peek(MemoryClass memory, Address line) const {
  MemoryChannel& channel = channel_of(memory, line);
  if (memory == MemoryClass::dram) {
    return channel.dram_bytes()->read(line);
  }
  const Address own = map_.nvdimm(line).address;
  if (const HbfFtl* const ftl = ftl_of(memory, line)) {
    return ftl->peek(own);
  }
  return channel.nvdimm() == nullptr ? channel.peek_flash(own) : channel.nvdimm()->peek(own);
}

std::int64_t MemorySystem::trim(Address address, Bytes size, Tick now) {
  if (!hbf_.empty() && ftls_.empty()) {
    return 0;  // physical pages
  }
  const std::int64_t page = kPageBytes.value();
  const std::int64_t end = address.value() + size.value();
  std::int64_t pages = 0;
  for (std::int64_t at = (address.value() + page - 1) / page * page; at + page <= end; at += page) {
    if (!ftls_.empty()) {
      const NvdimmPlace place = map_.nvdimm(Address(at));
      pages += ftls_[static_cast<std::size_t>(place.channel)]->trim(place.page, now) ? 1 : 0;
      continue;
    }
    NvdimmModule& nvdimm = *channel_of(MemoryClass::nvdimm, Address(at)).nvdimm();
    pages += nvdimm.trim(map_.nvdimm(Address(at)).address, kPageBytes, now);
  }
  return pages;
}

// Writes are spared in order of arrival.
void MemorySystem::spare_writes() {
  if (!hbf_.empty()) {
    return;  // nothing that is not programmed survives
  }
  std::vector<Request> writes;
  for (const Requester::Outstanding& each : outstanding()) {
    if (each.admitted && each.request.write && each.request.memory == MemoryClass::nvdimm) {
      writes.push_back(each.request);
    }
  }
  std::sort(writes.begin(), writes.end(),
            [](const Request& a, const Request& b) { return a.id < b.id; });
  for (const Request& write : writes) {
    channel_of(write.memory, write.address)
        .nvdimm()
        ->spare(map_.nvdimm(write.address).address, requesters_[write.agent]->write_data(write));
  }
}

void MemorySystem::power_fail(Tick now, Tick save_for, std::optional<std::size_t> interrupted) {
  for (const auto& ftl : ftls_) {
    ftl->lose_power();
  }
  std::size_t number = 0;
  for (const auto& channel : channels_) {
    channel->dram_bytes()->clear();
    channel->lose_power(now);
    for (NvdimmModule* const nvdimm : channel->nvdimms()) {
      nvdimm->power_fail(now, interrupted.value_or(number) == number ? save_for : kNever);
      ++number;
    }
  }
}

bool MemorySystem::restore(MemorySystem& before, Tick now, Tick recover_for) {
  bool complete = true;
  for (const auto& ftl : ftls_) {
    ftl->lose_power();  // of preconditioned pages too
  }
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    channels_[i]->restore_flash(*before.channels_[i]);
    if (channels_[i]->nvdimm() != nullptr) {
      NvdimmModule& old = *before.channels_[i]->nvdimm();
      complete = channels_[i]->nvdimm()->restore(old, now, recover_for) && complete;
    }
  }
  return complete;
}

}  // namespace hmsim
