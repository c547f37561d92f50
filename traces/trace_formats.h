// SPDX-License-Identifier: BSD-3-Clause
// Trace formats: what a record says, and who reads it. One file a format; the build collects their
// descriptors into a table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/descriptor_table.h"
#include "core/request.h"
#include "traces/address_levels.h"
#include "traces/column_map.h"
#include "traces/instruction_trace.h"
#include "traces/record_blocks.h"
#include "traces/trace_reader.h"
#include "traces/trace_start.h"

namespace hmsim {

class Archive;
class JobProgram;  // traces/job_program.h

// Instructions between two records are at most this many; totals then fit 64 bits.
inline constexpr std::uint64_t kMaxGap = std::uint64_t{1} << 48;

// A miss is what leaves a core's last-level cache together: a load's miss, a posted write, or both.
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
  // Reads the first record behind the first `instructions` from the source's start, as next() does;
  // the gap counts from there. Sources with an index read little on their way.
  virtual bool seek(std::uint64_t instructions, Miss& miss);
  virtual bool has_nvdimm() const { return false; }  // whether misses may be of the NVDIMM
  // The source's own records, where they tell causes (traces/cause_records.h); else nullptr.
  virtual RecordBlocks* causes() { return nullptr; }
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
  std::optional<std::uint64_t> completion_ns = {};  // on the traced device; nullopt: not told

  void serialize(Archive& archive);
};

inline constexpr std::int64_t kSectorBytes = 512;
inline constexpr std::uint64_t kMaxSectors = std::uint64_t{1} << 21;  // 1 GiB

class BlockSource {
 public:
  virtual ~BlockSource() = default;
  virtual bool next(BlockRequest& request) = 0;        // as MissSource's
  virtual std::uint64_t skipped() const { return 0; }  // records so far that are no requests
  virtual bool endless() const { return false; }
  virtual void rewind() = 0;
  virtual double fraction() const = 0;
  virtual void serialize(Archive& archive) = 0;
};

// What a record of a trace is, in the order of FormatDescriptor::open.
enum class TraceKind { misses, accesses, blocks, instructions, jobs };
const char* name_of(TraceKind kind);

// What a trace's times count.
enum class TimeUnit { none, instructions, cycles, nanoseconds, picoseconds };
const char* name_of(TimeUnit unit);  // "" for none

// `vcpu`: whose records are read; nullopt: those of all, in their order.
using OpenMisses = std::unique_ptr<MissSource> (*)(TraceReader reader,
                                                   std::optional<unsigned> vcpu);
// `levels`: how many of each part of an address vector there are (traces/address_levels.h).
using OpenAccesses = std::unique_ptr<AccessSource> (*)(TraceReader reader,
                                                       const AddressLevels& levels);
// `columns`: as the user names them, of format csv.
using OpenBlocks = std::unique_ptr<BlockSource> (*)(TraceReader reader, const ColumnMap& columns);
using OpenInstructions = std::unique_ptr<InstructionSource> (*)(TraceReader reader);
using OpenJobs = std::unique_ptr<JobProgram> (*)(TraceReader reader);

// A trace format. The file traces/format_NAME.cc defines kFormat_NAME; nothing else names it.
struct FormatDescriptor {
  const char* name;
  const char* doc;  // one line: what a record looks like
  TimeUnit unit;
  bool names_sources;  // a record tells its vCPU, or its requestor
  // Whether a trace that begins so may be of this format. At most one format says so of any trace.
  // A format that nothing tells says so of none.
  bool (*resembles)(const TraceStart& start);
  std::variant<OpenMisses, OpenAccesses, OpenBlocks, OpenInstructions, OpenJobs> open;
  // Of blocks: what a step of its clock is, in nanoseconds. Requests of one step have one time.
  std::uint64_t clock_step_ns = 1;
  bool tells_completions = false;  // likewise; a trace of the format may still lack them
  bool takes_columns = false;      // likewise: the user says where fields stand
  bool takes_levels = false;       // of accesses: the user says what an address vector counts

  TraceKind kind() const { return static_cast<TraceKind>(open.index()); }
  // Whether too many requests have one time to tell which came first: a step of a millisecond or
  // more, in which a device of today is asked hundreds of times.
  bool clock_is_coarse() const { return clock_step_ns >= 1'000'000; }
  // Each is for formats of that kind, and throws InputError when the trace's start is malformed.
  std::unique_ptr<MissSource> misses(TraceReader reader, std::optional<unsigned> vcpu) const {
    return std::get<OpenMisses>(open)(std::move(reader), vcpu);
  }
  std::unique_ptr<AccessSource> accesses(TraceReader reader,
                                         const AddressLevels& levels = {}) const {
    return std::get<OpenAccesses>(open)(std::move(reader), levels);
  }
  std::unique_ptr<BlockSource> blocks(TraceReader reader, const ColumnMap& columns = {}) const {
    return std::get<OpenBlocks>(open)(std::move(reader), columns);
  }
  std::unique_ptr<InstructionSource> instructions(TraceReader reader) const {
    return std::get<OpenInstructions>(open)(std::move(reader));
  }
};

extern const DescriptorTable<FormatDescriptor> kFormatTable;

std::vector<std::string> format_names(TraceKind kind);
// nullptr: no format has this name (an empty one, for instance).
const FormatDescriptor* find_format(const std::string& name);

}  // namespace hmsim
