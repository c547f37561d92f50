// SPDX-License-Identifier: BSD-3-Clause
// Requests to pages of one HBF channel that wait in order of arrival.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/request.h"
#include "core/ring.h"
#include "core/types.h"

namespace hmsim {

class RequestLine {
 public:
  struct Entry {
    Request request;
    LogicalPage page{0};
    bool discarded = false;  // write: its page was trimmed since
    void serialize(Archive& archive) { archive(request, page, discarded); }
  };

  bool empty() const { return line_.empty(); }
  std::size_t size() const { return line_.size(); }
  bool holds(LogicalPage page) const { return counts_.find(page.value()) != kNoIndex; }

  void push(const Entry& entry) {
    line_.push(entry);
    count(entry.page);
  }
  const Entry& front() const { return line_.front(); }
  Entry pop() {
    const Entry entry = line_.front();
    line_.pop();
    const std::uint32_t requests = counts_.find(entry.page.value());
    counts_.erase(entry.page.value());
    if (requests > 1) {
      counts_.insert(entry.page.value(), requests - 1);
    }
    return entry;
  }
  // Marks the writes of the page as discarded. Returns whether one was not. Takes time linear in
  // the size of the line if it holds the page.
  bool discard(LogicalPage page) {
    bool found = false;
    for (std::size_t left = holds(page) ? line_.size() : 0; left > 0; --left) {
      Entry entry = line_.front();
      line_.pop();
      if (entry.page == page && entry.request.write) {
        found = found || !entry.discarded;
        entry.discarded = true;
      }
      line_.push(entry);
    }
    return found;
  }
  void clear() {
    line_.clear();
    counts_.clear();
  }
  // Calls see(entry) for all entries, first to last.
  template <class See>
  void each(See see) const {
    line_.each(see);
  }

  // Checks on loading that the pages are below `pages`.
  void serialize(Archive& archive, std::size_t pages) {
    archive(line_);
    if (archive.loading()) {
      counts_.clear();
      line_.each([&](const Entry& each) {
        archive.check_index(each.page.value(), pages, "invalid page");
        count(each.page);
      });
    }
  }

 private:
  void count(LogicalPage page) {
    const std::uint32_t requests = counts_.find_or_insert(page.value(), 1);
    if (requests != kNoIndex) {
      counts_.erase(page.value());
      counts_.insert(page.value(), requests + 1);
    }
  }

  Ring<Entry> line_;
  KeyMap counts_;  // page -> its entries
};

}  // namespace hmsim
