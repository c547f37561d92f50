// SPDX-License-Identifier: BSD-3-Clause
// Threads that carry out block I/O, from a trace (kind block_trace) or generated (io_pattern).
//
// Each thread has one request under way, or up to its depth, taken in trace order. In an open loop
// (io_pattern), requests arrive at a rate and wait for a free thread. closed: a thread
// takes the next request when its last one has completed. timed: also not before the request's
// arrival; the first request arrives at 0. inferred: a request arrives when the requests that it
// waits for have completed (traces/causal_queue.h), and gets its own thread.
//
// Requests go to a Host (storage/host.h), which models the software and the device. If the
// configuration has no storage, the device is the NVDIMM (storage/nvdimm_device.h). A request's
// flush is sent before its data; FUA sends another flush after them. A trim takes software time, on
// memory no device time, and does not count as a block done.
//
// The agent assigns requests to threads and sends their parts. Its collaborators: RequestSource
// chooses the next request and its time, DeviceLayout maps it to the device, BlockThreads splits it
// into parts, IoMeter and WindowMeter measure it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "agents/agent.h"
#include "agents/block/block_keys.h"
#include "agents/block/block_threads.h"
#include "agents/block/device_layout.h"
#include "agents/block/open_loop.h"
#include "agents/block/request_source.h"
#include "agents/block/think_times.h"
#include "agents/block/window_meter.h"
#include "agents/io_meter.h"
#include "agents/stages.h"
#include "core/event_queue.h"
#include "storage/host.h"

namespace hmsim {

class BlockAgent : public Agent, private IoListener, private Stages::Member, private SteadyEnd {
 public:
  explicit BlockAgent(const FrontendParameters& defaults) : keys_(defaults) {}

  void declare(ParameterSet& parameters) override;
  std::vector<ParameterError> check() const override { return keys_.check(); }
  AgentTraits traits() const override { return {"blocks"}; }
  std::int64_t work(Tick) const override { return blocks_done_; }
  double weighted_rate() const override { return meter_.rate(); }
  void register_statistics(StatisticRegistry& registry, const std::string& path) override {
    io_meter_.register_statistics(registry, path);
    meter_.register_statistics(registry, path);
    open_loop_.register_statistics(registry, path);
    if (source_.timed()) {
      StatisticGroup(registry, path).times("held_back_us", kHeldBack, source_.held_back());
    }
  }
  AgentParts parts() override {
    return {&io_meter_, nullptr, keys_.until == RunEnd::steady ? this : nullptr};
  }
  std::optional<NvdimmIo> nvdimm_io(std::size_t which) const override;
  void each_page_read(bool to_limit, const PageVisitor& visit) override;

  Tick next_event() const override { return steps_.next_time(); }
  Tick advance(Tick now) override;

 protected:
  // Declares the keys common to all agents, for a kind whose other keys are not those of traces.
  void declare_agent(ParameterSet& parameters) { Agent::declare(parameters); }
  BlockKeys& keys() { return keys_; }
  const BlockKeys& keys() const { return keys_; }

 private:
  // start_pass: of all threads. start_request, end_think: of one thread. arrive: open loop. stop:
  // at the end of the duration.
  enum class Step : std::uint8_t {
    start_pass,
    start_request,
    arrive,
    end_think,
    stop,
    last = stop
  };

  virtual const char* kind() const { return "block_trace"; }
  // Opens the source of requests for a device of this capacity.
  virtual std::unique_ptr<BlockSource> open_source(Bytes capacity);

  void prepare() override;
  void restart_limit(Tick now) override;
  double pass_fraction(Tick now) const override;
  void on_io_done(std::uint32_t index, Tick now) override;
  void on_blocks_done(std::int64_t blocks, Tick now) override;
  void begin_stage(Tick now) override;
  void serialize_state(Archive& archive) override;

  std::size_t request_slots() const;  // with one request each
  void start_pass(Tick now);
  void end_pass(Tick now);
  void schedule_stop(Tick now);
  void stop(Tick now) override;
  void take_request(std::uint32_t index, Tick now);
  void take_requests(std::uint32_t index, Tick now);
  void begin_request(std::uint32_t index, const RequestSource::Taken& taken, Tick now);
  void start_arrivals(Tick now);
  void arrive(Tick now);
  void take_waiting(std::uint32_t index, Tick now);
  void end_think(std::uint32_t thread, Tick now);
  std::size_t thread_of(std::uint32_t index) const {
    return index / static_cast<std::size_t>(keys_.depth);
  }
  void send_next_part(std::uint32_t index, Tick now);
  void end_request(std::uint32_t index, Tick now);
  IoRecord record_of(std::uint32_t index, Tick now) const;

  BlockKeys keys_;
  Host* host_ = nullptr;
  std::uint16_t client_ = 0;  // the agent's number at the host
  DeviceLayout layout_;
  RequestSource source_;
  BlockThreads threads_;
  WindowMeter meter_;
  IoMeter io_meter_;
  OpenLoop open_loop_;
  ThinkTimes think_times_;
  EventQueue<Step> steps_;
  std::int64_t blocks_done_ = 0;  // over all passes
  std::int64_t blocks_open_ = 0;  // of requests taken and not yet done
  bool between_passes_ = true;    // no request is under way until a pass starts
  bool started_ = false;          // the first pass has started
  bool measuring_ = false;        // its duration counts
  Tick stop_time_ = kNever;       // end of its duration
};

}  // namespace hmsim
