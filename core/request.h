// SPDX-License-Identifier: BSD-3-Clause
// One 64-byte memory transaction, and the two sides of the port that it crosses.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

// The two classes of traffic that share a channel.
enum class MemoryClass : std::uint8_t { dram, nvdimm, last = nvdimm };

inline constexpr int kMemoryClasses = 2;

// Where a written line is safe from power failures, so that a fence need wait no longer: once it
// has an entry of the controller's queue (asynchronous DRAM refresh, ADR: when power goes, what the
// queue holds for the NVDIMM still gets there), or once the NVDIMM has it.
enum class Persistence { controller, module };

struct Request {
  Address address{0};        // of the line's first byte, inside the memory of its class
  Tick arrival{0};           // when it reached the controller (waiting outside included)
  std::uint64_t id = 0;      // order of arrival at the memory system; given by it
  std::uint64_t epoch = 0;   // of a persistent write: fences that its agent has set before it
  std::uint32_t tag = 0;     // the requester's own cookie
  std::uint16_t agent = 0;   // index of the requester
  std::uint16_t source = 0;  // hardware context (core) it is issued on behalf of
  MemoryClass memory = MemoryClass::dram;
  bool write = false;
  // Of the NVDIMMs of all channels, without data: it is done once all NVDIMM requests before it are
  // done, and durable; those after it begin only then, on any channel. The address has no meaning.
  bool flush = false;

  void serialize(Archive& archive) {
    archive(address, arrival, id, epoch, tag, agent, source, memory, write, flush);
  }
};

using LineBytes = std::array<std::uint8_t, 64>;

// What a write carries, in data mode: of a line's bytes those whose bit is set.
struct LineData {
  LineBytes bytes{};
  std::uint64_t mask = ~std::uint64_t{0};

  void apply_to(LineBytes& line) const {
    for (std::size_t i = 0; i < line.size(); ++i) {
      line[i] = ((mask >> i) & 1) != 0 ? bytes[i] : line[i];
    }
  }
  void serialize(Archive& archive) {
    archive(mask);
    archive.raw(bytes.data(), bytes.size());
  }
};

// Whoever sends requests.
class Requester {
 public:
  virtual ~Requester() = default;
  // The request (no flush) has left the line outside and holds a slot of its transaction queue.
  virtual void on_admit(const Request& /*request*/, Tick /*now*/) {}
  // Its last data beat has passed. The requester may send from within both calls.
  // A loaded request may have any tag: one that leads beyond the requester's tables is a Fault.
  virtual void on_complete(const Request& request, Tick now) = 0;

  // Data mode, just before on_complete(): what a write carries, and what a read brings. A requester
  // that has no data of its own writes the request's id into every eight bytes.
  virtual LineData write_data(const Request& request) const;
  virtual void on_read_data(const Request& /*request*/, const LineBytes& /*bytes*/) {}

  // One that is not done; admitted: on_admit() was called.
  struct Outstanding {
    Request request;
    bool admitted = false;
    std::optional<Tick> since = {};  // since when it holds an entry of a transaction queue
  };
};

// Where requests go.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  // Takes the request at `now` and gives it its id and arrival. It waits outside in arrival order
  // while its queue is full, so a requester bounds what it has outstanding.
  virtual void send(Request& request, Tick now) = 0;
  // Bytes that addresses of this class may span.
  virtual Bytes capacity(MemoryClass memory) const = 0;
  // Discards what the NVDIMM's pages that lie in the range as a whole hold; their number.
  virtual std::int64_t trim(Address /*address*/, Bytes /*size*/, Tick /*now*/) { return 0; }
  // Garbage collections of NVDIMMs so far.
  struct Collections {
    std::uint64_t begun = 0;
    std::uint64_t ended = 0;
  };
  virtual Collections collections() const { return {}; }
};

}  // namespace hmsim
