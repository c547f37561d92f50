// SPDX-License-Identifier: BSD-3-Clause
// A log of every command on the channels and of what NVDIMMs do inside, in columns, which are kept
// until somebody takes them.
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
  // The fields of CommandRecord; `command` is a number.
  static const std::array<const char*, kCommandColumns> kCommandNames;
  // A row is what a unit of one of a channel's NVDIMMs, `device`, does (flash: a LUN; other media:
  // a bank). `stage`: a FlashStage, kMediaStage and those after it; `operation`: a FlashOperation,
  // kWrite or kMove; `cause`: a FlashPriority or kLevelling. Media have neither block nor page: -1.
  static const std::array<const char*, kModuleColumns> kModuleNames;
  static constexpr std::int64_t kMediaStage = 8;
  static constexpr std::int64_t kCollectionBegins = 9;
  static constexpr std::int64_t kCollectionEnds = 10;
  static constexpr std::int64_t kWrite = 3;
  static constexpr std::int64_t kMove = 4;
  static constexpr std::int64_t kLevelling = 5;

  using Commands = std::array<std::vector<std::int64_t>, kCommandColumns>;
  using Modules = std::array<std::vector<std::int64_t>, kModuleColumns>;

  // Keeps so many rows in all, and nothing that comes after them.
  explicit CommandLog(std::int64_t rows);
  ~CommandLog() override;

  // Logs all that happens from now on, for as long as the memory system lives.
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
