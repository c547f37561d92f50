// SPDX-License-Identifier: BSD-3-Clause
// Trace formats: what a record says, and who reads it. One file a format.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/request.h"
#include "traces/record_blocks.h"
#include "traces/trace_reader.h"

namespace hmsim {

class Archive;

// Instructions between two records are at most this many; totals then fit 64 bits.
inline constexpr std::uint64_t kMaxGap = std::uint64_t{1} << 48;

// What leaves a core's last-level cache together: a load's miss, a posted write, or both.
struct Miss {
  std::int64_t gap = 0;  // instructions since the previous record's, this one included
  bool load = false;     // a load's gap is at least 1
  bool write = false;
  bool dependent = false;     // the load needs the value of the load before it
  bool non_temporal = false;  // the write is a store past the caches
  MemoryClass memory = MemoryClass::dram;
  std::uint64_t load_address = 0;
  std::uint64_t write_address = 0;

  void serialize(Archive& archive);
};

class MissSource {
 public:
  virtual ~MissSource() = default;
  // False at the end; `miss.gap` is then how many instructions follow the last record. Throws
  // InputError for malformed input and when there is no record at all.
  virtual bool next(Miss& miss) = 0;
  // As next(), of the first record behind the first `instructions` from the source's start; the
  // gap counts from there. Sources with an index read little on their way.
  virtual bool seek(std::uint64_t instructions, Miss& miss);
  virtual bool has_nvdimm() const { return false; }  // whether misses may be of the NVDIMM
  virtual void rewind() = 0;
  virtual double fraction() const = 0;  // of the source that was read; 0: not known
  virtual void serialize(Archive& archive) = 0;
};

// A request straight to the memory.
struct Access {
  std::uint64_t address = 0;
  bool write = false;
  std::uint64_t cycle = 0;      // or picosecond; 0 where the format has no times
  std::uint64_t requestor = 0;  // 0 where the format names none

  void serialize(Archive& archive);
};

class AccessSource {
 public:
  virtual ~AccessSource() = default;
  virtual bool next(Access& access) = 0;               // as MissSource's
  virtual std::uint64_t skipped() const { return 0; }  // records so far that move no data
  virtual void rewind() = 0;
  virtual double fraction() const = 0;
  virtual void serialize(Archive& archive) = 0;
};

// A request to a block device, in sectors of 512 bytes.
struct BlockRequest {
  std::uint64_t arrival_ns = 0;
  std::uint64_t device = 0;
  std::uint64_t sector = 0;
  std::uint64_t sectors = 0;  // 1 .. kMaxSectors; 0: a flush that moves no data
  bool write = false;
  bool trim = false;   // discards its sectors; no data move
  bool flush = false;  // before its data: what is done is to be durable
  bool fua = false;    // once it is done, its data are to be durable

  void serialize(Archive& archive);
};

inline constexpr std::int64_t kSectorBytes = 512;
inline constexpr std::uint64_t kMaxSectors = std::uint64_t{1} << 21;  // 1 GiB

class BlockSource {
 public:
  virtual ~BlockSource() = default;
  virtual bool next(BlockRequest& request) = 0;  // as MissSource's
  virtual void rewind() = 0;
  virtual double fraction() const = 0;
  virtual void serialize(Archive& archive) = 0;
};

struct MissFormat {
  const char* name;
  const char* doc;
  bool has_vcpus;
  std::unique_ptr<MissSource> (*open)(TraceReader reader, std::int64_t vcpu);
};

enum class AccessTimes { none, cycles, picoseconds };

struct AccessFormat {
  const char* name;
  const char* doc;
  AccessTimes times;
  std::unique_ptr<AccessSource> (*open)(TraceReader reader);
};

struct BlockFormat {
  const char* name;
  const char* doc;
  std::unique_ptr<BlockSource> (*open)(TraceReader reader);
};

extern const MissFormat kRamulatorFormat;
extern const MissFormat kHmsimFormat;
extern const AccessFormat kRamulatorRwFormat;
extern const AccessFormat kDramsim3Format;
extern const AccessFormat kGem5Format;
extern const BlockFormat kMqsimFormat;
extern const BlockFormat kBlkparseFormat;
extern const BlockFormat kFioFormat;
extern const BlockFormat kMsrFormat;

inline constexpr const MissFormat* kMissFormats[] = {&kRamulatorFormat, &kHmsimFormat};
inline constexpr const AccessFormat* kAccessFormats[] = {&kRamulatorRwFormat, &kDramsim3Format,
                                                         &kGem5Format};
inline constexpr const BlockFormat* kBlockFormats[] = {&kMqsimFormat, &kBlkparseFormat, &kFioFormat,
                                                       &kMsrFormat};

template <class Format, std::size_t N>
std::vector<std::string> format_names(const Format* const (&formats)[N]) {
  std::vector<std::string> names;
  for (const Format* format : formats) {
    names.emplace_back(format->name);
  }
  return names;
}

// nullptr: no format has this name (an empty one, for instance).
template <class Format, std::size_t N>
const Format* find_format(const Format* const (&formats)[N], const std::string& name) {
  for (const Format* format : formats) {
    if (name == format->name) {
      return format;
    }
  }
  return nullptr;
}

}  // namespace hmsim
