// SPDX-License-Identifier: BSD-3-Clause
#include "storage/stripe.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/errors.h"
#include "storage/statistics.h"

namespace hmsim {

namespace {

constexpr std::int64_t kMostMembers = 256;

Bytes whole_size(const StripeParameters& parameters, const StorageDevice& member) {
  return member.capacity() / parameters.unit * parameters.members * parameters.unit;
}

}  // namespace

void StripeParameters::declare(ParameterSet& set) {
  const ParameterSet::Scope scope(set, "stripe");
  set.integer("members", members, {1, kMostMembers}, "devices",
              {"equal devices that blocks are striped over (RAID-0); 1: a device by itself",
               "Caulfield et al., SC 2010: 4"});
  set.size("unit", unit, {512, 1LL << 30},
           {"bytes on one member before the next one's begin",
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
    : parameters_(parameters),
      members_(std::move(members)),
      intake_(whole_size(parameters, *members_.front())) {
  ensure(members_.size() == static_cast<std::size_t>(parameters_.members), "stripe", Tick(0), -1,
         "it has another number of members");
  for (const auto& member : members_) {
    ensure(member->capacity() == members_.front()->capacity(), "stripe", Tick(0), -1,
           "members differ in size");
    member->listen(*this);
  }
}

StripePlace Stripe::place_of(std::uint64_t offset) const {
  const auto size = static_cast<std::uint64_t>(parameters_.unit.value());
  const std::uint64_t unit = offset / size;
  return {static_cast<std::size_t>(unit % members_.size()),
          unit / members_.size() * size + offset % size};
}

void Stripe::submit(const IoRequest& request, Tick now) {
  intake_.take(request, now);
  start(now);
}

void Stripe::start(Tick now) {
  for (std::uint32_t whole = intake_.next(); whole != kNoIndex; whole = intake_.next()) {
    split(whole, now);
  }
}

void Stripe::split(std::uint32_t whole, Tick now) {
  const IoRequest request = intake_[whole];
  left_.resize(std::max<std::size_t>(left_.size(), intake_.size()));
  if (request.kind == IoRequest::Kind::flush) {
    for (std::size_t member = 0; member < members_.size(); ++member) {
      add_piece(whole, member, 0, 0, now);
    }
    return;
  }
  const auto unit = static_cast<std::uint64_t>(parameters_.unit.value());
  const std::uint64_t end = request.offset + request.bytes;
  for (std::uint64_t at = request.offset; at < end;) {
    const std::uint64_t next = std::min(end, (at / unit + 1) * unit);
    const StripePlace place = place_of(at);
    add_piece(whole, place.member, place.offset, next - at, now);
    at = next;
  }
}

void Stripe::add_piece(std::uint32_t whole, std::size_t member, std::uint64_t offset,
                       std::uint64_t bytes, Tick now) {
  const std::uint32_t piece = pieces_.take();
  Piece& record = pieces_[piece];
  record.request = intake_[whole];
  record.request.offset = offset;
  record.request.bytes = bytes;
  record.request.tag = piece;
  record.request.barrier = false;  // the whole keeps it
  record.whole = whole;
  record.member = static_cast<std::uint32_t>(member);
  ++left_[whole];
  if (record.request.kind == IoRequest::Kind::write) {
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
  events_.schedule(now + time_of(pieces_[piece].request.bytes, parameters_.bus), Event::moved,
                   piece);
}

void Stripe::moved(std::uint32_t piece, Tick now) {
  if (pieces_[piece].request.kind == IoRequest::Kind::write) {
    to_member(piece, now);
  } else {
    end(piece, now);
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
         "a member ends what it was not asked");
  if (pieces_[tag].request.kind == IoRequest::Kind::read) {
    to_bus(tag, now);
  } else {
    end(tag, now);
  }
}

void Stripe::end(std::uint32_t piece, Tick now) {
  const std::uint32_t whole = pieces_[piece].whole;
  pieces_[piece].stage = Stage::none;
  pieces_.give_back(piece);
  if (--left_[whole] == 0) {
    intake_.end(whole, now);
    start(now);
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

void Stripe::account(Tick now) {
  intake_.account(now);
  bus_.level().account(now);
  for (const auto& member : members_) {
    member->account(now);
  }
}

void Stripe::register_statistics(StatisticRegistry& registry, const std::string& path) {
  intake_.register_statistics(registry, path);
  registry.counter(path + ".stripe.pieces", "pieces",
                   "parts of requests, and flushes, that members were asked", {&pieces_moved_});
  register_level(registry, path + ".stripe.bus.busy", "",
                 "share of time in which members' bus moves data", bus_.level());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    members_[i]->register_statistics(registry, path + ".member." + std::to_string(i));
  }
}

void Stripe::serialize(Archive& archive) {
  archive.section("stripe");
  intake_.serialize(archive);
  archive(left_, pieces_, bus_, events_, pieces_moved_);
  if (archive.loading()) {
    check_loaded(archive);
  }
  for (std::uint32_t number = 0; number < members_.size(); ++number) {
    StorageDevice& member = *members_[number];
    member.serialize(archive);
    if (archive.loading()) {
      archive.check(asked_of(number) == member.under_way(), "a stripe's member has other pieces");
    }
  }
}

// The tags of what a member was asked and has not ended, ascending.
std::vector<std::uint32_t> Stripe::asked_of(std::uint32_t member) const {
  std::vector<std::uint32_t> tags;
  for (std::uint32_t piece = 0; piece < pieces_.size(); ++piece) {
    if (pieces_[piece].stage == Stage::member && pieces_[piece].member == member) {
      tags.push_back(piece);
    }
  }
  return tags;
}

// Each piece belongs to a request that has started, and is on the bus, waits for it, or is its
// member's.
void Stripe::check_loaded(const Archive& archive) const {
  constexpr const char* kWrong = "the pieces of a stripe do not hold together";
  const auto size = static_cast<std::uint64_t>(members_.front()->capacity().value());
  Places wholes = intake_.started(archive);
  std::vector<std::uint32_t> left(left_.size());
  std::size_t on_bus = 0;
  const std::vector<bool> used = pieces_.in_use();
  for (std::uint32_t piece = 0; piece < pieces_.size(); ++piece) {
    const Piece& record = pieces_[piece];
    archive.check(used[piece] == (record.stage != Stage::none), kWrong);
    if (!used[piece]) {
      continue;
    }
    archive.check(record.whole < left.size() && record.whole < intake_.size(), kWrong);
    archive.check_index(record.member, members_.size(), kWrong);
    const IoRequest& request = record.request;
    const bool moves = request.kind != IoRequest::Kind::flush;
    archive.check(moves == (request.bytes > 0) && request.bytes <= size &&
                      request.offset <= size - request.bytes && request.tag == piece &&
                      request.kind == intake_[record.whole].kind && !request.barrier,
                  kWrong);
    if (left[record.whole]++ == 0) {
      wholes.take(record.whole);
    }
    on_bus += record.stage == Stage::bus ? 1 : 0;
  }
  archive.check(wholes.all() && left == left_, kWrong);
  Places bus(archive, pieces_.size(), kWrong);
  const auto take = [&](std::uint32_t piece) {
    bus.take(piece);
    archive.check(pieces_[piece].stage == Stage::bus, kWrong);
  };
  std::size_t moving = 0;
  bus_.waiting().each(take);
  events_.each([&](const auto& event) {
    archive.check(event.time >= Tick(0) && event.time < kNever, kWrong);
    take(event.payload);
    ++moving;
  });
  archive.check(bus.count() == on_bus && moving == (bus_.busy() ? 1 : 0), kWrong);
}

}  // namespace hmsim
