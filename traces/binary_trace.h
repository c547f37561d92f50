// SPDX-License-Identifier: BSD-3-Clause
// Base of the readers of binary traces whose records have a fixed length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/archive.h"
#include "traces/trace_reader.h"

namespace hmsim {

// `Source` is the interface that the reader implements (traces/trace_formats.h).
template <class Source, std::size_t kBytes>
class BinaryTrace : public Source {
 public:
  explicit BinaryTrace(TraceReader reader) : reader_(std::move(reader)) {}

  void rewind() override {
    reader_.rewind();
    record_ = 0;
  }
  double fraction() const override { return reader_.fraction(); }

 protected:
  // Returns the next record, valid until the next call; "" at the end of the trace. Throws
  // InputError for a record that is cut short; `hint` ends its message.
  std::string_view next_record(const char* hint = "") {
    const std::string_view bytes = reader_.read(kBytes, scratch_);
    if (!bytes.empty()) {
      ++record_;
      if (bytes.size() != kBytes) {
        fail("the file ends after " + std::to_string(bytes.size()) + " of its " +
             std::to_string(kBytes) + " bytes" + hint);
      }
    }
    return bytes;
  }

  // Throws an error of type E at the present record. Damage of the file itself is an InputError.
  template <class E = InputError, class Message>
  [[noreturn, gnu::noinline]] void fail(const Message& message) const {
    throw E(reader_.file() + ": record " + std::to_string(record_) + ": " + message);
  }

  TraceReader reader_;
  std::string scratch_;
  std::uint64_t record_ = 0;  // number of the present record, from 1
};

}  // namespace hmsim
