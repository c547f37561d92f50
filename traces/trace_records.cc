// SPDX-License-Identifier: BSD-3-Clause
#include "traces/trace_records.h"

#include <array>
#include <utility>

#include "core/types.h"
#include "traces/job_program.h"
#include "traces/record_blocks.h"
#include "traces/trace_formats.h"

namespace hmsim {

extern const FormatDescriptor kFormat_hmsim;  // whose records name their vCPU

namespace {

// Misses. Times count instructions up to the record.
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
      records.push_back({time_, miss.load_address, kLineSize, 0, false});
    }
    if (miss.write) {
      records.push_back({time_, miss.write_address, kLineSize, 0, true});
    }
    return true;
  }

 private:
  std::unique_ptr<MissSource> source_;
  std::uint64_t time_ = 0;
};

// Records of hmsim's own traces. Times count instructions of the record's vCPU, which is its
// source.
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
      records.push_back({times_[vcpu], record_line(word) * kLineSize, kLineSize, vcpu,
                         record_kind(word) != RecordKind::fill});
    }
    return true;
  }

 private:
  RecordBlocks blocks_;
  std::array<std::uint64_t, kRecordVcpus> times_{};
};

class AccessRecords final : public TraceRecords {
 public:
  AccessRecords(std::unique_ptr<AccessSource> source, const RecordRules& rules)
      : source_(std::move(source)), rules_(rules) {}

  bool next(std::vector<TraceRecord>& records) override {
    Access access;
    if (!rules_.next(*source_, access, left_out_)) {
      return false;
    }
    records.push_back({access.cycle, access.address, kLineSize, access.requestor, access.write});
    return true;
  }
  std::uint64_t skipped() const override { return source_->skipped(); }
  LeftOutRecords left_out() const override { return left_out_; }

 private:
  std::unique_ptr<AccessSource> source_;
  RecordRules rules_;
  LeftOutRecords left_out_;
};

// Instructions. Each load or store becomes the line in which it begins, because the trace has no
// sizes.
class InstructionRecords final : public TraceRecords {
 public:
  explicit InstructionRecords(std::unique_ptr<InstructionSource> source)
      : source_(std::move(source)) {}

  bool next(std::vector<TraceRecord>& records) override {
    Instruction instruction;
    if (!source_->next(instruction)) {
      return false;
    }
    ++time_;
    append(instruction.loads.data(), kMostLoads, false, records);
    append(instruction.stores.data(), kMostStores, true, records);
    return true;
  }

 private:
  void append(const std::uint64_t* addresses, std::size_t count, bool write,
              std::vector<TraceRecord>& records) const {
    for (std::size_t i = 0; i < count; ++i) {
      if (addresses[i] != 0) {
        records.push_back({time_, addresses[i] / kLineSize * kLineSize, kLineSize, 0, write});
      }
    }
  }

  std::unique_ptr<InstructionSource> source_;
  std::uint64_t time_ = 0;
};

// Jobs, thread by thread. Times count instructions of the thread.
class JobRecords final : public TraceRecords {
 public:
  explicit JobRecords(std::unique_ptr<JobProgram> program) : program_(std::move(program)) {}

  bool next(std::vector<TraceRecord>& records) override {
    if (thread_ == program_->threads()) {
      return false;
    }
    const JobRecord record = program_->next(place_);
    time_ += static_cast<std::uint64_t>(record.gap);
    if (record.action == JobAction::miss) {
      const Miss& miss = record.miss;
      records.push_back({time_, miss.load ? miss.load_address : miss.write_address, kLineSize,
                         thread_, miss.write});
    } else if (record.lines > 0) {
      records.push_back({time_, record.first_line * kLineSize, record.lines * kLineSize, thread_,
                         record.action == JobAction::write});
    } else if (record.action != JobAction::end) {
      ++skipped_;
    } else if (++thread_ < program_->threads()) {
      place_ = program_->begin(thread_);
      time_ = 0;
    }
    return true;
  }
  std::uint64_t skipped() const override { return skipped_; }

 private:
  std::unique_ptr<JobProgram> program_;
  std::uint32_t thread_ = 0;
  JobPlace place_;
  std::uint64_t time_ = 0;
  std::uint64_t skipped_ = 0;
};

class BlockRecords final : public TraceRecords {
 public:
  BlockRecords(std::unique_ptr<BlockSource> source, const RecordRules& rules)
      : source_(std::move(source)), rules_(rules) {}

  bool next(std::vector<TraceRecord>& records) override {
    constexpr std::uint64_t kSector = kSectorBytes;
    BlockRequest request;
    if (!rules_.next(*source_, request, left_out_)) {
      return false;
    }
    completions_ += request.completion_ns ? 1 : 0;
    if (request.trim || request.sectors == 0) {
      ++skipped_;
    } else {
      records.push_back({request.arrival_ns, request.sector * kSector, request.sectors * kSector,
                         request.device, request.write});
    }
    return true;
  }
  std::uint64_t skipped() const override { return skipped_ + source_->skipped(); }
  std::uint64_t completions() const override { return completions_; }
  LeftOutRecords left_out() const override { return left_out_; }
  std::string note() const override { return source_->note(); }

 private:
  std::unique_ptr<BlockSource> source_;
  RecordRules rules_;
  LeftOutRecords left_out_;
  std::uint64_t skipped_ = 0;
  std::uint64_t completions_ = 0;
};

}  // namespace

std::unique_ptr<TraceRecords> open_records(const std::string& format, TraceReader reader,
                                           const TraceOptions& options) {
  const FormatDescriptor* descriptor = find_format(format);
  if (descriptor == nullptr) {
    return nullptr;
  }
  switch (descriptor->kind()) {
    case TraceKind::misses:
      if (descriptor == &kFormat_hmsim) {
        return std::make_unique<WordRecords>(std::move(reader));
      }
      return std::make_unique<MissRecords>(descriptor->misses(std::move(reader), std::nullopt));
    case TraceKind::accesses:
      return std::make_unique<AccessRecords>(
          descriptor->accesses(std::move(reader), options.levels), options.rules);
    case TraceKind::blocks:
      return std::make_unique<BlockRecords>(descriptor->blocks(std::move(reader), options.columns),
                                            options.rules);
    case TraceKind::instructions:
      return std::make_unique<InstructionRecords>(descriptor->instructions(std::move(reader)));
    case TraceKind::jobs:
      return std::make_unique<JobRecords>(std::get<OpenJobs>(descriptor->open)(std::move(reader)));
  }
  return nullptr;
}

}  // namespace hmsim
