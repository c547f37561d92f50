// SPDX-License-Identifier: BSD-3-Clause
// Fields, separated by blanks or tabs: the cycle, with or without a colon after it; the length in
// bytes, in parentheses, which may be missing; read or write; the hexadecimal address, with or
// without 0x. Further fields are data and are ignored. DRAMSys reads only lower-case words; clients
// also write Read and READ. A request without a length is of one line.
#include "traces/stl_trace.h"

#include <limits>
#include <string>
#include <utility>

#include "core/archive.h"
#include "traces/access_words.h"
#include "traces/packet_lines.h"
#include "traces/text_trace.h"

namespace hmsim {

namespace {

constexpr const char* kStlLine = "<cycle>[:] [(<bytes>)] read|write <hexadecimal address> [<data>]";
constexpr AccessWords kWords{"read|Read|READ", "write|Write|WRITE"};

std::string_view without_colon(std::string_view text) {
  return !text.empty() && text.back() == ':' ? text.substr(0, text.size() - 1) : text;
}

class StlTrace final : public AccessSource {
 public:
  StlTrace(TraceReader reader, StlTimes times)
      : times_(times), text_(std::move(reader), kStlLine, 3, TextTrace::kMaxFields) {}

  bool next(Access& access) override {
    if (!lines_.empty()) {
      access = lines_.take();
      return true;
    }
    access = Access();
    if (!text_.next()) {
      return false;
    }
    access = read_request();
    text_.accept();
    return true;
  }
  void rewind() override {
    text_.rewind();
    lines_.clear();
    now_ = 0;
  }
  double fraction() const override { return text_.fraction(); }
  void serialize(Archive& archive) override { archive(text_, lines_, now_); }

 private:
  // Reads the present line. Returns the request's first line.
  Access read_request() {
    const bool sized = text_.field(1).front() == '(';
    const std::size_t word = sized ? 2 : 1;
    if (text_.fields() < word + 2 || !is_access_word(text_.field(word), kWords)) {
      text_.fail("expected '" + std::string(kStlLine) + "', found '" + shown(text_.text()) + "'");
    }
    const std::uint64_t cycle = text_.number(without_colon(text_.field(0)), "the cycle");
    const std::uint64_t size = sized ? length(text_.field(1)) : 1;
    Access request;
    request.address = text_.hexadecimal(word + 1, "the address");
    request.write = in_word_list(text_.field(word), kWords.writes);
    if (const char* fault = PacketLines::fault(request.address, size); fault != nullptr) {
      text_.fail(fault);
    }
    if (times_ == StlTimes::gaps && cycle > std::numeric_limits<std::uint64_t>::max() - now_) {
      text_.fail("the cycles add up to more than 2^64");
    }
    now_ = times_ == StlTimes::gaps ? now_ + cycle : cycle;
    request.cycle = now_;
    return lines_.begin(request, size);
  }

  std::uint64_t length(std::string_view field) const {
    const std::size_t end = field.find(')');
    if (end != field.size() - 1) {
      text_.fail("the length '" + shown(field) + "' is not (<bytes>)");
    }
    const std::uint64_t bytes = text_.number(field.substr(1, end - 1), "the length");
    if (bytes == 0) {
      text_.fail("a request of 0 bytes: must be at least 1");
    }
    return bytes;
  }

  StlTimes times_;
  TextTrace text_;
  PacketLines lines_;      // of the present request
  std::uint64_t now_ = 0;  // cycle of the last line
};

}  // namespace

std::unique_ptr<AccessSource> open_stl(TraceReader reader, StlTimes times) {
  return std::make_unique<StlTrace>(std::move(reader), times);
}

bool resembles_stl(const TraceStart& start) {
  if (start.fields() < 3) {
    return false;
  }
  const std::string_view cycle = without_colon(start.field(0));
  const std::size_t word = start.field(1).front() == '(' ? 2 : 1;
  // A line "100 READ 5" may be of dramsim3.
  const bool own = word == 2 || cycle.size() < start.field(0).size() ||
                   !in_word_list(start.field(word), "READ|WRITE");
  return own && is_decimal(cycle) && start.fields() > word + 1 &&
         is_access_word(start.field(word), kWords);
}

}  // namespace hmsim
