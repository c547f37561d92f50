// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/watchers.h"

#include <string>

#include "controller/channel/dram_backend.h"
#include "core/errors.h"

namespace hmsim {

Watchers::Watchers(const RunOptions& options, const SystemConfig& system)
    : checked_(options.check) {
  const std::string& backend = system.dram_model.backend;
  const auto need_devices = [&](const std::string& what, const std::string& hidden) {
    if (dram_backend(backend).make_devices == nullptr) {
      throw InputError(what + ": dram.backend: '" + backend + "' " + hidden);
    }
  };
  if (options.log_requests) {
    need_devices("request log", "does not show its requests");
    requests_ = std::make_unique<RequestLog>();
    io_ = std::make_unique<IoLog>();
  }
  if (options.log_commands > 0) {
    need_devices("command log", "shows no commands");
    commands_ = std::make_unique<CommandLog>(options.log_commands);
    threads_ = std::make_unique<ThreadLog>(options.log_commands);
  }
  if (options.check) {
    need_devices("check", "shows no commands to check");
  }
}

void Watchers::check(const SystemConfig& system, MemorySystem& memory) {
  if (checked_) {
    checker_ = std::make_unique<ProtocolChecker>(system);
    checker_->watch(memory);
  }
}

void Watchers::begin_logs(MemorySystem& memory, const Nodes& nodes, const Agents& agents,
                          Tick epoch, Tick now) {
  if (requests_ != nullptr) {
    requests_->set_epoch(epoch);
    memory.set_request_observer(*requests_);
    io_->set_epoch(epoch);
    for (const auto& agent : agents) {
      if (IoMeter* const meter = agent->parts().io_meter) {
        meter->watch(*io_);
      }
    }
  }
  if (threads_ != nullptr) {
    threads_->watch(nodes.all(), now);
  }
  if (commands_ != nullptr && !commands_begun_) {
    commands_begun_ = true;
    commands_->watch(memory);
  }
}

void Watchers::raise_if_violated() const {
  if (checker_ != nullptr) {
    checker_->raise_if_violated();
  }
}

void Watchers::finish_check(Tick now, bool idle) {
  if (checker_ != nullptr) {
    checker_->finish(now, idle);
  }
}

void Watchers::serialize(Archive& archive) {
  bool checked = checked_;
  archive(checked);
  if (checked != checked_) {
    throw InputError(checked ? "the checkpoint belongs to a run with the protocol check"
                             : "the checkpoint belongs to a run without the protocol check");
  }
  if (checker_ != nullptr) {
    checker_->serialize(archive);
  }
}

}  // namespace hmsim
