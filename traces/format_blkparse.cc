// SPDX-License-Identifier: BSD-3-Clause
// Default output of blkparse for a blktrace (blkparse(1), OUTPUT DESCRIPTION). Fields: device, CPU,
// sequence, time, process, action, kind of request, and for requests the first sector, '+' and the
// number of sectors.
//
// A record is a queued request (action Q) that reads, writes, discards or flushes. An F before the
// kind's letter, or alone, is a flush; an F after a W is FUA. Completion times come from
// completions (action C). Other actions are later stages of the same request and are ignored. Lines
// that do not begin with a device belong to blkparse's summary.
//
// A trace without any Q is read again by its issues to the driver (action D): a request then
// arrives when it is issued, after it waited in the block layer. A requeued request (action R)
// counts when it is issued again.
#include <algorithm>
#include <utility>

#include "core/archive.h"
#include "traces/block_lines.h"
#include "traces/queued_requests.h"

namespace hmsim {

namespace {

constexpr const char* kLine =
    "<major>,<minor> <cpu> <sequence> <seconds>.<nanoseconds> <pid> Q [F]R|W|D|F... <sector> + "
    "<sectors>";
constexpr std::uint64_t kSecond = 1'000'000'000;            // in nanoseconds
constexpr std::uint64_t kLongest = std::uint64_t{1} << 32;  // seconds
constexpr std::size_t kNanosecondDigits = 9;

bool begins_with_device(std::string_view text, std::size_t& comma) {
  comma = text.find(',');
  return comma != std::string_view::npos && comma > 0 && comma + 1 < text.size() &&
         text.find_first_not_of("0123456789,") == std::string_view::npos;
}

bool resembles_device(const TraceStart& start) {
  std::size_t comma = 0;
  return start.fields() > 5 && begins_with_device(start.field(0), comma);
}

std::uint64_t nanoseconds(const TextTrace& line, std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos || text.size() - point - 1 != kNanosecondDigits) {
    line.fail("the time '" + shown(text) + "' is not <seconds>.<nanoseconds, 9 digits>");
  }
  const std::uint64_t seconds = line.number(text.substr(0, point), "the time");
  if (seconds >= kLongest) {
    line.fail("the time '" + shown(text) + "' exceeds 2^32 seconds");
  }
  return seconds * kSecond + line.number(text.substr(point + 1), "the time");
}

constexpr std::size_t kAction = 5;  // indices of fields
constexpr std::size_t kKind = 6;
constexpr std::size_t kSector = 7;
constexpr std::size_t kPlus = 8;
constexpr std::size_t kSectors = 9;

class BlkparseTrace final : public BlockSource {
 public:
  explicit BlkparseTrace(TraceReader reader)
      : text_(std::move(reader), kLine, 1, TextTrace::kMaxFields) {}

  bool next(BlockRequest& request) override {
    while (!ended_ && !queued_.ready()) {
      ended_ = !text_.next();
      if (!ended_) {
        read_line();
      } else if (begins_ == Begins::unknown) {
        begins_ = Begins::issued;
        text_.rewind();
        ended_ = false;
      }
    }
    return queued_.take(request);
  }

  std::string note() const override {
    return begins_ == Begins::issued ? "arrivals are issues to the driver (action D): the trace "
                                       "has no time in the block layer's queues"
                                     : "";
  }
  void rewind() override {
    text_.rewind();
    queued_.clear();
    ended_ = false;
    // Completions before the first Q are ignored again, as they were by the first reading.
    begins_ = begins_ == Begins::queued ? Begins::unknown : begins_;
  }
  double fraction() const override { return text_.fraction(); }
  void serialize(Archive& archive) override { archive(text_, queued_, begins_, ended_); }

 private:
  // The action with which requests begin. Unknown until the first Q, or the end of a trace without.
  enum class Begins : std::uint8_t { unknown, queued, issued, last = issued };

  void read_line() {
    std::size_t comma = 0;
    if (text_.fields() <= kKind || !begins_with_device(text_.field(0), comma)) {
      return;
    }
    const std::string_view action = text_.field(kAction);
    if (action == "Q" || (action == "D" && begins_ == Begins::issued)) {
      begins_ = action == "Q" ? Begins::queued : begins_;
      BlockRequest request;
      if (read_request(comma, request)) {
        queued_.add(request);
        text_.accept();
      }
    } else if (begins_ == Begins::unknown) {
      BlockRequest issued;
      if (action == "D" && read_kind(issued)) {
        text_.accept();
      }
    } else if (action == "C") {
      read_completion(comma);
    } else if (action == "R" && begins_ == Begins::issued) {
      BlockRequest back;
      if (read_request(comma, back)) {
        queued_.remove(back);
      }
    }
  }

  std::uint64_t device(std::size_t comma) const {
    const std::string_view text = text_.field(0);
    return device_number(text_, text.substr(0, comma), text.substr(comma + 1));
  }
  bool has_extent() const { return text_.fields() > kSectors && text_.field(kPlus) == "+"; }

  // Decodes the letters of the kind. Returns false if the request neither moves data nor flushes.
  bool read_kind(BlockRequest& request) const {
    const std::string_view kind = text_.field(kKind);
    const bool read = kind.find('R') != std::string_view::npos;
    request.write = kind.find('W') != std::string_view::npos;
    request.trim = !request.write && !read && kind.find('D') != std::string_view::npos;
    request.flush = kind[0] == 'F' && !request.trim;
    request.fua = request.write && kind.find('F', 1) != std::string_view::npos;
    return request.write || read || request.trim || request.flush;
  }

  void read_extent(BlockRequest& request) const {
    request.sectors = has_extent() ? text_.number(kSectors, "the number of sectors") : 0;
    request.sector = request.sectors == 0 ? 0 : text_.number(kSector, "the first sector");
  }

  bool read_request(std::size_t comma, BlockRequest& request) const {
    if (!read_kind(request)) {
      return false;
    }
    if (!has_extent() && !request.flush) {
      text_.fail("expected '" + std::string(kLine) + "'");
    }
    request.device = device(comma);
    request.arrival_ns = nanoseconds(text_, text_.field(3));
    read_extent(request);
    if (request.flush && request.sectors == 0) {
      request.write = request.fua = false;
    } else {
      check_sectors(text_, request.sector, request.sectors);
    }
    return true;
  }

  void read_completion(std::size_t comma) {
    BlockRequest done;
    if (!read_kind(done)) {
      return;
    }
    done.device = device(comma);
    read_extent(done);
    const std::uint64_t time = nanoseconds(text_, text_.field(3));
    if (!queued_.complete(done, time)) {
      text_.fail("a request completes before it is queued");
    }
  }

  TextTrace text_;
  QueuedRequests queued_;
  Begins begins_ = Begins::unknown;
  bool ended_ = false;  // end of the trace reached
};

}  // namespace

extern const FormatDescriptor kFormat_blkparse{
    "blkparse",
    kLine,
    TimeUnit::nanoseconds,
    true,
    resembles_device,
    open_with<BlockSource, BlkparseTrace, const ColumnMap&>,
    1,
    true};

}  // namespace hmsim
