// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/rigs/flash_bench.h"

#include "core/errors.h"

namespace hmsim {

FlashBench::FlashBench(const NvdimmParameters& parameters, std::uint64_t seed)
    : luns_(parameters.luns()),
      superblocks_(parameters.nand.superblocks(parameters.capacity) / luns_),
      pages_(parameters.nand.superblock_pages()),
      parts_(parameters.nand.parts()),
      array_(parameters.nand, parameters.nand.superblocks(parameters.capacity), *this, seed) {
  array_.attach(*this);
  array_.add_observer(*this);
}

PhysicalPage FlashBench::flash_place(const FlashCommand& command) const {
  const FlashTask& task = tasks_[command.subject];
  return PhysicalPage(((task.lun * superblocks_ + task.superblock) * pages_ + task.page) * parts_);
}

std::vector<Tick> FlashBench::run(const std::vector<FlashTask>& tasks) {
  tasks_ = tasks;
  done_.assign(tasks.size(), kNever);
  for (std::size_t i = 0; i < tasks.size() || !array_.idle();) {
    if (i == tasks.size() || array_.next_event() <= tasks[i].at) {
      now_ = array_.next_event();
      array_.advance(now_);
      continue;
    }
    const FlashTask& task = tasks[i];
    if (task.parts >= 1u << parts_ || task.lun >= luns_ || task.superblock >= superblocks_ ||
        task.page >= pages_) {
      throw InputError("flash task " + std::to_string(i) + ": no such page");
    }
    FlashCommand command;
    command.requester = this;
    command.operation = task.operation;
    command.priority = task.priority;
    command.transfer = task.transfer;
    command.parts = task.parts;
    command.lun = task.lun;
    command.subject = static_cast<std::uint32_t>(i++);
    now_ = task.at;
    array_.submit(command, now_);
  }
  return done_;
}

}  // namespace hmsim
