// SPDX-License-Identifier: BSD-3-Clause
// Log of all commands on the channels and of operations inside NVDIMMs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "controller/accounts/command_observer.h"
#include "controller/memory_system.h"
#include "nvdimm/media/media_observer.h"
#include "nvdimm/nand/flash_observer.h"
#include "simulation/log_table.h"

namespace hmsim {

class CommandLog final : public CommandObserver {
 public:
  // Names of the fields of CommandRecord; `command` is a number.
  static constexpr std::array kCommandNames{"cycle", "command", "channel", "rank",
                                            "bank",  "row",     "request"};
  // Names of the columns for NVDIMMs. A row is an operation of one unit of a channel's NVDIMM
  // `device` (flash: a LUN; other media: a bank). `stage`: a FlashStage, or kMediaStage or a
  // constant after it. `operation`: a FlashOperation, kWrite or kMove. `cause`: a FlashPriority or
  // kLevelling. Media have no block or page: -1.
  static constexpr std::array kModuleNames{"start_ps",  "end_ps", "channel", "device", "stage",
                                           "operation", "cause",  "unit",    "block",  "page"};
  static constexpr std::int64_t kMediaStage = 8;
  static constexpr std::int64_t kCollectionBegins = 9;
  static constexpr std::int64_t kCollectionEnds = 10;
  static constexpr std::int64_t kWrite = 3;
  static constexpr std::int64_t kMove = 4;
  static constexpr std::int64_t kLevelling = 5;

  using Commands = LogTable<kCommandNames.size()>;
  using Modules = LogTable<kModuleNames.size()>;

  // Keeps the first `rows` rows in total and ignores later ones.
  explicit CommandLog(std::int64_t rows);
  ~CommandLog() override;

  // Logs everything from now on. The log must outlive the memory system.
  void watch(MemorySystem& memory);

  std::size_t rows() const { return commands_.rows() + modules_.rows(); }
  bool full() const { return room_ == 0; }
  Commands& commands() { return commands_; }
  Modules& modules() { return modules_; }

  void on_command(const CommandRecord& record) override;

 private:
  class Module;

  // Adds the row to one of the tables unless the log is full.
  template <class Table>
  void add(Table& table, const typename Table::Row& row) {
    if (room_ > 0) {
      --room_;
      table.add(row);
    }
  }

  std::int64_t room_;
  Commands commands_;
  Modules modules_;
  std::vector<std::unique_ptr<Module>> watchers_;  // by NVDIMM
};

}  // namespace hmsim
