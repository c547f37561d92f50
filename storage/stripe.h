// SPDX-License-Identifier: BSD-3-Clause
// Software RAID-0 over several devices.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/event_queue.h"
#include "core/parameters.h"
#include "core/pool.h"
#include "storage/queued_device.h"
#include "storage/server.h"

namespace hmsim {

struct StripeParameters {
  std::int64_t members = 1;
  Bytes unit{64LL << 10};
  Tick bus{0};  // per KiB; 0: no limit

  void declare(ParameterSet& set);  // under "storage.stripe."
  std::vector<ParameterError> check(Bytes capacity) const;
};

// Location of a byte of the striped device.
struct StripePlace {
  std::size_t member;
  std::uint64_t offset;
};

// Striped device: unit u is on member u mod N, as the member's unit u / N. A request is split at
// unit boundaries and ends when all its pieces have ended. The members' shared bus moves one piece
// at a time, in FIFO order: before its member writes it, or after its member has read it. A flush
// goes to all members. So does a trim, because the units of its range are one range on each member;
// it takes its turn on the bus, but no time.
class Stripe final : public QueuedDevice<Stripe>, private IoListener {
 public:
  // `parameters` passed check(). `members`: parameters.members devices of equal size.
  Stripe(const StripeParameters& parameters, std::vector<std::unique_ptr<StorageDevice>> members);

  bool takes_trims() const override { return members_.front()->takes_trims(); }
  void begin(std::uint32_t whole, Tick now);  // for QueuedDevice
  void register_statistics(StatisticRegistry& registry, const std::string& path) override;
  BufferedPages buffered_pages() const override;

  Tick next_event() const override;
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

  StripePlace place_of(std::uint64_t offset) const;
  // Returns how many of the first `offset` bytes are on the member. They are its first ones.
  std::uint64_t share_of(std::size_t member, std::uint64_t offset) const;

 private:
  enum class Event : std::uint8_t { moved, last = moved };
  enum class Stage : std::uint8_t { none, bus, member, last = member };

  struct Piece {
    IoRequest request;               // for the member; its tag is the piece's place
    std::uint32_t whole = kNoIndex;  // place in the io_queue
    std::uint32_t member = 0;
    Stage stage = Stage::none;
    std::optional<DeviceTimes> parts;  // of the time in the member, once it has ended

    void serialize(Archive& archive) { archive(request, whole, member, stage, parts); }
  };

  void on_io_done(std::uint32_t tag, Tick now) override;

  void add_piece(std::uint32_t whole, std::size_t member, std::uint64_t offset, std::uint64_t bytes,
                 Tick now);
  void to_bus(std::uint32_t piece, Tick now);
  void move(std::uint32_t piece, Tick now);
  Tick time_on_bus(const IoRequest& request) const;
  void moved(std::uint32_t piece, Tick now);
  void to_member(std::uint32_t piece, Tick now);
  void end_piece(std::uint32_t piece, Tick now);

  const StripeParameters parameters_;
  std::vector<std::unique_ptr<StorageDevice>> members_;
  Pool<Piece> pieces_;
  Server<std::uint32_t> bus_;
  EventQueue<Event> events_;
  Counter pieces_moved_ = 0;
};

}  // namespace hmsim
