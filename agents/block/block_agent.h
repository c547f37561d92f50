// SPDX-License-Identifier: BSD-3-Clause
// Kind block_trace: threads that carry out a trace of block I/O as 64-byte lines of the NVDIMM.
//
// Byte b of device v lies at (v x device_stride + b) modulo the NVDIMM's capacity. A request
// becomes the lines that it touches, page by page, in ascending order. Each thread carries out one
// request at a time, taken in the trace's order: first the software time of all its blocks (4 KB
// pages, whole or in part), then its lines, at most `window` outstanding. closed: a thread takes
// the next request when its last is done; timed: not before its arrival, the first one's being 0.
// A pass carries out parts of the trace, all of it in the simplest case, one right behind the
// other: with replay: timed the first request of a window arrives with the last one before it. A
// trim takes the software time of one block, and then no time; it is no block done. A flush is sent
// before the lines of its request, if it has any, and FUA means one after them; the thread waits
// for its end. How lines are copied, what a thread waits for and what a flush is are the driver's
// (agents/block/block_driver.h): with barrier: driver, a flush waits at a gate until no write
// request is under way, and write requests that come behind it wait for it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "agents/agent.h"
#include "agents/block/window_meter.h"
#include "agents/copies.h"
#include "agents/trace_keys.h"
#include "core/event_queue.h"
#include "core/ring.h"
#include "traces/trace_formats.h"
#include "traces/trace_windows.h"

namespace hmsim {

enum class ReplayMode { closed, timed };

class BlockAgent final : public Agent {
 public:
  explicit BlockAgent(const FrontendParameters& defaults) : parameters_(defaults.block) {}

  void declare(ParameterSet& parameters) override;
  std::vector<ParameterError> check() const override;
  const char* progress_unit() const override { return "blocks"; }
  std::int64_t work(Tick) const override { return blocks_done_; }
  double weighted_rate() const override { return meter_.rate(); }
  void register_statistics(StatisticRegistry& registry, const std::string& path) override {
    meter_.register_statistics(registry, path);
  }
  Histogram* response_times() override { return &response_times_; }
  Histogram* response_times_in_collections() override { return &response_times_in_collections_; }

  Tick next_event() const override { return steps_.next_time(); }
  Tick advance(Tick now) override;
  void on_admit(const Request& request, Tick now) override;
  void check_outstanding(const Archive& archive,
                         const std::vector<Outstanding>& requests) const override;

 private:
  // The request under way, and of it what is still to be done.
  struct Thread {
    bool busy = false;            // has a request
    bool paused = false;          // ... and a step of its own to come
    std::int64_t number = 0;      // of the request within the pass
    std::uint64_t next_line = 0;  // number of the line within the NVDIMM
    std::uint64_t lines = 0;      // from there on
    bool write = false;
    bool trim = false;
    bool past_gate = false;        // to write
    bool flush_before = false;     // still to be sent, ...
    bool flush_after = false;      // ... as this one
    std::int64_t outstanding = 0;  // accesses, or a flush
    std::int64_t fetches = 0;      // of them reads, of a write request
    // The page being copied.
    std::uint64_t page_line = 0;  // its first line
    std::int64_t page_lines = 0;  // 0: none
    std::uint64_t pass = 0;       // over its lines, from 0
    std::int64_t accesses = 0;    // of this pass, sent
    std::uint32_t block = 0;
    void serialize(Archive& archive);
  };
  // A block of which lines are outstanding, or still to be sent.
  struct Block {
    Tick first_sent{0};
    std::uint32_t thread = 0;
    std::int64_t accesses = 0;            // not yet done
    std::uint64_t collections_ended = 0;  // before
    void serialize(Archive& archive);
  };
  enum class Step : std::uint8_t { start_pass, start_lines, end_pause, go_on, last = go_on };

  void prepare() override;
  void restart_limit(Tick now) override;
  double pass_fraction(Tick now) const override;
  void handle_completion(const Request& request, Tick now) override;
  void serialize_state(Archive& archive) override;

  void check_loaded(const Archive& archive) const;
  void check_thread(const Archive& archive, const Thread& thread) const;
  void check_steps(const Archive& archive) const;

  void open_pass();
  void fetch();
  bool next_of_windows();
  void begin_window();
  void meter(Tick now);
  void start_pass(Tick now);
  void take_request(std::uint32_t index, Tick now);
  void begin_request(std::uint32_t index, Tick now);
  void open_gate(Tick now);
  void go_on(std::uint32_t index, Tick now);
  void send_flush_of(std::uint32_t index, Tick now);
  bool open_page(std::uint32_t index, Tick now);
  bool send_accesses(std::uint32_t index, Tick now);
  void send_access(std::uint32_t index, const CopyPass& pass, Tick now);
  bool touch(std::uint64_t page);
  void end_access(std::uint32_t number, Tick now);
  void discard(std::uint32_t index, Tick now);
  void end_request(std::uint32_t index, Tick now);
  void end_pass(Tick now);
  std::uint32_t new_block(std::uint32_t thread, std::int64_t accesses, Tick now);
  Tick arrival_of(const BlockRequest& request);

  BlockParameters parameters_;
  TraceKeys trace_;
  ReplayMode replay_ = ReplayMode::closed;
  double time_scale_ = 1;
  Copies copies_;
  TraceParts parts_{kRequests};
  std::int64_t requests_ = 0;   // limit of a pass; 0: to the trace's end
  Bytes device_stride_{0};      // 0: a sixteenth of the capacity
  std::uint64_t capacity_ = 0;  // bytes
  std::uint64_t stride_ = 0;    // bytes, modulo the capacity
  std::uint64_t offset_ = 0;    // bytes, of this copy
  std::int64_t scale_ppm_ = 0;  // time_scale x 10^6

  std::unique_ptr<BlockSource> source_;
  std::vector<TraceWindow> windows_;  // empty: the trace from parts_.skip on
  std::size_t part_ = 0;              // of them, that of the next request
  std::int64_t left_ = 0;             // requests of it that are not fetched
  std::int64_t read_ = 0;             // from the trace, since its start
  bool begins_window_ = false;        // the next request
  Tick last_begin_{0};                // of the last request taken
  WindowMeter meter_;
  BlockRequest request_;  // the next one
  bool have_request_ = false;
  bool have_origin_ = false;
  std::uint64_t origin_ns_ = 0;  // arrival of the pass's first request ...
  Tick origin_{0};               // ... and when the pass began
  std::uint64_t latest_ns_ = 0;  // the latest arrival since then
  std::int64_t passes_ = 0;      // ended, of those until it has finished
  std::int64_t taken_ = 0;       // requests, since the pass, or measuring, began
  std::int64_t busy_ = 0;        // threads with a request
  bool between_passes_ = true;
  static constexpr std::uint32_t kNobody = 0xFFFFFFFF;
  std::uint32_t sender_ = kNobody;  // within send_access(): the port may answer while it sends
  std::int64_t window_ = 0;         // accesses outstanding per thread
  std::int64_t writers_ = 0;        // barrier: driver: threads past the gate to write ...
  Ring<std::uint32_t> gate_;        // ... and threads before it
  std::vector<bool> touched_;       // fault_time: each page
  std::vector<Thread> threads_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> free_blocks_;
  EventQueue<Step> steps_;
  std::uint64_t epoch_ = 0;  // fences and flushes so far
  std::int64_t blocks_done_ = 0;
  Histogram response_times_;  // picoseconds
  Histogram response_times_in_collections_;
};

}  // namespace hmsim
