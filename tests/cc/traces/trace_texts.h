// SPDX-License-Identifier: BSD-3-Clause
// Traces in a test's own text, opened by the name of their format.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "tests/cc/states.h"
#include "traces/trace_formats.h"

namespace hmsim::testing {

inline TraceReader reader_of(std::string text, std::size_t piece = 1 << 20) {
  const TraceSource source = [text = std::move(text), piece](std::size_t, std::uint64_t offset) {
    return offset < text.size() ? text.substr(offset, piece) : std::string();
  };
  return {source, 0, "some.trace", 0};
}

// Returns all records of a source.
template <class Record, class Source>
std::vector<Record> read_all(Source& source) {
  std::vector<Record> records;
  for (Record record; source.next(record);) {
    records.push_back(record);
  }
  return records;
}

// Returns all records of a source, or stores the message of the error that ends them.
template <class Record, class Source>
std::vector<Record> all_of(Source& source, std::string* error = nullptr) {
  std::vector<Record> records;
  Record record;
  try {
    while (source.next(record)) {
      records.push_back(record);
    }
  } catch (const InputError& fault) {
    if (error == nullptr) {
      ADD_FAILURE() << fault.what();
    } else {
      *error = fault.what();
    }
  }
  return records;
}

// Reads half of a source's records, and the rest in a copy loaded from a checkpoint. Expects
// `wanted`, compared by `same`.
template <class Record, class Source, class Same>
void expect_resumes(Source& source, Source& copy, const std::vector<Record>& wanted, Same same) {
  Record record;
  source.rewind();
  for (std::size_t i = 0; i < wanted.size() / 2; ++i) {
    ASSERT_TRUE(source.next(record));
    EXPECT_TRUE(same(record, wanted[i])) << i;
  }
  copy_state(source, copy);
  for (std::size_t i = wanted.size() / 2; i < wanted.size(); ++i) {
    ASSERT_TRUE(copy.next(record));
    EXPECT_TRUE(same(record, wanted[i])) << i;
  }
  EXPECT_FALSE(copy.next(record));
}

inline bool same_request(const BlockRequest& a, const BlockRequest& b) {
  return a.arrival_ns == b.arrival_ns && a.device == b.device && a.sector == b.sector &&
         a.sectors == b.sectors && a.write == b.write && a.trim == b.trim && a.flush == b.flush &&
         a.fua == b.fua && a.completion_ns == b.completion_ns;
}

inline bool same_access(const Access& a, const Access& b) {
  return a.address == b.address && a.write == b.write && a.cycle == b.cycle &&
         a.requestor == b.requestor;
}

inline void expect_accesses(const std::vector<Access>& found, const std::vector<Access>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(same_access(found[i], wanted[i])) << i;
  }
}

}  // namespace hmsim::testing
