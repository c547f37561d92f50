// SPDX-License-Identifier: BSD-3-Clause
#include "check/protocol_checker.h"

#include "controller/memory_system.h"
#include "core/errors.h"
#include "nvdimm/design.h"

namespace hmsim {

namespace {

bool is_dram(ChannelCommand command) {
  return command < ChannelCommand::nvdimm_read_command ||
         command == ChannelCommand::refresh_management;
}

// Each request has exactly one of these commands, or one for each of its lines.
bool is_burst(ChannelCommand command) {
  return command == ChannelCommand::read || command == ChannelCommand::write ||
         command == ChannelCommand::nvdimm_read || command == ChannelCommand::nvdimm_write ||
         command == ChannelCommand::nvdimm_flush_command;
}

}  // namespace

ProtocolChecker::ProtocolChecker(const SystemConfig& config)
    : config_(config), nvdimm_rank_(static_cast<int>(config.dram.ranks)) {
  const std::vector<SystemConfig> parts = config_.channel_configs();
  channels_.reserve(parts.size());
  for (const SystemConfig& part : parts) {
    const int index = static_cast<int>(channels_.size());
    channels_.push_back({Ddr3Checker(part.dram, violations_),
                         BankGroupChecker(part.dram, violations_),
                         BankRefreshChecker(part.dram, violations_),
                         DataClockChecker(part.dram, violations_),
                         StackChecker(part.dram, violations_),
                         RefreshChecker(part.dram, index, violations_),
                         ActivateCountChecker(part.dram, violations_),
                         PowerChecker(part.dram, violations_),
                         BusChecker(part.controller, part.dram, violations_),
                         AckChecker(part, violations_),
                         {}});
    for (const NvdimmParameters& nvdimm : part.nvdimms()) {
      const std::int64_t blocks = has_flash(nvdimm.kind) ? nvdimm.capacity / nvdimm.nand.page_size /
                                                               nvdimm.nand.pages_per_block
                                                         : 0;
      channels_.back().devices.push_back(
          {FlashChecker(nvdimm.nand, blocks, index, part.dram.clock_period(), violations_),
           MediaChecker(nvdimm, index, part.dram.clock_period(), violations_)});
    }
  }
}

void ProtocolChecker::watch(MemorySystem& memory) {
  memory.add_observer(*this);
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    watch(i, memory.nvdimms(i));
  }
}

void ProtocolChecker::watch(std::size_t channel, const NvdimmModules& nvdimms) {
  for (std::size_t device = 0; device < nvdimms.size(); ++device) {
    nvdimms[device]->add_flash_observer(channels_[channel].devices[device].flash);
    nvdimms[device]->add_media_observer(channels_[channel].devices[device].media);
  }
}

void ProtocolChecker::on_command(const CommandRecord& record) {
  ++commands_;
  if (!check_place(record)) {
    return;
  }
  Channel& channel = channels_[static_cast<std::size_t>(record.channel)];
  channel.bus.check(record);
  channel.refresh.pass(record.cycle);
  if (is_dram(record.command)) {
    channel.dram.check(record);
    channel.groups.check(record);
    channel.bank_refresh.check(record);
    channel.data_clock.check(record);
    channel.stacks.check(record);
    channel.refresh.check(record);
    channel.activates.check(record);
    channel.power.check(record);
  }
  const bool last = is_dram(record.command) || channel.ack.check(record);
  if (last && is_burst(record.command)) {
    check_one_burst(record);
  }
}

// Returns whether the command's channel, rank and bank exist.
bool ProtocolChecker::check_place(const CommandRecord& record) {
  bool exists = record.channel >= 0 && record.channel < static_cast<int>(channels_.size());
  if (is_dram(record.command)) {
    const DramOrganisation& part = config_.dram.organisation;
    const bool whole_rank = record.command >= ChannelCommand::refresh &&
                            record.command != ChannelCommand::refresh_same_bank;
    const std::int64_t banks = record.command == ChannelCommand::refresh_same_bank
                                   ? BankRefreshChecker::same_bank_stride(config_.dram)
                                   : part.banks;
    exists = exists && record.rank >= 0 && record.rank < nvdimm_rank_ &&
             (whole_rank || (record.bank >= 0 && record.bank < banks));
  } else {
    exists = exists && record.rank >= nvdimm_rank_ &&
             static_cast<std::size_t>(record.rank - nvdimm_rank_) <
                 channels_[static_cast<std::size_t>(record.channel)].devices.size();
  }
  if (!exists) {
    violations_.add("place", record, 1, 0);
  }
  return exists;
}

void ProtocolChecker::check_one_burst(const CommandRecord& record) {
  if (record.request < 0 || !bursts_.mark(static_cast<std::uint64_t>(record.request))) {
    violations_.add("one burst a request", record, 1, 2);
  }
}

void ProtocolChecker::finish(Tick end, bool idle) {
  const Cycle cycle(end / config_.dram.clock_period());
  const auto add = [&](const char* rule, std::size_t channel, std::int64_t request,
                       std::int64_t count) {
    if (idle && count > 0) {
      violations_.add({static_cast<int>(channel), cycle, rule, "", -1, -1, request, 0, count});
    }
  };
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    channels_[i].refresh.finish(cycle);
    add("unfinished commands", i, -1, channels_[i].ack.unfinished());
    for (const Device& device : channels_[i].devices) {
      add("unfinished flash operations", i, -1, device.flash.unfinished());
    }
  }
  // The commands of a device behind a port are not observed.
  const bool sees_all = config_.port.on_bus() || !config_.nvdimm.present;
  if (sees_all && bursts_.oldest_missing() < bursts_.end()) {
    add("request without burst", 0, static_cast<std::int64_t>(bursts_.oldest_missing()), 1);
  }
}

void ProtocolChecker::raise_if_violated() const {
  if (violations_.total() == 0) {
    return;
  }
  const Violation& first = violations_.first().front();
  raise_fault("protocol check", first.cycle.value() * config_.dram.clock_period(), first.request,
              first.describe() + " (the first of " + std::to_string(violations_.total()) +
                  " violations in " + std::to_string(commands_) + " commands)");
}

void ProtocolChecker::serialize(Archive& archive) {
  archive.section("protocol checker");
  archive(violations_, bursts_, commands_);
  for (Channel& channel : channels_) {
    archive(channel.dram, channel.groups, channel.bank_refresh, channel.data_clock, channel.stacks,
            channel.refresh, channel.activates, channel.power, channel.bus, channel.ack);
    for (Device& device : channel.devices) {
      archive(device.flash, device.media);
    }
  }
}

}  // namespace hmsim
