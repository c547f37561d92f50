// SPDX-License-Identifier: BSD-3-Clause
#include "controller/port/cxl_port.h"

#include <array>
#include <string>
#include <utility>

#include "core/statistic_sums.h"

namespace hmsim {

namespace {

// Returns a request of the device as its sender sent it.
Request as_sent(Request request) {
  request.arrival -= request.link;
  request.link = Tick(0);
  return request;
}

constexpr std::int64_t kPicosecondsPerNanosecond = 1000;

using Ports = std::vector<CxlPort*>;

void register_lane(StatisticRegistry& registry, const Ports& ports, const std::string& path,
                   const FlitLane& (CxlPort::*lane)() const) {
  registry.ratio(
      path + ".busy", "share of time in which messages occupy the lane",
      sum_over(ports, [lane](const CxlPort& port) { return (port.*lane)().busy().value(); }),
      sum_over(ports,
               [](const CxlPort& port) { return (port.now() - port.measured_from()).value(); }));
  const auto messages = [&](const char* name, const char* description, FlitMessage kind) {
    registry.gauge(path + name, "messages", description,
                   sum_over(ports, [lane, kind](const CxlPort& port) {
                     return (port.*lane)().messages(kind);
                   }));
  };
  messages(".headers", "messages without data", FlitMessage::header);
  messages(".lines", "messages with a line of data", FlitMessage::data);
}

}  // namespace

CxlPort::CxlPort(const PortParameters& parameters, std::unique_ptr<MemoryChannel> device,
                 bool store_data)
    : ChannelFront(std::move(device)),
      store_data_(store_data),
      down_(parameters.down, parameters),
      up_(parameters.up, parameters),
      load_(parameters.load),
      credits_(parameters.credits),
      counts_(device_->statistics()) {
  counts_.device.front = Front::link;
  arrivals_.reserve(static_cast<std::size_t>(parameters.credits));
}

void CxlPort::connect(Kernel& kernel, int component, const std::vector<Requester*>& requesters,
                      const SourceProgress& progress) {
  requesters_ = &requesters;
  wakeup_ = Wakeup(kernel, component);
  device_->connect(kernel, component, stand_ins_, progress);
}

void CxlPort::requesters_set() { stand_ins_.assign(requesters_->size(), this); }

void CxlPort::send(const Request& request, Tick now) {
  if (waiting_.empty() && credits_.available(now)) {
    cross(request, now);
  } else {
    wait(request);
  }
}

[[gnu::noinline]] void CxlPort::wait(const Request& request) {
  waiting_.push(request);
  schedule(credits_.next());
}

void CxlPort::pass_flush(Tick now) {
  device_->pass_flush(now);
  wakeup_.announce(next_);
}

// The request arrives at the device later by the time on the lane, so that waiting for a credit
// counts as waiting for admission. Its sender may send further ones from within on_taken().
HMSIM_INLINE void CxlPort::cross(const Request& request, Tick now) {
  credits_.take();
  const Tick time = down_.send(request.write ? FlitMessage::data : FlitMessage::header, now);
  Request& crossing = arrivals_.place(time);
  crossing = request;
  crossing.link = time - now;
  crossing.arrival += time - now;
  crossing.entered = time;
  schedule(time);
  statistics_.credit_wait.add(now - request.arrival);
  requester_of(request).on_taken(request, now);
}

[[gnu::noinline]] void CxlPort::use_credits(Tick now) {
  while (!waiting_.empty() && credits_.available(now)) {
    const Request request = waiting_.front();
    waiting_.pop();
    cross(request, now);
    wakeup_.called_back();
  }
}

// Returns a credit, which is at the host at `time`.
HMSIM_INLINE void CxlPort::return_credit(Tick time) {
  credits_.give_back(time);
  if (!waiting_.empty()) {
    schedule(time);
  }
}

// Adds an event of the port.
void CxlPort::schedule(Tick event) {
  if (event < next_) {
    next_ = event;
    wakeup_.announce(event);
  }
}

Tick CxlPort::advance(Tick now) {
  Tick device = device_->next_event();
  do {
    if (next_ <= now) {
      act(now);
      device = wakeup_.part_next(*device_, device);
    } else {
      wakeup_.begin_part(next_);
      device = device_->advance(now);
    }
    now = earlier(next_, device);
  } while (wakeup_.try_advance_owner(now));
  return now;
}

HMSIM_INLINE void CxlPort::act(Tick now) {
  while (arrivals_.next() <= now) {
    load_.enter();
    device_->send(arrivals_.pop(), now);
  }
  if (!waiting_.empty()) {
    use_credits(now);
  }
  while (answers_.next() <= now) {
    deliver(answers_.pop(), now);
  }
  next_ = next_of_port();
}

// Credits cause no event while no request waits for one.
Tick CxlPort::next_of_port() const {
  return earlier(waiting_.empty() ? kNever : credits_.next(),
                 earlier(arrivals_.next(), answers_.next()));
}

// The admission of a write is known to the host with its answer. A read's has no message: the
// requester learns of it at once.
void CxlPort::on_admit(const Request& request, Tick now) {
  if (request.write) {
    accept_write(request, now);
    return;
  }
  return_credit(up_.piggyback(now));
  requester_of(request).on_admit(request, now);
}

[[gnu::noinline]] void CxlPort::accept_write(const Request& request, Tick now) {
  const Tick time = up_.send(FlitMessage::header, now);
  return_credit(time);
  answer(request, News::admitted, time, now);
}

void CxlPort::on_complete(const Request& request, Tick now) {
  load_.leave();
  if (request.write || request.flush) {
    end_without_data(request, now);
    return;
  }
  end(request, up_.send(FlitMessage::data, now), statistics_.link_time[0], now);
}

[[gnu::noinline]] void CxlPort::end_without_data(const Request& request, Tick now) {
  if (request.flush) {
    answer(request, News::done, up_.send(FlitMessage::header, now), now);
  } else {
    end(request, up_.piggyback(now), statistics_.link_time[1], now);
  }
}

// Ends a read or write, of which the host learns at `time`.
HMSIM_INLINE void CxlPort::end(const Request& request, Tick time, RepeatedTimes& link_times,
                               Tick now) {
  answer(request, News::done, time, now);
  const Tick link = request.link + time - now;
  link_times.add(link);
  records_.ended(link);
  counts_.latency_of(request).histogram().add((time - request.arrival + request.link).value());
}

HMSIM_INLINE void CxlPort::answer(const Request& request, News news, Tick time, Tick now) {
  Answer& answer = answers_.push(time);
  answer.request = request;
  answer.request.arrival = request.arrival - request.link;
  answer.news = news;
  answer.load = load_.level(now);
  schedule(time);
}

// No answer is sent while one is delivered, so that the reference remains valid.
HMSIM_INLINE void CxlPort::deliver(const Answer& answer, Tick now) {
  ++statistics_.answers[static_cast<std::size_t>(answer.load)];
  if (load_listener_ != nullptr) {
    load_listener_->on_load(answer.load, now);
  }
  const Request& request = answer.request;
  Requester& requester = requester_of(request);
  if (answer.news == News::admitted) {
    requester.on_admit(request, now);
  } else {
    if (carries_bytes(request)) {
      requester.on_read_data(request, read_bytes_.front());
      read_bytes_.pop();
    }
    requester.on_complete(request, now);
  }
  wakeup_.called_back();
}

LineData CxlPort::write_data(const Request& request) const {
  return requester_of(request).write_data(request);
}

void CxlPort::on_read_data(const Request& /*request*/, const LineBytes& bytes) {
  read_bytes_.push(bytes);
}

// Writes that the device's queue has taken survive a power failure. Those that have ended are
// already in the NVDIMM.
void CxlPort::list_outstanding(std::vector<Outstanding>& requests) const {
  waiting_.each([&](const Request& each) { requests.push_back({each, false}); });
  arrivals_.each([&](const Request& each) { requests.push_back({as_sent(each), false}); });
  std::vector<Outstanding> held;
  device_->list_outstanding(held);
  for (const Outstanding& each : held) {
    requests.push_back({as_sent(each.request), each.admitted, each.since});
  }
  answers_.each([&](const Answer& each) {
    if (each.news == News::done) {
      requests.push_back({each.request, !each.request.write});
    }
  });
}

void CxlPort::reset_statistics(Tick now) {
  statistics_ = PortStatistics();
  down_.reset();
  up_.reset();
  measured_from_ = now;
  device_->reset_statistics(now);
}

void CxlPort::serialize(Archive& archive) {
  archive.section("port");
  archive(down_, up_, load_, credits_, waiting_, arrivals_, answers_, read_bytes_, statistics_,
          measured_from_);
  if (archive.loading()) {
    std::size_t reads = 0;
    const auto check = [&](const Request& request) {
      archive.check_index(request.agent, requesters_->size(), "request without a requester");
    };
    waiting_.each(check);
    arrivals_.each(check);
    answers_.each([&](const Answer& each) {
      check(each.request);
      reads += each.news == News::done && carries_bytes(each.request) ? 1 : 0;
    });
    archive.check(read_bytes_.size() == reads, "bytes without a read");
    next_ = next_of_port();
  }
  device_->serialize(archive);
}

void register_port_statistics(StatisticRegistry& registry, const PortPaths& paths,
                              const Ports& ports) {
  for (const bool write : {false, true}) {
    registry.histogram(paths.latency + (write ? "write" : "read") + ".link_ns", "ns",
                       "on the link of the port, both ways", kPicosecondsPerNanosecond,
                       members_of(ports, [write](CxlPort& port) -> Histogram& {
                         return port.port_statistics().link_time[write ? 1 : 0].histogram();
                       }));
  }
  registry.histogram(paths.link + "credit_wait_ns", "ns",
                     "from a request's arrival at the host to its way down the link",
                     kPicosecondsPerNanosecond, members_of(ports, [](CxlPort& port) -> Histogram& {
                       return port.port_statistics().credit_wait.histogram();
                     }));
  registry.on_read([ports] {
    for (CxlPort* port : ports) {
      port->port_statistics().fold();
    }
  });
  register_lane(registry, ports, paths.link + "down", &CxlPort::down);
  register_lane(registry, ports, paths.link + "up", &CxlPort::up);
}

void register_load_statistics(StatisticRegistry& registry, const Ports& ports) {
  constexpr std::array<const char*, kLoadLevels> kLevels{"light", "optimal", "moderate", "severe"};
  for (std::size_t level = 0; level < kLoadLevels; ++level) {
    registry.counter(std::string("cxl.load.") + kLevels[level], "answers",
                     "answers that carried this load level",
                     members_of(ports, [level](CxlPort& port) -> Counter& {
                       return port.port_statistics().answers[level];
                     }));
  }
}

}  // namespace hmsim
