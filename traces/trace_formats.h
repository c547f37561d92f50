// SPDX-License-Identifier: BSD-3-Clause
// Trace formats: the records of each kind, and the readers. Each format is one file; the build
// collects the descriptors into a table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/descriptor_table.h"
#include "core/request.h"
#include "core/units.h"
#include "traces/column_map.h"
#include "traces/record_blocks.h"
#include "traces/trace_reader.h"
#include "traces/trace_start.h"

namespace hmsim {

class Archive;
class JobProgram;  // traces/job_program.h

// Maximum number of instructions between two records. The limit keeps totals within 64 bits.
inline constexpr std::uint64_t kMaxGap = std::uint64_t{1} << 48;

// A miss: the load and the posted write that leave a core's last-level cache together. One of them
// may be absent.
struct Miss {
  std::int64_t gap = 0;  // instructions since the previous record, including its own
  bool load = false;     // a load's gap is at least 1
  bool write = false;
  bool dependent = false;     // the load needs the value of the previous load
  bool non_temporal = false;  // the write bypasses the caches
  MemoryClass memory = MemoryClass::dram;
  std::uint64_t load_address = 0;
  std::uint64_t write_address = 0;

  void serialize(Archive& archive);
};

// Reader of a trace of misses.
class MissSource {
 public:
  virtual ~MissSource() = default;
  // Reads the next miss. Returns false at the end; `miss.gap` is then the number of instructions
  // after the last record. Throws InputError for malformed input, or if there is no record at all.
  virtual bool next(Miss& miss) = 0;
  // Reads the first record after the first `instructions` of the source; its gap counts from there.
  // Otherwise as next(). Sources with an index skip most of the data.
  virtual bool seek(std::uint64_t instructions, Miss& miss);
  virtual bool has_nvdimm() const { return false; }  // whether misses may go to the NVDIMM
  // Returns the source's own records if they include causes (traces/cause_records.h), otherwise
  // nullptr.
  virtual RecordBlocks* causes() { return nullptr; }
  virtual void rewind() = 0;
  virtual double fraction() const = 0;  // share of the source read; 0 if unknown
  virtual void serialize(Archive& archive) = 0;
};

// A request sent directly to the memory, without caches.
struct Access {
  std::uint64_t address = 0;
  bool write = false;
  std::uint64_t cycle = 0;      // or picosecond; 0 if the format has no times
  std::uint64_t requestor = 0;  // 0 if the format names none

  void serialize(Archive& archive);
};

// Number of elements at each level of a DRAM hierarchy, channel to column, as they appear in an
// address vector. The last level counts columns of one line each.
using AddressLevels = std::vector<std::uint64_t>;

// Parses "1, 2, 4, 4, 32768, 128": 1 to 16 numbers, each at least 1, whose product is at most 2^56.
// The empty text gives no levels.
Parsed<AddressLevels> parse_levels(std::string_view text);

// Reader of a trace of memory requests.
class AccessSource {
 public:
  virtual ~AccessSource() = default;
  virtual bool next(Access& access) = 0;               // as MissSource::next()
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
  std::uint64_t sectors = 0;  // at most kMaxSectors; 0 for a flush without data
  bool write = false;
  bool trim = false;         // discards its sectors; moves no data
  bool flush = false;        // before its data: everything completed must be durable
  bool fua = false;          // its own data must be durable at completion
  std::uint16_t handle = 0;  // placement handle of a write; 0 if the source gives none
  std::optional<std::uint64_t> completion_ns = {};  // on the traced device; nullopt: unknown

  void serialize(Archive& archive);
};

inline constexpr std::int64_t kSectorBytes = 512;
inline constexpr std::uint64_t kMaxSectors = std::uint64_t{1} << 54;  // 2^63 bytes

// Reader of a trace of block requests.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  virtual bool next(BlockRequest& request) = 0;        // as MissSource::next()
  virtual std::uint64_t skipped() const { return 0; }  // records so far that are not requests
  // Returns a remark on the meaning of the requests so far; "" for none.
  virtual std::string note() const { return ""; }
  virtual bool endless() const { return false; }
  // Restarts limits on the amount of data. `pending`: the last request counts towards them.
  virtual void restart_limit(bool /*pending*/) {}
  virtual void rewind() = 0;
  virtual double fraction() const = 0;
  virtual void serialize(Archive& archive) = 0;
};

