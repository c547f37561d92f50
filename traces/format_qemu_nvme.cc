// SPDX-License-Identifier: BSD-3-Clause
// QEMU's log of an emulated NVMe disk, as in hw/nvme/trace-events of QEMU 7.2. Run QEMU with
// "-device nvme,...", "-msg timestamp=on" and one "-d trace:EVENT" for each of these events:
//
//   <thread>@<seconds>.<microseconds>:pci_nvme_read cid 0 nsid 1 nlb 8 count 4096 lba 0x0
//   ...:pci_nvme_write cid 1 opname 'NVME_NVM_CMD_WRITE' nsid 1 nlb 8 count 4096 lba 0x8
//   ...:pci_nvme_flush_ns nsid 0x1
//   ...:pci_nvme_io_cmd cid 1 nsid 0x1 sqid 2 opc 0x1 opname 'NVME_NVM_CMD_WRITE'
//   ...:pci_nvme_enqueue_req_completion cid 1 cqid 2 dw0 0x0 dw1 0x0 status 0x0
//
// The first three are requests. nlb counts logical blocks, count counts bytes, and lba is in
// blocks. A completion belongs to the oldest request with its command identifier. If
// pci_nvme_io_cmd gives the queue, the queue must match, too (Linux completes queue n in queue n).
// Only pci_nvme_io_cmd gives the identifier of a flush. Other events are skipped, and so are
// discards, because the log does not give the size of their logical blocks. Namespaces count as
// devices, from 0.
#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "core/archive.h"
#include "traces/block_lines.h"

namespace hmsim {

namespace {

constexpr const char* kLine =
    "<thread>@<seconds>.<microseconds>:pci_nvme_<event> <name> <value>...";
constexpr std::string_view kPrefix = "pci_nvme_";
constexpr std::uint64_t kMicrosecondNs = 1'000;
constexpr std::uint64_t kSecondNs = 1'000'000'000;
constexpr std::uint64_t kLongest = std::uint64_t{1} << 32;  // seconds
constexpr std::size_t kMicrosecondDigits = 6;
constexpr std::uint64_t kDeviceSectors = std::uint64_t{1} << 54;

// Returns where the event's name begins in the first field, or npos if the line is not about an
// NVMe disk.
std::size_t event_begin(std::string_view head) {
  if (head.substr(0, kPrefix.size()) == kPrefix) {
    return 0;
  }
  const std::size_t colon = head.find(':');
  const bool found =
      colon != std::string_view::npos && head.substr(colon + 1, kPrefix.size()) == kPrefix;
  return found ? colon + 1 : std::string_view::npos;
}

// A command of a queue. Without a queue, it matches any command with the same identifier.
struct Command {
  std::uint64_t cid = 0;
  std::optional<std::uint64_t> queue;

  bool covers(const Command& other) const {
    return cid == other.cid && (!queue || !other.queue || *queue == *other.queue);
  }
  void serialize(Archive& archive) { archive(cid, queue); }
};

class QemuNvmeTrace final : public BlockSource {
 public:
  explicit QemuNvmeTrace(TraceReader reader)
      : text_(std::move(reader), kLine, 1, TextTrace::kMaxFields) {}

  bool next(BlockRequest& request) override {
    while (!ended_ && !complete()) {
      ended_ = !text_.next();
      if (!ended_) {
        read_line();
      }
    }
    request = waiting_.empty() ? BlockRequest() : waiting_.front().request;
    const bool found = !waiting_.empty();
    if (found) {
      waiting_.pop_front();
    }
    return found;
  }

  void rewind() override {
    text_.rewind();
    waiting_.clear();
    sent_.reset();
    ended_ = false;
  }
  double fraction() const override { return text_.fraction(); }
  void serialize(Archive& archive) override { archive(text_, waiting_, sent_, ended_); }

 private:
  // Limit of requests read ahead while a completion is missing.
  static constexpr std::size_t kMostWaiting = 1'024;

  struct Waiting {
    BlockRequest request;
    std::optional<Command> command;  // nullopt: its completion cannot be identified
    void serialize(Archive& archive) { archive(request, command); }
  };

  // Returns whether the next request is complete, so that it can be returned.
  bool complete() const {
    return waiting_.size() >= kMostWaiting ||
           (!waiting_.empty() &&
            (!waiting_.front().command || waiting_.front().request.completion_ns));
  }

