// SPDX-License-Identifier: BSD-3-Clause
// Makes whole pages of the writes below 4 KiB that the host's FTL gets. Parts of a page gather in
// one of hbf.pending_writes page buffers, which is in use from the first part to the answers.
//
//   complete page    is written at once
//   hbf.accumulate   after the first part, the rest of the page is read, if the page has data, and
//                    the page is written. The rest of a page without data is zeros
//   no free buffer   pages end their gathering, oldest first, until half of the buffers are not
//                    gathering any more; further parts wait outside in order of arrival
//   flush            all pages end their gathering
//
// Its reads and writes of pages are requests to the FTL like a user's. A part is answered with the
// write of its page. From the time of that write on, the FTL orders it with all other requests to
// the page; later parts begin another buffer.
//
// A read of gathered lines only is answered from the buffer. A read of some gathered lines ends
// their gathering and waits for the page's write. Other reads pass.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/config/system_config.h"
#include "controller/host_ftl/page_buffers.h"
#include "controller/host_ftl/request_line.h"
#include "core/archive.h"
#include "core/kernel.h"
#include "core/request.h"
#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

class HbfFtl;

class HbfGatherer final : public Component, public Requester {
 public:
  // `pages`: logical pages of the channel.
  HbfGatherer(const SystemConfig& config, std::size_t pages, HbfFtl& host);

  void attach(Kernel& kernel) { wakeup_ = Wakeup(kernel, kernel.attach(*this)); }
  // Sets the requesters. `own`: the FTL, which stands for this object.
  void set_requesters(const std::vector<Requester*>& requesters, std::uint16_t own) {
    requesters_ = &requesters;
    own_ = own;
  }

  // Returns whether the request must be sent here: a part, or a request to a page that is here.
  bool takes(const RequestLine::Entry& entry) const {
    return is_part(entry.request) || holds(entry.page);
  }
  // Returns false only if takes() does. Costs less.
  bool may_take(const Request& request) const {
    return is_part(request) || !line_.empty() || buffers_.any_open();
  }
  // Takes a discarded write, too, which is answered.
  void send(const RequestLine::Entry& entry, Tick now);
  // Ends the gathering of all pages that it has got. In any case, on_gathered() is called at `now`,
  // from the kernel.
  void drain(Tick now);
  // Discards the parts of a page, which are answered. Returns whether there were any.
  bool trim(LogicalPage page, Tick now);
  bool idle() const { return line_.empty() && buffers_.used() == 0; }
  // Returns whether as many requests as there are buffers wait outside.
  bool crowded() const { return line_.size() >= buffers_.size(); }
  // Data mode: replaces the bytes of a line of the channel by those of parts that are here.
  void overlay(Address line, LineBytes& bytes) const;
  // Data mode: replaces them by those of the writes in a line of requests.
  void overlay(const RequestLine& waiting, Address line, LineBytes& bytes) const;
  // Data mode: loses all parts.
  void lose_power();
  void list_outstanding(std::vector<Outstanding>& requests) const;

  struct Counts {
    Counter writes = 0;     // gathered: parts, and whole pages written over them
    Counter written = 0;    // of these, answered by the write of their page
    Counter discarded = 0;  // of these, answered because their page was trimmed
    Counter pages = 0;      // written
    Counter fills = 0;      // of these, pages whose rest was read
    Counter padded = 0;     // of these, incomplete pages that had no data
    Counter reads = 0;      // answered from page buffers
    Histogram latency;      // picoseconds, of `written`
    void serialize(Archive& archive) {
      archive(writes, written, discarded, pages, fills, padded, reads, latency);
    }
  };
  Counts& counts() { return counts_; }

  // Answers to its own requests for pages.
  void on_complete(const Request& request, Tick now) override;
  LineData write_data(const Request& request) const override;
  void on_read_data(const Request& request, const LineBytes& bytes) override;

  Tick next_event() const override;
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

 private:
  static bool is_part(const Request& request) {
    return request.write && request.lines != kLinesPerPage;
  }
  bool holds(LogicalPage page) const {
    return buffers_.find(page) != kNoIndex || line_.holds(page);
  }
  void wake(Tick now);
  void act(Tick now);
  bool has_room(const RequestLine::Entry& entry) const;
  void take_waiting(Tick now);
  void take(const RequestLine::Entry& entry, Tick now);
  void take_write(const Request& request, LogicalPage page, Tick now);
  void take_read(const Request& request, LogicalPage page, Tick now);
  void keep_bytes(std::uint32_t index, const Request& request);
  void end_gathering(std::uint32_t index, Tick now);
  void send_page(std::uint32_t index, bool write, Tick now);
  void write_page(std::uint32_t index, Tick now);
  void release(std::uint32_t index, bool written, std::uint8_t status, Tick now);
  std::uint32_t buffer_of(const Request& request, PageBufferState state) const;
  Requester& requester_of(const Request& request) const { return *(*requesters_)[request.agent]; }

  const Tick accumulate_;
  const std::size_t pages_;
  HbfFtl& host_;  // of which the gatherer is a part
  const std::vector<Requester*>* requesters_ = nullptr;
  std::uint16_t own_ = 0;
  Wakeup wakeup_;
  Tick wake_ = kNever;
  RequestLine line_;
  PageBuffers buffers_;
  bool draining_ = false;  // ends the gathering of what is in line_, too
  Counts counts_;
};

}  // namespace hmsim
