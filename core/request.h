// SPDX-License-Identifier: BSD-3-Clause
// One memory transaction, and the two sides of the port that it crosses.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

// Classes of traffic that share a channel.
enum class MemoryClass : std::uint8_t { dram, nvdimm, last = nvdimm };

inline constexpr int kMemoryClasses = 2;

// Purpose of a request: a program or device of the host, or work of the host's FTL.
enum class RequestOrigin : std::uint8_t { user, collection, map, refresh, last = refresh };

inline constexpr std::size_t kRequestOrigins = 4;

// The point at which a written line is durable, and at which a fence may complete. `controller`:
// the line has an entry in the controller's queue (asynchronous DRAM refresh, ADR: on power failure
// the queue drains to the NVDIMM). `module`: the NVDIMM has received it.
enum class Persistence { controller, module };

// One memory transaction. The memory system assigns `id`, `arrival` and `status`; its sender sets
// the rest.
struct Request {
  Address address{0};        // of the line's first byte, within the memory of its class
  Tick arrival{0};           // time of arrival at the controller, before any wait outside
  std::uint64_t id = 0;      // order of arrival; assigned by the memory system
  std::uint64_t epoch = 0;   // of a persistent write: number of fences its agent issued before it
  std::uint32_t tag = 0;     // opaque to the memory system; for the requester
  std::uint16_t agent = 0;   // index of the requester
  std::uint16_t source = 0;  // hardware context (core) that the request is issued for
  MemoryClass memory = MemoryClass::dram;
  bool write = false;
  // A flush covers the NVDIMMs of all channels and moves no data. It completes, durably, once all
  // earlier NVDIMM requests are done. Later NVDIMM requests on any channel begin only after it. Its
  // address has no meaning.
  bool flush = false;
  // Consecutive lines from `address`, all in one page of 4 KiB. More than one only for an NVDIMM
  // that takes them (MemoryPort::largest_request).
  std::uint8_t lines = 1;
  RequestOrigin origin = RequestOrigin::user;
  std::uint8_t status = 0;  // of the answer; 0: done. HBF: HbfStatus (nvdimm/hbf/hbf_status.h)
  // Placement handle of a write, as streams of NVMe: data of one stream are likely to be discarded
  // together. 0: none.
  std::uint16_t stream = 0;
  // Time on the link to a device behind a port. `arrival` is later by this time there.
  Tick link{0};
  // Time of arrival at its channel. Set only if a host queue, an FTL or a link is in front of it.
  Tick entered{0};

  Bytes size() const { return Bytes(lines * kLineBytes.value()); }

  void serialize(Archive& archive) {
    archive(address, arrival, id, epoch, tag, agent, source, memory, write, flush, lines, origin,
            status, stream, link, entered);
    archive.check(lines >= 1 && lines <= kLinesPerPage, "invalid size of a request");
  }
};

using LineBytes = std::array<std::uint8_t, 64>;

// Data of a write in data mode. Bit i of `mask` selects byte i of the line.
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

// Sender of requests.
class Requester {
 public:
  virtual ~Requester() = default;
  // The request waits outside no longer: it crosses a link to its device from now on, or it was
  // admitted. May be called within send().
  virtual void on_taken(const Request& /*request*/, Tick /*now*/) {}
  // The request (never a flush) was admitted and now holds a slot in its transaction queue. Behind
  // a port, `link` is not 0, on_taken() was called before, and the arrival may be that at the
  // device.
  virtual void on_admit(const Request& request, Tick now) {
    if (request.link == Tick(0)) {
      on_taken(request, now);
    }
  }
  // The request's last data beat has passed. The requester may send from within both calls. A
  // request loaded from a checkpoint may carry any tag; a tag outside the requester's tables is a
  // Fault.
  virtual void on_complete(const Request& request, Tick now) = 0;

  // Data mode, called just before on_complete(): returns the data of a write, or receives the data
  // of a read. Called once for each line of a request, whose address is then that line's. The
  // default write_data() repeats the request's id in every eight bytes.
  virtual LineData write_data(const Request& request) const;
  virtual void on_read_data(const Request& /*request*/, const LineBytes& /*bytes*/) {}

  // A request that is not done. `admitted`: on_admit() was called for it.
  struct Outstanding {
    Request request;
    bool admitted = false;
    std::optional<Tick> since = {};  // when it took its transaction queue entry
  };
};

// Interface to the memory system.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  // Accepts the request at `now` and assigns its id and arrival. While its queue is full, the
  // request waits outside in order of arrival. Requesters must bound their own outstanding
  // requests.
  virtual void send(Request& request, Tick now) = 0;
  // Returns the size of the address space of this class.
  virtual Bytes capacity(MemoryClass memory) const = 0;
  // Returns the largest size of one request of this class.
  virtual Bytes largest_request(MemoryClass /*memory*/) const { return kLineBytes; }
  struct NvdimmTraits {
    // Whether requests of several lines are commands for a page (nvdimm.access: block). Only block
    // drivers send them. Such a write is safe when it is done, not when it is admitted.
    bool block_access = false;
    std::int64_t entries = 64;  // NVDIMM requests that the queues of all channels hold
  };
  virtual NvdimmTraits nvdimm_traits() const { return {}; }
  // Discards the contents of the NVDIMM pages that lie entirely within the range. Returns their
  // number.
  virtual std::int64_t trim(Address /*address*/, Bytes /*size*/, Tick /*now*/) { return 0; }
  // Garbage collections of all NVDIMMs so far.
  struct Collections {
    std::uint64_t begun = 0;
    std::uint64_t ended = 0;
  };
  virtual Collections collections() const { return {}; }
};

}  // namespace hmsim
