// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/command_log.h"

#include "nvdimm/module/module.h"

namespace hmsim {

namespace {

template <class T>
std::int64_t number(T value) {
  return static_cast<std::int64_t>(value);
}

}  // namespace

class CommandLog::Module final : public FlashObserver, public MediaObserver {
 public:
  Module(CommandLog& log, std::int64_t channel, std::int64_t device)
      : log_(log), channel_(channel), device_(device) {}

  void on_flash(const FlashRecord& record) override {
    log_.add(log_.modules_,
             {record.start.value(), record.end.value(), channel_, device_, number(record.stage),
              number(record.operation), number(record.priority), record.lun, number(record.block),
              record.page});
  }
  void on_collection(const CollectionRecord& record) override {
    log_.add(log_.modules_,
             {record.at.value(), record.at.value(), channel_, device_,
              record.begins ? kCollectionBegins : kCollectionEnds, number(FlashOperation::erase),
              record.levelling ? kLevelling : number(FlashPriority::collection), record.lun,
              number(record.block), -1});
  }
  void on_media(const MediaRecord& record) override {
    const bool move = record.operation == MediaOperation::move;
    const std::int64_t operation = move                                       ? kMove
                                   : record.operation == MediaOperation::read ? 0
                                                                              : kWrite;
    log_.add(log_.modules_, {record.start.value(), record.end.value(), channel_, device_,
                             kMediaStage, operation, move ? kLevelling : 0, record.bank, -1, -1});
  }
  void on_programmed(std::uint64_t, std::uint32_t) override {}
  void on_bad(std::uint64_t) override {}
  void on_gap(std::uint64_t, std::uint64_t, std::uint64_t) override {}

 private:
  CommandLog& log_;
  const std::int64_t channel_;
  const std::int64_t device_;
};

CommandLog::CommandLog(std::int64_t rows) : room_(rows) {}

CommandLog::~CommandLog() = default;

void CommandLog::watch(MemorySystem& memory) {
  memory.add_observer(*this);
  for (std::size_t channel = 0; channel < memory.channels(); ++channel) {
    const NvdimmModules nvdimms = memory.nvdimms(channel);
    for (std::size_t device = 0; device < nvdimms.size(); ++device) {
      watchers_.push_back(std::make_unique<Module>(*this, number(channel), number(device)));
      nvdimms[device]->add_flash_observer(*watchers_.back());
      nvdimms[device]->add_media_observer(*watchers_.back());
    }
  }
}

void CommandLog::on_command(const CommandRecord& record) {
  add(commands_, {record.cycle.value(), number(record.command), record.channel, record.rank,
                  record.bank, record.row, record.request});
}

}  // namespace hmsim
