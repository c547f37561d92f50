// SPDX-License-Identifier: BSD-3-Clause
#include "storage/stripe.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/errors.h"

namespace hmsim {

namespace {

constexpr std::int64_t kMostMembers = 256;

Bytes whole_size(const StripeParameters& parameters, const StorageDevice& member) {
  return member.capacity() / parameters.unit * parameters.members * parameters.unit;
}

// Returns whether the request passes the bus before its member.
bool goes_in(const IoRequest& request) {
  return request.kind == IoRequest::Kind::write || request.kind == IoRequest::Kind::trim;
}

}  // namespace

void StripeParameters::declare(ParameterSet& set) {
  const ParameterSet::Scope scope(set, "stripe");
  set.integer("members", members, {1, kMostMembers}, "devices",
              {"equal devices that blocks are striped over (RAID-0); 1: a single device",
               "Caulfield et al., SC 2010: 4"});
  set.size("unit", unit, {512, 1LL << 30},
           {"contiguous bytes on one member before the next member follows",
            "Caulfield et al., SC 2010: 64 KiB; disks 128 KiB, at random 16 KiB"});
  set.time("bus", bus,
           {"time of a KiB on the bus that members share, which moves one piece at a time; 0s: no "
            "limit",
            "Caulfield et al., SC 2010 and MICRO 2010: 1.1 GB/s, disks 1 GB/s"});
}

std::vector<ParameterError> StripeParameters::check(Bytes capacity) const {
  std::vector<ParameterError> errors;
  if (unit % Bytes(512) != Bytes(0)) {
    errors.push_back({"storage.stripe.unit",
                      format_size(unit) + " is not a multiple of a sector, 512 B; nearest: " +
                          format_size((unit + Bytes(256)) / 512 * 512)});
  }
  const Bytes row = members * unit;
  if (members > 1 && capacity % row != Bytes(0)) {
    errors.push_back({"storage.capacity",
                      format_size(capacity) + " is not a multiple of " + format_size(row) +
                          ", a unit on each of storage.stripe.members; nearest: " +
                          format_size(later((capacity + row / 2) / row, std::int64_t{1}) * row)});
  }
  return errors;
}

Stripe::Stripe(const StripeParameters& parameters,
               std::vector<std::unique_ptr<StorageDevice>> members)
    : QueuedDevice(whole_size(parameters, *members.front())),
      parameters_(parameters),
      members_(std::move(members)) {
  ensure(members_.size() == static_cast<std::size_t>(parameters_.members), "stripe", Tick(0), -1,
         "another number of members");
  for (const auto& member : members_) {
    ensure(member->capacity() == members_.front()->capacity(), "stripe", Tick(0), -1,
           "members of different sizes");
    member->listen(*this);
  }
}

StripePlace Stripe::place_of(std::uint64_t offset) const {
  const auto size = static_cast<std::uint64_t>(parameters_.unit.value());
  const std::uint64_t unit = offset / size;
  return {static_cast<std::size_t>(unit % members_.size()),
          unit / members_.size() * size + offset % size};
}

std::uint64_t Stripe::share_of(std::size_t member, std::uint64_t offset) const {
  const auto size = static_cast<std::uint64_t>(parameters_.unit.value());
  const std::uint64_t row = size * members_.size();
  const std::uint64_t rest = offset % row - std::min(offset % row, member * size);
  return offset / row * size + std::min(rest, size);
}

void Stripe::begin(std::uint32_t whole, Tick now) {
  const IoRequest request = io_queue_[whole];
  if (!request.moves_data()) {
    const std::uint64_t end = request.offset + request.bytes;
    for (std::size_t member = 0; member < members_.size(); ++member) {
      const std::uint64_t first = share_of(member, request.offset);
      add_piece(whole, member, first, share_of(member, end) - first, now);
    }
    return;
  }
  const auto unit = static_cast<std::uint64_t>(parameters_.unit.value());
  request.each_part(unit, [&](std::uint64_t at, std::uint64_t bytes) {
    const StripePlace place = place_of(at);
    add_piece(whole, place.member, place.offset, bytes, now);
  });
}

void Stripe::add_piece(std::uint32_t whole, std::size_t member, std::uint64_t offset,
                       std::uint64_t bytes, Tick now) {
  const std::uint32_t piece = pieces_.take();
  Piece& record = pieces_[piece];
  record.request = io_queue_[whole];
  record.request.offset = offset;
  record.request.bytes = bytes;
  record.request.tag = piece;
  record.request.barrier = false;  // the whole request has it
  record.whole = whole;
  record.member = static_cast<std::uint32_t>(member);
  io_queue_.add_parts(whole, 1);
  if (goes_in(record.request)) {
    to_bus(piece, now);
  } else {
    to_member(piece, now);
  }
}

void Stripe::to_bus(std::uint32_t piece, Tick now) {
  pieces_[piece].stage = Stage::bus;
  if (parameters_.bus == Tick(0)) {
    moved(piece, now);
  } else if (bus_.offer(piece, now)) {
    move(piece, now);
  }
}

void Stripe::move(std::uint32_t piece, Tick now) {
  events_.schedule(now + time_on_bus(pieces_[piece].request), Event::moved, piece);
}

Tick Stripe::time_on_bus(const IoRequest& request) const {
  return time_of(request.moves_data() ? request.bytes : 0, parameters_.bus);
}

void Stripe::moved(std::uint32_t piece, Tick now) {
  ensure(pieces_[piece].stage == Stage::bus, "stripe", now, piece,
         "end of a move that was not on the bus");
  if (goes_in(pieces_[piece].request)) {
    to_member(piece, now);
  } else {
    end_piece(piece, now);
  }
}

void Stripe::to_member(std::uint32_t piece, Tick now) {
  Piece& record = pieces_[piece];
  record.stage = Stage::member;
  ++pieces_moved_;
  members_[record.member]->submit(record.request, now);
}

void Stripe::on_io_done(std::uint32_t tag, Tick now) {
  ensure(tag < pieces_.size() && pieces_[tag].stage == Stage::member, "stripe", now, tag,
         "completion that was not requested from a member");
  Piece& piece = pieces_[tag];
  piece.parts = members_[piece.member]->ended_times();
  if (piece.parts) {
    (*piece.parts)[DevicePart::transfer] += time_on_bus(piece.request);
  }
  if (piece.request.kind == IoRequest::Kind::read) {
    to_bus(tag, now);
  } else {
    end_piece(tag, now);
  }
}

void Stripe::end_piece(std::uint32_t piece, Tick now) {
  const std::uint32_t whole = pieces_[piece].whole;
  const std::optional<DeviceTimes> parts = pieces_[piece].parts;
  pieces_[piece].stage = Stage::none;
  pieces_.give_back(piece);
  if (io_queue_.end_part(whole)) {
    end(whole, now, parts);
  }
}

Tick Stripe::next_event() const {
  Tick next = events_.next_time();
  for (const auto& member : members_) {
    next = earlier(next, member->next_event());
  }
  return next;
}

Tick Stripe::advance(Tick now) {
  for (Tick next = next_event();; next = next_event()) {
    if (next > now) {
      return next;
    }
    for (const auto& member : members_) {
      if (member->next_event() <= next) {
        member->advance(next);
      }
    }
    while (events_.next_time() <= next) {
      const auto event = events_.pop();
      if (const std::optional<std::uint32_t> piece = bus_.end(event.time)) {
        move(*piece, event.time);
      }
      moved(event.payload, event.time);
    }
  }
}

BufferedPages Stripe::buffered_pages() const {
  BufferedPages all;
  for (const auto& member : members_) {
    all += member->buffered_pages();
  }
  return all;
}

void Stripe::register_statistics(StatisticRegistry& registry, const std::string& path) {
  io_queue_.register_statistics(registry, path);
  const StatisticGroup stripe(registry, path + ".stripe");
  stripe.counter("pieces", "pieces", "requests to members: parts of requests, and flushes",
                 pieces_moved_);
  stripe.level("bus.busy", "", "share of time in which the members' bus moves data", bus_.level());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    members_[i]->register_statistics(registry, path + ".member." + std::to_string(i));
  }
}

void Stripe::serialize(Archive& archive) {
  archive.section("stripe");
  io_queue_.serialize(archive);
  archive(pieces_, bus_, events_, pieces_moved_);
  if (archive.loading()) {
    for (const std::uint32_t piece : pieces_.taken()) {
      const Piece& record = pieces_[piece];
      archive.check_index(record.whole, io_queue_.size(), "piece without a request");
      archive.check_index(record.member, members_.size(), "piece without a member");
      io_queue_.add_parts(record.whole, 1);
    }
    const auto check_piece = each_is_one_of(archive, pieces_.in_use());
    bus_.waiting().each(check_piece);
    events_.each([&](const auto& event) { check_piece(event.payload); });
  }
  for (const auto& member : members_) {
    member->serialize(archive);
  }
}

}  // namespace hmsim
