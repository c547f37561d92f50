// SPDX-License-Identifier: BSD-3-Clause
// A memory system that another simulator calls, with the semantics of hmsim.h.
//
// Requests from calls into the simulator enter at the time of the call. Other requests enter after
// all events of their time, and therefore count as one picosecond later.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "controller/memory_system.h"
#include "core/kernel.h"
#include "core/parameters.h"
#include "core/pool.h"
#include "core/statistics.h"

namespace hmsim {

class ProtocolChecker;

// Calls into the simulator. Both may send further requests for the same time.
class EmbeddingHost {
 public:
  virtual ~EmbeddingHost() = default;
  virtual void on_done(std::uint64_t id, Tick now) = 0;
  virtual void on_room(MemoryClass memory, Tick now) = 0;
};

// A request of the simulator. It is done when its last line is done.
struct HostRequest {
  MemoryClass memory = MemoryClass::dram;
  Address address{0};  // of its first byte, within the memory
  std::int64_t size = kLineBytes.value();
  bool write = false;
  std::uint16_t source = 0;
  std::uint64_t id = 0;  // of the simulator
};

class EmbeddedMemory final : private Requester {
 public:
  // `parameters`: see host_config(). `check`: verifies every command; one that breaks a rule of
  // devices or buses raises a Fault. Throws InputError with one line per invalid parameter.
  EmbeddedMemory(EmbeddingHost& host, const SourceProgress& progress, const Assignments& parameters,
                 std::uint64_t seed, bool check);
  ~EmbeddedMemory() override;

  enum class Sent { admitted, waits, refused };
  // Takes the request unless an earlier one of its class waits. on_room() follows when that one has
  // its queue entry. Throws InputError if the request reaches beyond its memory, or `now` is before
  // an earlier time.
  Sent send(const HostRequest& request, Tick now);
  void run(Tick now);       // processes all events up to `now`
  Tick next_event() const;  // kNever if none is scheduled

  // Returns whether no request, flash operation or collection is in progress.
  bool idle() const { return in_progress_.used() == 0 && memory_.idle(); }
  Bytes capacity(MemoryClass memory) const { return memory_.capacity(memory); }

  // Statistics at `now`: sim.ticks, sim.requests and those of the memory system.
  std::vector<Statistic> statistics(Tick now);
  void reset_statistics(Tick now);

  // The memory must be idle. load() requires that nothing was sent before, and throws InputError if
  // the state is damaged, or was saved with other parameters or another seed.
  std::string save(Tick now);
  void load(const std::string& state, Tick now);

 private:
  // Component that sends a request from outside of calls, ahead of other components' events.
  class Sender final : public Component {
   public:
    explicit Sender(EmbeddedMemory& memory) : memory_(memory) {}
    void set(const HostRequest& request, Tick time);
    Tick next_event() const override { return time_; }
    Tick advance(Tick now) override;
    void serialize(Archive& /*archive*/) override {}

   private:
    EmbeddedMemory& memory_;
    HostRequest request_;
    Tick time_ = kNever;
  };
  struct InProgress {
    std::uint64_t id = 0;
    std::uint64_t number = 0;     // of the request, in order
    std::int64_t lines = 0;       // not done
    std::int64_t unadmitted = 0;  // lines without a queue entry
    bool awaited = false;         // the simulator waits for its admission
  };

  void on_admit(const Request& request, Tick now) override;
  void on_complete(const Request& request, Tick now) override;
  void enter(const HostRequest& request, Tick now);
  bool& waiting(MemoryClass memory) { return waiting_[static_cast<std::size_t>(memory)]; }
  void check_reach(const HostRequest& request) const;
  Tick at(Tick now);
  void process(Tick now);
  Tick present(Tick now);
  void serialize(Archive& archive);

  EmbeddingHost& host_;
  Assignments values_;
  SystemConfig config_;
  Kernel kernel_;
  Sender sender_{*this};
  const int sender_id_ = kernel_.attach(sender_);  // attached before the memory system
  MemorySystem memory_;
  std::unique_ptr<ProtocolChecker> checker_;  // null unless checking
  StatisticRegistry registry_;
  const std::uint64_t identity_;

  std::array<bool, kMemoryClasses> waiting_{};  // a request waits, by class
  std::uint64_t sent_ = 0;
  Pool<InProgress> in_progress_;  // by tag
  bool calling_ = false;          // within run() or send()
  Tick called_at_{0};             // time of the call into the simulator, if calling
  Tick given_{0};                 // latest time that the simulator gave
  Tick processed_{-1};            // all events up to this time are processed
  Tick shift_{0};                 // simulator's time minus that of the kernel, after load()
  Tick measured_from_{0};
  Counter ticks_ = 0;
  Counter requests_done_ = 0;
};

}  // namespace hmsim
