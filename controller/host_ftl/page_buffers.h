// SPDX-License-Identifier: BSD-3-Clause
// The host's page buffers in front of one HBF channel. Each holds a page of which parts were
// written, the requests that wait for it and, in data mode, its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/pool.h"
#include "core/request.h"
#include "core/slot_list.h"
#include "core/types.h"
#include "nvdimm/hbf/hbf_device.h"

namespace hmsim {

// gathering: parts arrive. filling: the rest of the page is being read, and parts still arrive.
// writing: the page is being written. discarded: its parts are answered without a write.
enum class PageBufferState : std::uint8_t {
  free,
  gathering,
  filling,
  writing,
  discarded,
  last = discarded
};

class PageBuffers {
 public:
  PageBuffers(std::int64_t count, bool store_data);

  struct Buffer {
    PageBufferState state = PageBufferState::free;
    bool trimmed = false;  // filling: its page was trimmed since
    LogicalPage page{0};
    LineMask lines = 0;  // written
    Tick deadline{0};    // gathering: end of its time
    Request latest;      // the latest of its writes
    SlotChain writes;    // of its lines, not answered
    SlotChain reads;     // wait until the page is being written
    void serialize(Archive& archive) { archive(state, trimmed, page, lines, deadline, latest); }
  };

  Buffer& operator[](std::uint32_t index) { return buffers_[index]; }
  const Buffer& operator[](std::uint32_t index) const { return buffers_[index]; }
  std::size_t size() const { return buffers_.size(); }
  bool full() const { return free_.empty(); }
  std::size_t used() const { return buffers_.size() - free_.size(); }
  std::size_t gathering() const { return gathering_count_; }
  // Returns whether a buffer takes parts.
  bool any_open() const { return !open_.empty(); }
  // Returns the buffer that takes parts of the page, or kNoIndex.
  std::uint32_t find(LogicalPage page) const { return open_.find(page.value()); }
  // Returns the buffer that has gathered for the longest time, or kNoIndex.
  std::uint32_t oldest() const { return gathering_.first; }
  // Returns a buffer whose parts are to be answered without a write, or kNoIndex.
  std::uint32_t discarded() const { return discarded_.first; }

  // Takes a free buffer, which begins to gather.
  std::uint32_t begin(LogicalPage page, Tick deadline);
  // The next four change the state.
  void fill(std::uint32_t index);     // of a gathering buffer
  void write(std::uint32_t index);    // of an open buffer
  void discard(std::uint32_t index);  // of an open buffer; one that is filled stays so
  void release(std::uint32_t index);  // of any other buffer; its chains must be empty

  void add_write(std::uint32_t index, const Request& request) {
    chain(buffers_[index].writes, request);
  }
  void add_read(std::uint32_t index, const Request& request) {
    chain(buffers_[index].reads, request);
  }
  // Removes and returns the first request of a chain, which is not empty.
  Request take_first(SlotChain& chain);

  // Data mode: bytes of a line, by its address modulo the size of a page.
  LineBytes bytes(std::uint32_t index, std::int64_t offset) const {
    return line_at(bytes_[index], offset);
  }
  void set_bytes(std::uint32_t index, std::int64_t offset, const LineBytes& bytes) {
    put_line(bytes_[index], offset, bytes);
  }
  bool stores_data() const { return !bytes_.empty(); }

  // Calls see(request) for all requests that wait for a buffer; writes are in no order.
  template <class See>
  void each_request(See see) const {
    for (const std::uint32_t slot : requests_.taken()) {
      see(requests_[slot].request);
    }
  }
  void clear();
  // Checks on loading that pages are below `pages`.
  void serialize(Archive& archive, std::size_t pages);

 private:
  struct Waiting {
    Request request;
    std::uint32_t next = kNoIndex;
    void serialize(Archive& archive) { archive(request); }
  };

  void chain(SlotChain& to, const Request& request);
  void leave_gathering(std::uint32_t index);
  void close(std::uint32_t index);
  void rebuild(const Archive& archive);

  std::vector<Buffer> buffers_;
  std::vector<std::uint32_t> free_;
  std::vector<SlotLink> links_;  // of gathering_ and discarded_
  SlotList gathering_;           // in order of deadlines
  SlotList discarded_;
  std::size_t gathering_count_ = 0;
  KeyMap open_;  // page -> gathering buffer, or filling one that was not trimmed
  Pool<Waiting> requests_;
  std::vector<PageBytes> bytes_;
};

}  // namespace hmsim
