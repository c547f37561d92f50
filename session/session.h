// SPDX-License-Identifier: BSD-3-Clause
// Requests of other programs to any memory of a system, with dependences, and a receipt for each.
//
// A request begins once the last of the requests that it follows has ended. Requests to DRAM and
// the NVDIMM become requests of lines, on HBF of pages; those to storage pass its software path.
// No request is refused: those that find a full queue wait outside it, in order. Both the C library
// (EmbeddedMemory) and Python's System (Simulation) have a session.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "controller/accounts/request_observer.h"
#include "controller/memory_system.h"
#include "core/key_map.h"
#include "core/pool.h"
#include "core/request.h"
#include "core/ring.h"
#include "storage/host.h"

namespace hmsim {

// The memory of a request. storage: the configuration's or, without one, the NVDIMM through its
// block driver.
enum class SessionTarget : std::uint8_t { dram, nvdimm, storage, last = storage };

struct SessionRequest {
  using Kind = IoRequest::Kind;
  std::uint64_t id = 0;       // of the client, unique among its requests that have not ended
  std::uint64_t address = 0;  // of the first byte, within the target; of a flush: ignored
  std::uint64_t size = 0;     // bytes; of a flush: ignored
  SessionTarget target = SessionTarget::dram;
  Kind kind = Kind::read;
  std::uint16_t source = 0;  // hardware context; on storage, the submitter
  std::uint16_t stream = 0;  // placement handle of a write

  void serialize(Archive& archive) { archive(id, address, size, target, kind, source, stream); }
};

// Cause of a part of a request's time. Every moment counts for exactly one.
enum class Cause : std::uint8_t {
  held,        // waited for the requests that it follows
  software,    // storage: in the layers of the software path
  queue,       // waited for a queue, a bank, a bus, a refresh, a map, a lock or a context
  link,        // on a link to a device or on its way back
  sense,       // cells read or written: activation of a DRAM row, flash or its buffer
  transfer,    // on a data bus, or on the links of an HBF channel
  collection,  // blocked by garbage collection
  device,      // in a device that does not measure these parts of a request
  last = device
};
inline constexpr std::size_t kSessionCauses = static_cast<std::size_t>(Cause::last) + 1;

// Result of a request. If it has several lines or pages, the parts are those of the last. They add
// up to ended - submitted.
struct Receipt {
  std::uint64_t id = 0;
  Tick submitted{0};
  Tick ended{0};
  std::array<Tick, kSessionCauses> parts{};
  std::uint8_t status = 0;  // the largest of its lines; see Request::status

  Tick sum() const { return std::accumulate(parts.begin(), parts.end(), Tick(0)); }
  Tick& operator[](Cause cause) { return parts[static_cast<std::size_t>(cause)]; }
  Tick operator[](Cause cause) const { return parts[static_cast<std::size_t>(cause)]; }
  void serialize(Archive& archive) { archive(id, submitted, ended, parts, status); }
};

class SessionClient {
 public:
  // A request ended. The requests that follow it have begun. Called within a step of the kernel or
  // within submit(), which the client may call at once.
  virtual void on_ended(const Receipt& receipt, Tick now) = 0;

 protected:
  ~SessionClient() = default;
};

class Session final : public Requester, public RequestObserver, private IoListener {
 public:
  // The client outlives the session.
  explicit Session(SessionClient& client) : client_(client) {}
  // Connects the memory, before the first request or after a power failure. `requester`: index of
  // this session among its requesters. For parts of the time in memory, the session must be the
  // memory's request observer.
  void connect(MemorySystem& memory, std::size_t requester);
  // Connects the storage, which outlives the session's requests. nullptr: there is none.
  void connect(Host* storage);

