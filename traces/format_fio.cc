// SPDX-License-Identifier: BSD-3-Clause
// fio I/O logs (--write_iolog), versions 2 and 3. The first line gives the version. Each further
// line is an action, "<file> <action> [<offset> <length>]", which version 3 precedes with the time;
// fio 3.33 writes microseconds. Version 2 has "wait" actions instead, whose offset is in
// microseconds. Files count as devices, in the order in which they are added.
//
// Reads, writes and trims become records. sync and datasync become flushes. sync_file_range is
// skipped, like open and close, because it does not flush a device's cache (sync_file_range(2)).
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "traces/block_lines.h"

namespace hmsim {

namespace {

constexpr const char* kLine = "[<microseconds>] <file> <action> [<offset> <length>]";
constexpr std::uint64_t kMicrosecondNs = 1'000;
constexpr std::uint64_t kLongest = std::uint64_t{1} << 52;  // microseconds
constexpr std::size_t kMaxFiles = 4'096;

class FioTrace final : public BlockSource {
 public:
  explicit FioTrace(TraceReader reader) : text_(std::move(reader), kLine, 2, 5) {}

  bool next(BlockRequest& request) override {
    request = BlockRequest();
    while (text_.next()) {
      if (!version_) {
        read_version();
      } else if (read_action(request)) {
        text_.accept();
        return true;
      }
    }
    return false;
  }

  void rewind() override {
    text_.rewind();
    version_.reset();
    now_us_ = 0;
    files_.clear();
  }
  double fraction() const override { return text_.fraction(); }
  void serialize(Archive& archive) override {
    archive(text_, version_, now_us_, files_);
    archive.check(!version_ || version_ == 2u || version_ == 3u, "fio log without a version");
  }

 private:
  void read_version() {
    const bool header = text_.fields() == 4 && text_.field(0) == "fio" &&
                        text_.field(1) == "version" && text_.field(3) == "iolog";
    const std::uint64_t version = header ? text_.number(2, "the version") : 0;
    if (version != 2 && version != 3) {
      text_.fail_with<InputError>("expected 'fio version 2 iolog' or 'fio version 3 iolog'");
    }
    version_ = static_cast<std::uint32_t>(version);
  }

  // Reads a line. Returns true if it is a read, a write, a trim or a flush.
  bool read_action(BlockRequest& request) {
    const std::size_t file = *version_ - 2;
    if (text_.fields() < file + 2) {
      text_.fail("expected '" + std::string(kLine) + "'");
    }
    if (version_ == 3u) {
      now_us_ = checked_time(text_.number(0, "the time"));
    }
    const std::string_view action = text_.field(file + 1);
    if (action == "add") {
      device(text_.field(file));
    }
    if (action == "sync" || action == "datasync") {
      request.arrival_ns = now_us_ * kMicrosecondNs;
      request.device = device(text_.field(file));
      request.flush = true;
      return true;
    }
    if (action == "add" || action == "open" || action == "close" || action == "sync_file_range") {
      return false;
    }
    if (action != "read" && action != "write" && action != "trim" && action != "wait") {
      unknown(action);
    }
    if (text_.fields() != file + 4) {
      text_.fail("'" + std::string(action) + "' needs an offset and a length");
    }
    const std::uint64_t offset = text_.number(file + 2, "the offset");
    if (action == "wait") {
      now_us_ = checked_time(now_us_ + std::min(offset, kLongest));
      return false;
    }
    request.arrival_ns = now_us_ * kMicrosecondNs;
    request.device = device(text_.field(file));
    request.write = action == "write";
    request.trim = action == "trim";
    set_extent(text_, offset, text_.number(file + 3, "the length"), request);
    return true;
  }

  [[noreturn]] void unknown(std::string_view action) const {
    text_.fail("the action '" + shown(action) + "' is unknown" +
               did_you_mean(action, {"add", "open", "close", "read", "write", "trim", "sync",
                                     "datasync", "sync_file_range", "wait"}));
  }

  std::uint64_t checked_time(std::uint64_t microseconds) const {
    if (microseconds >= kLongest) {
      text_.fail("the time exceeds 2^52 microseconds");
    }
    return microseconds;
  }

  std::uint64_t device(std::string_view name) {
    const auto found = std::find(files_.begin(), files_.end(), name);
    if (found == files_.end() && files_.size() == kMaxFiles) {
      text_.fail("more than " + std::to_string(kMaxFiles) + " files");
    }
    const auto index = static_cast<std::uint64_t>(found - files_.begin());
    if (found == files_.end()) {
      files_.emplace_back(name);
    }
    return index;
  }

  TextTrace text_;
  std::optional<std::uint32_t> version_;  // version of the log; set once its first line is read
  std::uint64_t now_us_ = 0;
  std::vector<std::string> files_;
};

}  // namespace

extern const FormatDescriptor kFormat_fio{"fio",
                                          "an I/O log of fio, version 2 or 3",
                                          TimeUnit::nanoseconds,
                                          true,
                                          [](const TraceStart& start) {
                                            return start.fields() > 1 && start.field(0) == "fio" &&
                                                   start.field(1) == "version";
                                          },
                                          open_with<BlockSource, FioTrace, const ColumnMap&>,
                                          kMicrosecondNs};

}  // namespace hmsim
