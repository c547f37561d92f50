// SPDX-License-Identifier: BSD-3-Clause
// Log of all commands on the channels and of operations inside NVDIMMs. Rows are stored in columns
// until they are taken.
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

namespace hmsim {

class CommandLog final : public CommandObserver {
 public:
  static constexpr std::size_t kCommandColumns = 7;
  static constexpr std::size_t kModuleColumns = 10;
  // Names of the fields of CommandRecord; `command` is a number.
  static const std::array<const char*, kCommandColumns> kCommandNames;
  // Names of the columns for NVDIMMs. A row is an operation of one unit of a channel's NVDIMM
  // `device` (flash: a LUN; other media: a bank). `stage`: a FlashStage, or kMediaStage or a
  // constant after it. `operation`: a FlashOperation, kWrite or kMove. `cause`: a FlashPriority or
  // kLevelling. Media have no block or page: -1.
  static const std::array<const char*, kModuleColumns> kModuleNames;
  static constexpr std::int64_t kMediaStage = 8;
  static constexpr std::int64_t kCollectionBegins = 9;
  static constexpr std::int64_t kCollectionEnds = 10;
  static constexpr std::int64_t kWrite = 3;
  static constexpr std::int64_t kMove = 4;
  static constexpr std::int64_t kLevelling = 5;

  using Commands = std::array<std::vector<std::int64_t>, kCommandColumns>;
  using Modules = std::array<std::vector<std::int64_t>, kModuleColumns>;

  // Keeps the first `rows` rows in total and ignores later ones.
  explicit CommandLog(std::int64_t rows);
  ~CommandLog() override;

  // Logs everything from now on. The log must outlive the memory system.
  void watch(MemorySystem& memory);

  std::size_t rows() const { return commands_.front().size() + modules_.front().size(); }
  bool full() const { return room_ == 0; }
  Commands take_commands();  // all rows
  Modules take_modules();

  void on_command(const CommandRecord& record) override;

 private:
  class Module;

  void add(const std::array<std::int64_t, kModuleColumns>& row);
  bool has_room();

  std::int64_t room_;
  Commands commands_;
  Modules modules_;
  std::vector<std::unique_ptr<Module>> watchers_;  // by NVDIMM
};

}  // namespace hmsim