  void read_line() {
    const std::string_view head = text_.field(0);
    const std::size_t begin = event_begin(head);
    if (begin == std::string_view::npos) {
      return;
    }
    const std::string_view event = head.substr(begin + kPrefix.size());
    if (event == "read" || event == "write") {
      read_transfer(time(head, begin), event == "write");
    } else if (event == "flush_ns") {
      BlockRequest request;
      request.flush = true;
      add(request, time(head, begin), std::exchange(sent_, std::nullopt));
    } else if (event == "io_cmd") {
      sent_ = Command{value("cid"), value("sqid")};
    } else if (event == "enqueue_req_completion") {
      read_completion(time(head, begin));
    }
  }

  // Returns nanoseconds since QEMU's epoch.
  std::uint64_t time(std::string_view head, std::size_t begin) const {
    if (begin == 0) {
      text_.fail("the line has no time; run QEMU with -msg timestamp=on");
    }
    const std::string_view text = head.substr(0, begin - 1);
    const std::size_t at = text.find('@');
    const std::size_t point = text.find('.');
    if (at == std::string_view::npos || point == std::string_view::npos || point < at ||
        text.size() - point - 1 != kMicrosecondDigits) {
      text_.fail("'" + shown(text) + "' is not <thread>@<seconds>.<microseconds, 6 digits>");
    }
    const std::uint64_t seconds = text_.number(text.substr(at + 1, point - at - 1), "the time");
    if (seconds >= kLongest) {
      text_.fail("the time '" + shown(text) + "' exceeds 2^32 seconds");
    }
    return seconds * kSecondNs + text_.number(text.substr(point + 1), "the time") * kMicrosecondNs;
  }

  std::uint64_t value(std::string_view name) const {
    for (std::size_t i = 1; i + 1 < text_.fields(); ++i) {
      if (text_.field(i) == name) {
        return text_.number(i + 1, ("the '" + std::string(name) + "'").c_str());
      }
    }
    text_.fail("the event lacks its '" + std::string(name) + "'");
  }

  void read_transfer(std::uint64_t time_ns, bool write) {
    BlockRequest request;
    request.write = write;
    const std::uint64_t blocks = value("nlb");
    const std::uint64_t bytes = value("count");
    constexpr std::uint64_t kSector = kSectorBytes;
    if (blocks == 0 || bytes % blocks != 0 || bytes / blocks % kSector != 0) {
      text_.fail(std::to_string(bytes) + " bytes are not " + std::to_string(blocks) +
                 " blocks of whole sectors");
    }
    const std::uint64_t block_sectors = bytes / blocks / kSector;
    const std::uint64_t lba = value("lba");
    request.sectors = bytes / kSector;
    request.sector = block_sectors == 0 || lba > kDeviceSectors / block_sectors
                         ? kDeviceSectors
                         : lba * block_sectors;
    check_sectors(text_, request.sector, request.sectors);
    Command command{value("cid"), std::nullopt};
    if (sent_ && sent_->cid == command.cid) {
      command.queue = sent_->queue;
    }
    sent_.reset();
    add(request, time_ns, command);
  }

  void add(BlockRequest& request, std::uint64_t time_ns, std::optional<Command> command) {
    const std::uint64_t nsid = value("nsid");
    if (nsid == 0) {
      text_.fail("namespace 0 is invalid: must be at least 1");
    }
    request.device = nsid - 1;
    request.arrival_ns = time_ns;
    waiting_.push_back({request, command});
    text_.accept();
  }

  void read_completion(std::uint64_t time_ns) {
    const Command done{value("cid"), value("cqid")};
    const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&done](const Waiting& each) {
      return each.command && !each.request.completion_ns && each.command->covers(done);
    });
    if (found == waiting_.end()) {
      return;  // of an administrative command, or of a command not logged
    }
    if (time_ns < found->request.arrival_ns) {
      text_.fail("a request completes before it begins");
    }
    found->request.completion_ns = time_ns;
  }

  TextTrace text_;
  std::deque<Waiting> waiting_;  // in order of arrival
  std::optional<Command> sent_;  // from pci_nvme_io_cmd; its request comes next
  bool ended_ = false;           // end of the trace reached
};

}  // namespace

extern const FormatDescriptor kFormat_qemu_nvme{
    "qemu_nvme",
    "QEMU's log of an emulated NVMe disk: <thread>@<s>.<us>:pci_nvme_read cid 0 nsid 1 nlb 8 count "
    "4096 lba 0x0",
    TimeUnit::nanoseconds,
    true,
    [](const TraceStart& start) {
      return start.fields() > 1 && event_begin(start.field(0)) != std::string_view::npos;
    },
    open_with<BlockSource, QemuNvmeTrace, const ColumnMap&>,
    kMicrosecondNs,
    true};

}  // namespace hmsim