inline constexpr std::size_t kMostLoads = 4;   // per instruction
inline constexpr std::size_t kMostStores = 2;  // per instruction
inline constexpr std::size_t kMostSources = 4;
inline constexpr std::size_t kMostDestinations = 2;

// A register number or an address of 0 means none.
struct Instruction {
  std::uint64_t ip = 0;
  std::array<std::uint8_t, kMostSources> sources{};  // registers that it reads
  std::array<std::uint8_t, kMostDestinations> destinations{};
  std::array<std::uint64_t, kMostLoads> loads{};  // byte addresses
  std::array<std::uint64_t, kMostStores> stores{};

  void serialize(Archive& archive);
};

// Reader of a trace of instructions.
class InstructionSource {
 public:
  virtual ~InstructionSource() = default;
  // Reads the next instruction. Returns false at the end. Throws InputError for malformed input, or
  // if the trace holds no record.
  virtual bool next(Instruction& instruction) = 0;
  // Reads the instruction after the first `instructions`. Otherwise as next().
  virtual bool seek(std::uint64_t instructions, Instruction& instruction) = 0;
  virtual void rewind() = 0;
  virtual double fraction() const = 0;  // share of the source read; 0 if unknown
  virtual void serialize(Archive& archive) = 0;
};

// Kind of a trace's records, in the order of FormatDescriptor::open.
enum class TraceKind { misses, accesses, blocks, instructions, jobs };
const char* name_of(TraceKind kind);

// Unit of a trace's times.
enum class TimeUnit { none, instructions, cycles, nanoseconds, picoseconds };
const char* name_of(TimeUnit unit);  // "" for none

// Function that opens a miss trace. `vcpu`: the vCPU whose records are read; nullopt: all vCPUs, in
// captured order.
using OpenMisses = std::unique_ptr<MissSource> (*)(TraceReader reader,
                                                   std::optional<unsigned> vcpu);
// Function that opens an access trace. `levels`: those of address vectors.
using OpenAccesses = std::unique_ptr<AccessSource> (*)(TraceReader reader,
                                                       const AddressLevels& levels);
// Function that opens a block trace. `columns`: the user's columns, for format csv only.
using OpenBlocks = std::unique_ptr<BlockSource> (*)(TraceReader reader, const ColumnMap& columns);
using OpenInstructions = std::unique_ptr<InstructionSource> (*)(TraceReader reader);
using OpenJobs = std::unique_ptr<JobProgram> (*)(TraceReader reader);

// Opens a trace with a reader `Trace` that needs none of its kind's options.
template <class Source, class Trace, class... Options>
std::unique_ptr<Source> open_with(TraceReader reader, Options... /*options*/) {
  return std::make_unique<Trace>(std::move(reader));
}

// A trace format. The file traces/format_NAME.cc defines kFormat_NAME; no other file names it.
struct FormatDescriptor {
  const char* name;
  const char* doc;  // one line that describes a record
  TimeUnit unit;
  bool names_sources;  // whether a record names its vCPU or its requestor
  // Returns whether a trace with this start may be of this format. At most one format accepts any
  // trace. A format that cannot be recognised accepts none.
  bool (*looks_like)(const TraceStart& start);
  std::variant<OpenMisses, OpenAccesses, OpenBlocks, OpenInstructions, OpenJobs> open;
  // For block formats: resolution of the clock in nanoseconds. Requests in one step share one time.
  std::uint64_t clock_step_ns = 1;
  bool has_completions = false;  // for block formats; a trace of the format may still lack them
  bool takes_columns = false;    // for block formats: the user gives the columns
  bool takes_levels = false;     // for accesses: the user gives the levels of an address vector

  TraceKind kind() const { return static_cast<TraceKind>(open.index()); }
  // Returns whether the clock is too coarse to order requests: a step of a millisecond or more, in
  // which a modern device receives hundreds of requests.
  bool clock_is_coarse() const { return clock_step_ns >= 1'000'000; }
  // Each of these applies to formats of its kind. Throws InputError if the trace's start is
  // malformed.
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
// Returns the format, or nullptr if no format has this name (for instance "").
const FormatDescriptor* find_format(const std::string& name);

}  // namespace hmsim
