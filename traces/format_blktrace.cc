// SPDX-License-Identifier: BSD-3-Clause
// Binary output of Linux's blktrace: records of 48 bytes in the byte order of the traced machine,
// each followed by additional data whose length the record gives (Linux,
// include/uapi/linux/blktrace_api.h, struct blk_io_trace):
//   0 u32 magic 0x65617400 and version 7  4 u32 sequence  8 u64 time, ns  16 u64 first sector
//   24 u32 bytes  28 u32 action; categories above its 16 low bits  32 u32 pid
//   36 u32 device, major << 20 | minor  40 u32 cpu  44 u16 error  46 u16 bytes after the record
//
// A request is a queued one (action 1, Q) that reads, writes, discards or flushes. Its completion
// time comes from a completion (action 8, C). Both have the meaning and the device numbers that
// blkparse prints. blktrace writes one file per processor; `blkparse -d` merges them by time into
// one.
#include "traces/binary_trace.h"
#include "traces/block_lines.h"
#include "traces/queued_requests.h"

namespace hmsim {

namespace {

constexpr std::size_t kRecordBytes = 48;
constexpr std::uint64_t kMagic = 0x65617400;
constexpr std::uint64_t kVersion = 7;
constexpr std::string_view kLittle("\x07tae", 4);
constexpr std::string_view kBig("eat\x07", 4);

// Actions, and the categories above them.
constexpr std::uint64_t kAction = 0xFF;  // bit 8 only indicates that a cgroup number follows
constexpr std::uint64_t kQueued = 1;
constexpr std::uint64_t kCompleted = 8;
constexpr std::uint64_t kWrite = std::uint64_t{1} << 17;
constexpr std::uint64_t kFlush = std::uint64_t{1} << 18;
constexpr std::uint64_t kPassThrough = std::uint64_t{1} << 25;  // "PC": commands, no sectors
constexpr std::uint64_t kNotify = std::uint64_t{1} << 26;       // messages
constexpr std::uint64_t kDiscard = std::uint64_t{1} << 29;
constexpr std::uint64_t kDriverData = std::uint64_t{1} << 30;
constexpr std::uint64_t kFua = std::uint64_t{1} << 31;

class BlktraceTrace final : public BinaryTrace<BlockSource, kRecordBytes> {
 public:
  using BinaryTrace::BinaryTrace;

  bool next(BlockRequest& request) override {
    while (!ended_ && !queued_.ready()) {
      ended_ = !read_record();
    }
    const bool found = queued_.take(request);
    if (!found && !any_) {
      throw InputError(reader_.file() + ": the trace contains no queued requests, only " +
                       std::to_string(record_) + " other records");
    }
    any_ = true;
    return found;
  }
  void rewind() override {
    BinaryTrace::rewind();
    queued_.clear();
    ended_ = false;
  }
  void serialize(Archive& archive) override {
    archive(queued_, record_, big_endian_, any_, ended_, reader_);
  }

 private:
  std::uint64_t number(std::size_t at, std::size_t bytes) const {
    const std::uint64_t value = little_endian(std::string_view(bytes_).substr(at, bytes));
    return big_endian_ ? __builtin_bswap64(value) >> (64 - 8 * bytes) : value;
  }

  // Reads the next record. Returns false at the end of the trace.
  bool read_record() {
    bytes_ = next_record();
    if (bytes_.empty()) {
      return false;
    }
    check_magic();
    const auto data = static_cast<std::size_t>(number(46, 2));
    if (data != 0 && reader_.read(data, scratch_).size() != data) {
      fail("the file ends within its data");
    }
    const std::uint64_t action = number(28, 4);
    const bool request = (action & (kNotify | kDriverData | kPassThrough)) == 0;
    if (request && (action & kAction) == kQueued) {
      queue(action);
    } else if (request && (action & kAction) == kCompleted) {
      BlockRequest done;
      if (read_request(action, done) && !queued_.complete(done, done.arrival_ns)) {
        fail<RecordError>("a request completes before it is queued");
      }
    }
    return true;
  }

  void check_magic() {
    if (record_ == 1) {
      big_endian_ = bytes_[0] == kBig[0];
    }
    const std::uint64_t magic = number(0, 4);
    if ((magic & ~std::uint64_t{0xFF}) != kMagic) {
      fail(
          "it does not begin with blktrace's magic number, 0x65617407 in the byte order of the "
          "first record");
    }
    if (magic != kMagic + kVersion) {
      fail("has version " + std::to_string(magic & 0xFF) + "; expected 7");
    }
  }

  void queue(std::uint64_t action) {
    BlockRequest request;
    if (!read_request(action, request)) {
      return;
    }
    if (request.sectors != 0) {
      if (const std::string fault = sectors_fault(request.sector, request.sectors);
          !fault.empty()) {
        fail<RecordError>(fault);
      }
    }
    queued_.add(request);
  }

  // Decodes the present record. Returns false if it neither moves data nor flushes.
  bool read_request(std::uint64_t action, BlockRequest& request) const {
    const std::uint64_t bytes = number(24, 4);
    if (bytes % kSectorBytes != 0) {
      fail<RecordError>(std::to_string(bytes) + " bytes are not whole sectors of 512");
    }
    const std::uint64_t device = number(36, 4);
    request.arrival_ns = number(8, 8);
    request.device = joined_device(device >> 20, device & 0xFFFFF);
    request.sectors = bytes / kSectorBytes;
    request.sector = bytes == 0 ? 0 : number(16, 8);
    request.trim = (action & kDiscard) != 0;
    request.write = !request.trim && bytes != 0 && (action & kWrite) != 0;
    request.flush = !request.trim && (action & kFlush) != 0;
    request.fua = request.write && (action & kFua) != 0;
    return bytes != 0 || request.flush;
  }

  QueuedRequests queued_;
  std::string bytes_;  // of the present record
  bool big_endian_ = false;
  bool any_ = false;
  bool ended_ = false;  // end of the trace reached
};

}  // namespace

extern const FormatDescriptor kFormat_blktrace{
    "blktrace",
    "binary, from Linux's blktrace of one processor, or from blkparse -d of all",
    TimeUnit::nanoseconds,
    true,
    [](const TraceStart& start) { return start.begins_with(kLittle) || start.begins_with(kBig); },
    open_with<BlockSource, BlktraceTrace, const ColumnMap&>,
    1,
    true};

}  // namespace hmsim
