// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/trace_records.h"

#include <array>
#include <utility>

#include "core/types.h"
#include "frontend/record_blocks.h"
#include "frontend/trace_formats.h"

namespace hmsim {

namespace {

constexpr auto kLine = static_cast<std::uint64_t>(kLineBytes.value());

template <class Source, class Record, void (*Append)(const Record&, std::vector<TraceRecord>&)>
class Records final : public TraceRecords {
 public:
  explicit Records(std::unique_ptr<Source> source) : source_(std::move(source)) {}

  bool next(std::vector<TraceRecord>& records) override {
    Record record;
    if (!source_->next(record)) {
      return false;
    }
    Append(record, records);
    return true;
  }

 private:
  std::unique_ptr<Source> source_;
};

// Times are instructions up to the record.
class MissRecords final : public TraceRecords {
 public:
  explicit MissRecords(std::unique_ptr<MissSource> source) : source_(std::move(source)) {}

  bool next(std::vector<TraceRecord>& records) override {
    Miss miss;
    if (!source_->next(miss)) {
      return false;
    }
    time_ += static_cast<std::uint64_t>(miss.gap);
    if (miss.load) {
      records.push_back({time_, miss.load_address, kLine, 0, false});
    }
    if (miss.write) {
      records.push_back({time_, miss.write_address, kLine, 0, true});
    }
    return true;
  }

 private:
  std::unique_ptr<MissSource> source_;
  std::uint64_t time_ = 0;
};

// Times are instructions of the record's vCPU, its source.
class WordRecords final : public TraceRecords {
 public:
  explicit WordRecords(TraceReader reader) : blocks_(std::move(reader)) {}

  bool next(std::vector<TraceRecord>& records) override {
    std::uint64_t word = 0;
    if (!blocks_.next(word)) {
      return false;
    }
    const unsigned vcpu = record_vcpu(word);
    times_[vcpu] += record_instructions(word);
    if (record_kind(word) != RecordKind::escape) {
      records.push_back({times_[vcpu], record_line(word) * kLine, kLine, vcpu,
                         record_kind(word) != RecordKind::fill});
    }
    return true;
  }

 private:
  RecordBlocks blocks_;
  std::array<std::uint64_t, kRecordVcpus> times_{};
};

void append_access(const Access& access, std::vector<TraceRecord>& records) {
  records.push_back({access.cycle, access.address, kLine, 0, access.write});
}

void append_request(const BlockRequest& request, std::vector<TraceRecord>& records) {
  constexpr std::uint64_t kSector = kSectorBytes;
  if (!request.trim && request.sectors > 0) {
    records.push_back({request.arrival_ns, request.sector * kSector, request.sectors * kSector,
                       request.device, request.write});
  }
}

}  // namespace

std::unique_ptr<TraceRecords> open_records(const std::string& format, TraceReader reader) {
  if (const MissFormat* miss = find_format(kMissFormats, format); miss != nullptr) {
    if (miss == &kHmsimFormat) {
      return std::make_unique<WordRecords>(std::move(reader));
    }
    return std::make_unique<MissRecords>(miss->open(std::move(reader), kAllVcpus));
  }
  if (const AccessFormat* access = find_format(kAccessFormats, format); access != nullptr) {
    return std::make_unique<Records<AccessSource, Access, append_access>>(
        access->open(std::move(reader)));
  }
  if (const BlockFormat* block = find_format(kBlockFormats, format); block != nullptr) {
    return std::make_unique<Records<BlockSource, BlockRequest, append_request>>(
        block->open(std::move(reader)));
  }
  return nullptr;
}

}  // namespace hmsim