  Bytes capacity(SessionTarget target) const;
  // Throws InputError if submit() would not accept the request.
  void check(const SessionRequest& request) const;
  // Takes a request that passed check(). It follows those requests in `after` that have not ended,
  // and ignores other ids. Between the kernel's steps, enter it before.
  void submit(const SessionRequest& request, const std::uint64_t* after, std::size_t count,
              Tick now);
  // The same for a read or write of one line that follows none, at a fraction of the cost. Returns
  // false, and does nothing, if check() and submit() must decide.
  bool submit_line(MemoryClass memory, const SessionRequest& request, Tick now) {
    if (request.size - 1 >= kLineSize - request.address % kLineSize ||
        request.address >= bytes_[static_cast<std::size_t>(memory)]) {
      return false;
    }
    line_.address = Address(static_cast<std::int64_t>(request.address / kLineSize * kLineSize));
    line_.source = request.source;
    line_.stream = request.stream;
    line_.memory = memory;
    line_.write = request.kind == SessionRequest::Kind::write;
    line_.tag = entries_.take(Entry{request.id, now, now, 0, 1});
    if (by_id_.find_or_insert(key(request.id), line_.tag) != kNoIndex) {
      entries_.give_back(line_.tag);
      return false;
    }
    memory_->send(line_, now);
    return true;
  }
  std::uint32_t under_way() const { return entries_.used(); }
  std::vector<std::uint64_t> ids() const;  // of these, ascending

  void on_complete(const Request& request, Tick now) override;
  void on_request(const RequestRecord& record) override;

  void serialize(Archive& archive);

 private:
  struct Entry {
    std::uint64_t id = 0;
    Tick submitted{0};
    Tick begun{0};
    std::uint32_t held_by = 0;  // requests that it follows and that have not ended
    std::uint32_t pieces = 0;   // begun and not ended
    std::uint32_t first_edge = kNoIndex;
    std::uint32_t last_edge = kNoIndex;
    std::uint8_t status = 0;
    bool measured = false;  // its parts are known

    void serialize(Archive& archive) {
      archive(id, submitted, begun, held_by, pieces, first_edge, last_edge, status, measured);
    }
  };
  struct Edge {  // one of the requests that follow another
    std::uint32_t to = kNoIndex;
    std::uint32_t next = kNoIndex;
    void serialize(Archive& archive) { archive(to, next); }
  };

  struct More {              // of an entry
    SessionRequest request;  // while it is held
    Receipt parts;           // if measured

    void serialize(Archive& archive) { archive(request, parts); }
  };

  static std::int64_t key(std::uint64_t id) { return static_cast<std::int64_t>(id); }
  void check_range(const SessionRequest& request) const;
  void check_in_memory(const SessionRequest& request) const;
  void add_edge(std::uint32_t from, std::uint32_t to);
  // Returns what few entries have.
  More& more_of(std::uint32_t slot) {
    if (slot >= more_.size()) {
      more_.resize(slot + 1);
    }
    return more_[slot];
  }
  void begin(std::uint32_t slot, const SessionRequest& request, Tick now);
  void begin_on_memory(std::uint32_t slot, const SessionRequest& request, Tick now);
  void begin_on_storage(std::uint32_t slot, const SessionRequest& request, Tick now);
  void on_io_done(std::uint32_t tag, Tick now) override;
  void end(std::uint32_t slot, Tick now);
  void end_one(std::uint32_t slot, Tick now);
  void check_indices(const Archive& archive);

  SessionClient& client_;
  MemorySystem* memory_ = nullptr;
  Host* storage_ = nullptr;
  std::uint16_t requester_ = 0;
  std::uint16_t storage_client_ = 0;
  std::array<std::int64_t, kMemoryClasses> largest_{};  // bytes of a request of each class
  std::array<std::uint64_t, kMemoryClasses> bytes_{};   // of each class
  Request line_;                                        // sent last
  Pool<Entry> entries_;                                 // by Request::tag and IoRequest::tag
  std::vector<More> more_;                              // by the same tags, up to the last in use
  Pool<Edge> edges_;
  KeyMap by_id_;
  Ring<std::uint32_t> ended_;  // empty between calls
  bool ending_ = false;        // within end(): the client may submit a request that ends at once
};

}  // namespace hmsim
