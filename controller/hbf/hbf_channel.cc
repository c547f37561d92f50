// SPDX-License-Identifier: BSD-3-Clause
#include "controller/hbf/hbf_channel.h"

#include <array>
#include <string>
#include <utility>

#include "controller/hbf/page_lines.h"
#include "core/errors.h"
#include "core/statistic_sums.h"

namespace hmsim {

HbfChannel::HbfChannel(const SystemConfig& config, int index, std::uint64_t seed)
    : MemoryChannel(config.store_data),
      hbf_(config.nvdimm.hbf),
      map_(config),
      period_(config.dram.clock_period()),
      queue_(config, index),
      device_({config.nvdimm.hbf, config.nvdimm.nand, config.nvdimm.capacity, config.store_data},
              *this, queue_.size(), seed),
      pending_(hbf_.pending_writes),
      config_(config),
      to_device_(hbf_.write_rate(), hbf_.write_latency),
      to_host_(hbf_.read_rate(), hbf_.read_latency),
      units_(queue_.size()),
      bytes_(config.store_data ? queue_.size() : 0),
      records_(index, queue_.size()),
      statistics_(static_cast<std::int64_t>(queue_.size())) {}

void HbfChannel::connect(Kernel& kernel, int component, const std::vector<Requester*>& requesters,
                         const SourceProgress& progress) {
  requesters_ = &requesters;
  kernel_ = &kernel;
  wakeup_ = Wakeup(kernel, component);
  device_.attach(kernel);
  queue_.connect(config_, progress);
}

void HbfChannel::send(const Request& request, Tick now) {
  line_.push(request);
  if (!schedule_.admitting) {
    wake(now);
  }
}

void HbfChannel::wake(Tick now) {
  schedule_.wake = earlier(schedule_.wake, now);
  schedule_.others = earlier(schedule_.others, now);
  schedule_.next = earlier(schedule_.next, now);
  wakeup_.notify(schedule_.next);
}

// Requests of this time are admitted by the next advance().
bool HbfChannel::would_wait(MemoryClass /*memory*/) const {
  if (line_.size() + queue_.held() >= queue_.size()) {
    return true;
  }
  bool flush = false;
  line_.each([&flush](const Request& each) { flush = flush || each.flush; });
  return flush;
}

void HbfChannel::pass_flush(Tick now) {
  ensure(flush_sent_, "hbf", now, -1, "end of a flush that was not acknowledged");
  flush_sent_ = false;
  line_.pop();
  wake(now);
}

bool HbfChannel::idle() const { return line_.empty() && queue_.held() == 0 && device_.idle(); }

Tick HbfChannel::find_others() const {
  const Tick change = queue_.held() == 0 ? kNever : queue_.next_change();
  return earlier(earlier(earlier(schedule_.wake, schedule_.phase), change),
                 earlier(commands_.next(), answers_.next()));
}

Tick HbfChannel::advance(Tick now) {
  schedule_.informed = false;
  for (;;) {
    if (schedule_.others <= now || schedule_.may_send || queue_.changed(now)) {
      act(now);
      schedule_.others = find_others();
    } else {
      device_.advance(now);
    }
    schedule_.next = earlier(schedule_.others, device_.next_event());
    if (schedule_.next > now) {
      if (schedule_.informed || !wakeup_.try_advance(schedule_.next)) {
        return schedule_.next;
      }
      now = schedule_.next;
    }
  }
}

// At one time: answers, which free entries and credits, then admissions, sending, and the device.
[[gnu::flatten]] void HbfChannel::act(Tick now) {
  schedule_.wake = kNever;
  if (schedule_.phase <= now) {
    schedule_.phase = kNever;
    schedule_.may_send = true;
  }
  schedule_.admitting = true;
  while (answers_.next() <= now) {
    const Passage answer = answers_.pop();
    deliver(answer, now);
  }
  if (!line_.empty() && !queue_.full()) {
    admit(now);
  }
  schedule_.admitting = false;
  if (schedule_.may_send || queue_.changed(now)) {
    send_waiting(now);
  }
  while (commands_.next() <= now) {
    const Passage command = commands_.pop();
    arrive(command, now);
  }
  device_.advance(now);
}

void HbfChannel::admit(Tick now) {
  while (!line_.empty() && !flush_sent_) {
    const Request& request = line_.front();
    if (request.flush) {
      if (queue_.held() > 0) {
        return;
      }
      flush_sent_ = true;
      schedule_.informed = true;
      const Request flush = request;
      requester_of(flush).on_complete(flush, now);
      return;
    }
    if (queue_.full()) {
      return;
    }
    const NvdimmPlace place = map_.nvdimm(request.address);
    const std::int64_t offset = request.address.value() & (kPageBytes.value() - 1);
    ensure(Bytes(offset) + request.size() <= kPageBytes, "hbf", now,
           static_cast<std::int64_t>(request.id), "request that crosses a page");
    const Transaction& transaction = queue_.admit(request, place.page, now);
    const Request& admitted = transaction.request;
    records_.admitted(transaction.slot, now);
    line_.pop();
    statistics_.nvdimm_occupancy.set(static_cast<std::int64_t>(queue_.held()), now);
    schedule_.may_send = true;
    schedule_.informed = true;
    requester_of(admitted).on_admit(admitted, now);
  }
}

void HbfChannel::send_waiting(Tick now) {
  schedule_.may_send = false;
  queue_.update(now);
  while (outstanding_ < hbf_.outstanding) {
    Transaction* const read = queue_.best(false);
    if (read == nullptr) {
      break;
    }
    send_read(*read, now);
  }
  for (Transaction* write = next_write(now); write != nullptr; write = next_write(now)) {
    send_write(*write, now);
    schedule_.may_send = true;  // it may have released a held read
  }
}

// Returns the write to send, or nullptr. While no page may begin, parts of begun pages pass the
// first part of a new one: their pages occupy the device until they are complete.
Transaction* HbfChannel::next_write(Tick now) {
  Transaction* const oldest = queue_.best(true);
  if (oldest == nullptr || pending_.begun(oldest->row)) {
    return oldest;
  }
  if (pending_.has_room()) {
    if (may_begin_pages(now)) {
      return oldest;
    }
    schedule_.phase = (now / hbf_.write_period + 1) * hbf_.write_period;
  }
  return pending_.any_begun() ? queue_.oldest_write(pending_) : nullptr;
}

void HbfChannel::send_read(Transaction& transaction, Tick now) {
  ++outstanding_;
  header_bytes_ += static_cast<Counter>(hbf_.header.value());
  commands_.push(to_device_.send(hbf_.header, now)) = {transaction.slot, 0, false};
  sent(transaction, now);
}

void HbfChannel::send_write(Transaction& transaction, Tick now) {
  const PendingPages::Part part = pending_.send(transaction.row, lines_of(transaction.request));
  header_bytes_ += static_cast<Counter>(hbf_.header.value());
  const Tick arrival = to_device_.send(hbf_.header + transaction.request.size(), now);
  commands_.push(arrival) = {transaction.slot, part.unit, part.first};
  units_[transaction.slot] = part.unit;
  sent(transaction, now);
}

void HbfChannel::sent(Transaction& transaction, Tick now) {
  queue_.sent(transaction, now);
  records_.sent(transaction.slot, now);
}

void HbfChannel::arrive(const Passage& passage, Tick now) {
  const Transaction& transaction = queue_[passage.slot];
  const LineMask lines = lines_of(transaction.request);
  records_.arrived(passage.slot, now);
  if (transaction.request.write) {
    device_.write(passage.slot, passage.unit, passage.first, transaction.row, lines, now);
    if (bytes_.present() && transaction.state == TransactionState::waiting) {
      bytes_.take(transaction, requester_of(transaction.request), device_.incoming(passage.unit));
    }
  } else {
    device_.read(passage.slot, transaction.row, lines, now);
  }
}

// Returns the bytes that answer a read: its granules.
Bytes HbfChannel::returned(const Request& request) const {
  const std::int64_t granule = hbf_.read_granularity.value();
  const std::int64_t begin = request.address.value() & -granule;  // a power of two
  const std::int64_t end = request.address.value() + request.size().value();
  return Bytes((end - begin + granule - 1) & -granule);
}

void HbfChannel::on_answer(std::uint32_t tag, HbfStatus status, bool pending, Tick begun,
                           Tick now) {
  Transaction& transaction = queue_[tag];
  transaction.request.status = static_cast<std::uint8_t>(status);
  if (bytes_.present() && !transaction.request.write) {
    bytes_.keep(transaction, pending, device_);
  }
  const Tick arrival = transaction.request.write
                           ? to_host_.piggyback(now)
                           : to_host_.send(returned(transaction.request), now);
  answers_.push(arrival) = {tag, units_[tag], false};
  schedule_.others = earlier(schedule_.others, arrival);
  queue_.answered(transaction, now);
  records_.answered(tag, begun, now);
}

void HbfChannel::deliver(const Passage& passage, Tick now) {
  Transaction& transaction = queue_[passage.slot];
  const Request& request = transaction.request;  // remains until the next admission
  if (request.write) {
    pending_.answered(passage.unit, request.status == static_cast<std::uint8_t>(HbfStatus::late));
    ++statistics_.nvdimm_writes;
  } else {
    --outstanding_;
    ++statistics_.nvdimm_reads;
    if (bytes_.present()) {
      bytes_.give(transaction, requester_of(request));
    }
  }
  statistics_.finished(request, statistics_.nvdimm_line_latency, now, period_);
  ++origins_[static_cast<std::size_t>(request.origin)];
  records_.ended(transaction, now);
  queue_.completed(transaction, now);
  schedule_.may_send = true;
  schedule_.informed = true;
  statistics_.nvdimm_occupancy.set(static_cast<std::int64_t>(queue_.held()), now);
  requester_of(request).on_complete(request, now);
  wakeup_.called_back();
}

void HbfChannel::list_outstanding(std::vector<Requester::Outstanding>& requests) const {
  line_.each([&](const Request& each) { requests.push_back({each, false}); });
  queue_.each([&](const Transaction& each) { requests.push_back({each.request, true}); });
}

void HbfChannel::reset_statistics(Tick now) {
  statistics_.reset(now);
  to_device_.reset();
  to_host_.reset();
  header_bytes_ = 0;
  origins_ = {};
  measured_from_ = now;
  device_.reset_statistics(now);
}

void HbfChannel::serialize(Archive& archive) {
  archive.section("hbf");
  statistics_.fold(period_.period());
  archive.fixed(units_);
  archive.check_indices(units_, static_cast<std::size_t>(hbf_.pending_writes),
                        "invalid pending page");
  archive(line_, flush_sent_, outstanding_, commands_, answers_, schedule_.wake, schedule_.phase,
          to_device_, to_host_, header_bytes_, origins_, measured_from_, statistics_, queue_,
          pending_, device_, bytes_, records_);
  if (archive.loading()) {
    schedule_.may_send = true;
    schedule_.others = find_others();
    schedule_.next = earlier(schedule_.others, device_.next_event());
    std::vector<bool> held(queue_.size());
    queue_.each([&](const Transaction& each) { held[each.slot] = true; });
    const auto check = [&](const Passage& each) {
      archive.check(each.slot < held.size() && held[each.slot] &&
                        each.unit < static_cast<std::uint64_t>(hbf_.pending_writes),
                    "request on a link that the channel does not hold");
    };
    commands_.each(check);
    answers_.each(check);
    archive.check(!flush_sent_ || !line_.empty(), "flush that is not in its line");
  }
}

void HbfChannel::register_statistics(StatisticRegistry& registry,
                                     const std::vector<SlowMemory*>& all) {
  std::vector<HbfChannel*> channels;
  for (SlowMemory* const memory : all) {
    channels.push_back(static_cast<HbfChannel*>(memory));
  }
  registry.gauge("hbf.bandwidth_gb_per_s", "GB/s",
                 "data on the links of all channels, both directions together, without headers",
                 [channels] {
                   double rate = 0;
                   for (const HbfChannel* channel : channels) {
                     const auto ps = static_cast<double>(channel->measured().value());
                     const double bytes = static_cast<double>(channel->to_host_.bytes().value()) +
                                          static_cast<double>(channel->to_device_.bytes().value()) -
                                          static_cast<double>(channel->header_bytes_);
                     constexpr double kGigabytesPerSecond = 1e3;  // bytes/ps x 10^12 / 10^9
                     rate += ps == 0 ? 0 : bytes * kGigabytesPerSecond / ps;
                   }
                   return rate;
                 });
  const auto register_lane = [&](const std::string& path, ByteLane HbfChannel::*lane) {
    registry.gauge(path + ".bytes", "B", "bytes on the link in this direction",
                   sum_over(channels, [lane](const HbfChannel& channel) {
                     return (channel.*lane).bytes().value();
                   }));
    registry.ratio(
        path + ".busy", "share of time in which messages occupy the link in this direction",
        sum_over(channels,
                 [lane](const HbfChannel& channel) { return (channel.*lane).busy().value(); }),
        sum_over(channels, [](const HbfChannel& channel) { return channel.measured().value(); }));
  };
  register_lane("hbf.to_device", &HbfChannel::to_device_);
  register_lane("hbf.to_host", &HbfChannel::to_host_);
  registry.counter("hbf.header_bytes", "B", "bytes of commands' headers, part of to_device",
                   members_of(channels, &HbfChannel::header_bytes_));
  constexpr std::array<const char*, kRequestOrigins> kOrigins{"user", "collection", "map",
                                                              "refresh"};
  for (std::size_t origin = 0; origin < kRequestOrigins; ++origin) {
    registry.counter(std::string("hbf.requests.") + kOrigins[origin], "requests",
                     "requests of this origin answered by the flash",
                     members_of(channels, [origin](HbfChannel& channel) -> Counter& {
                       return channel.origins_[origin];
                     }));
  }
  register_hbf_statistics(registry, members_of(channels, &HbfChannel::device_));
}

}  // namespace hmsim
