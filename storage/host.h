// SPDX-License-Identifier: BSD-3-Clause
// Software over a storage device. It runs each request through the layers of its path
// (storage/software_path.h) on a limited number of hardware contexts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/event_queue.h"
#include "core/key_map.h"
#include "core/pool.h"
#include "core/statistics.h"
#include "storage/request.h"
#include "storage/server.h"
#include "storage/software_path.h"
#include "storage/statistics.h"

namespace hmsim {

// Counts since the last reset, for reads and writes. Flushes and trims count only as such.
struct HostCounts {
  struct Direction {
    std::array<Counter, kLayers> parts{};  // picoseconds, of completed requests
    Counter requests = 0;
    Counter bytes = 0;
    Histogram latency;  // picoseconds from begin to end; its sum is that of `parts`
    void serialize(Archive& archive) { archive(parts, requests, bytes, latency); }
  };
  std::array<Direction, 2> of;
  Counter flushes = 0;
  Counter trims = 0;
  Counter ignored_trims = 0;   // of these, those that the device does not take
  Counter processor_time = 0;  // picoseconds of layers on contexts, and of spinning

  void serialize(Archive& archive) { archive(of, flushes, trims, ignored_trims, processor_time); }
};

// Host of one device. A client uses the host's contexts or its own (storage/request.h).
//
// A request holds a context during consecutive `core` layers and, if it spins, while the device
// works. It holds none while it waits for a section or sleeps. A request larger than max_request is
// issued in pieces, one after another; the thread then waits for all of them. A trim moves no data,
// so it is one piece and copies nothing.
class Host final : public Component, private IoListener {
 public:
  // The device outlives the host, which advances it and is its listener.
  Host(const PathParameters& parameters, StorageDevice& device);
  void attach(Wakeup wakeup) { wakeup_ = wakeup; }
  // Reports that the device's next event may have changed for a reason outside the host.
  void device_woke() {
    device_next_ = device_.next_event();
    wakeup_.notify();
  }

  // Adds a client and returns its number. The client is notified of completions from within
  // advance(). The software of the client's requests runs on `contexts`, which must outlive the
  // client's last request. nullptr: it runs on the host's contexts. If the device is memory, a
  // second client is a fault.
  std::uint16_t join(IoListener& client, Contexts* contexts = nullptr);
  // Reports that request `io` of a client with its own contexts now has the context that it waited
  // for.
  void granted(std::uint32_t io, Tick now);
  bool jobs_run_on_nodes() const { return parameters_.jobs == JobContexts::node; }

  // Begins a request of client number `client`, with a tag that the client chose. The host queues
  // the request if necessary. Throws InputError if the request extends beyond the device's end or
  // is not a multiple of the device's granularity. A trim that the device does not take ends at
  // once.
  void begin(std::uint16_t client, const IoRequest& request, Tick now);
  // Throws the InputError of begin().
  void check_request(const IoRequest& request) const;
  Bytes capacity() const { return device_.capacity(); }
  Bytes granularity() const { return device_.granularity(); }
  bool is_memory() const { return device_.is_memory(); }

  Tick next_event() const override { return earlier(events_.next_time(), device_next_); }
  Tick advance(Tick now) override;
  // Registers statistics under `path`, such as "storage".
  void register_statistics(StatisticRegistry& registry, const std::string& path);
  const HostCounts& counts() const { return counts_; }
  // Passes the parts of a request to memory on to a device that is memory.
  void on_access(const Request& request, const DeviceTimes& times) {
    device_.on_access(request, times);
  }
  // Before the first request: ended() is wanted.
  void report() { reports_ = true; }
  // Within on_io_done(): the parts of the request that ended, which add up to the time since its
  // begin(); and the device's, if they add up to Layer::device.
  struct Ended {
    PartTimes<Layer, kLayers> layers;
    std::optional<DeviceTimes> device;
  };
  const Ended& ended() const { return ended_; }
  double outstanding() const { return outstanding_.mean(); }

  void serialize(Archive& archive) override;

 private:
  enum class Event : std::uint8_t { resume, section_end, last = section_end };

  struct Client {
    IoListener* listener = nullptr;
    Contexts* contexts = nullptr;  // nullptr: the host's contexts
  };
  struct Io {
    IoRequest request;
    std::uint16_t client = 0;
    std::uint32_t stage = 0;
    std::uint32_t pieces = 0;  // issued and not completed
    std::uint64_t issued = 0;  // bytes
    bool issued_all = false;
    bool in_context = false;
    bool waits_outside = false;  // for a context of the client
    bool spins = false;
    Tick begun{0};
    PartTimes<Layer, kLayers> times;

    // Returns the bytes of the next piece to issue.
    std::uint64_t piece(std::uint64_t most) const {
      return request.moves_data() ? earlier(request.bytes - issued, most) : request.bytes;
    }
    void serialize(Archive& archive) {
      archive(request, client, stage, pieces, issued, issued_all, in_context, waits_outside, spins,
              begun, times);
    }
  };
  struct Piece {
    std::uint32_t io = kNoIndex;
    void serialize(Archive& archive) { archive(io); }
  };

  void on_io_done(std::uint32_t tag, Tick now) override;
  void on_blocks_done(std::int64_t blocks, Tick now) override;

  const SoftwarePath& path(const Io& io) const {
    return io.request.kind == IoRequest::Kind::read ? read_ : write_;
  }
  // Returns whether the request skips the stage.
  static bool skips(const Io& io, const Stage& stage) {
    return (io.spins && stage.asleep) || (io.request.further && stage.once);
  }
  static Tick time_in(const Stage& stage, const IoRequest& request, std::uint64_t bytes);
  void resume(std::uint32_t slot, Tick now);
  void run(std::uint32_t slot, Tick now);
  void start_section(std::uint32_t slot, Section section, Tick now);
  void end_section(std::size_t section, Tick now);
  bool ignores(const IoRequest& request) const {
    return request.kind == IoRequest::Kind::trim && !device_.is_memory() && !device_.takes_trims();
  }
  bool issue(std::uint32_t slot, Tick now);
  bool take_context(std::uint32_t slot, Tick now);
  void leave_context(std::uint32_t slot, Tick now);
  void end(std::uint32_t slot, Tick now);
  void check_indices(const Archive& archive) const;

  const PathParameters parameters_;
  const SoftwarePath read_;
  const SoftwarePath write_;
  StorageDevice& device_;
  const bool
      may_bypass_kernel_;  // advance() may continue to its next event, which nothing else observes
  Tick device_next_ = kNever;  // the device's next event
  std::vector<Client> clients_;
  bool notified_client_ = false;  // a client was notified since advance() was called
  Wakeup wakeup_;
  Pool<Io> ios_;
  Pool<Piece> pieces_;  // by the tag passed to the device
  Slots<std::uint32_t> contexts_;
  std::array<Server<std::uint32_t>, kSections> sections_;
  EventQueue<Event> events_;
  Level outstanding_;
  HostCounts counts_;
  bool reports_ = false;                                // ended() is wanted
  std::vector<std::optional<DeviceTimes>> of_devices_;  // then: by slot, of its last piece
  Ended ended_;
};

}  // namespace hmsim
