// SPDX-License-Identifier: BSD-3-Clause
#include "controller/port/cxl_port.h"

#include <utility>

#include "core/errors.h"

namespace hmsim {

CxlPort::CxlPort(const PortParameters& parameters, std::unique_ptr<MemoryChannel> device,
                 bool store_data)
    : MemoryChannel(false),
      store_data_(store_data),
      device_(std::move(device)),
      down_(parameters.down, parameters),
      up_(parameters.up, parameters),
      load_(parameters.load),
      credits_(parameters.credits) {
  device_->set_answer_path(this);
}

void CxlPort::attach(Kernel& kernel, const std::vector<Requester*>& requesters,
                     const SourceProgress& progress) {
  requesters_ = &requesters;
  wakeup_ = Wakeup(kernel, kernel.attach(*this));
  device_->attach(kernel, stand_ins_, progress);
}

void CxlPort::requesters_set() { stand_ins_.assign(requesters_->size(), this); }

void CxlPort::send(const Request& request, Tick now) {
  const std::uint32_t index = crossings_.take();
  crossings_[index].request = request;
  take_credits(now);
  if (credits_ == 0 || !waiting_.empty()) {
    waiting_.push(index);
  } else {
    cross(index, now);
  }
  if (arrivals_.size() == 1 || !waiting_.empty()) {
    wakeup_.notify(next_event());
  }
}

// Sends a request to the device. Precondition: there is a credit.
void CxlPort::cross(std::uint32_t index, Tick now) {
  Crossing& crossing = crossings_[index];
  --credits_;
  const Tick arrival = down_.send(message_to_device(crossing.request), now);
  crossing.down = arrival - now;
  crossing.stage = Stage::travelling;
  arrivals_.push({arrival, index});
  statistics_.credit_wait.add((now - crossing.request.arrival).value());
}

// Credits cause no event of their own while no request waits for one.
void CxlPort::take_credits(Tick now) {
  while (!credit_returns_.empty() && credit_returns_.front() <= now) {
    credit_returns_.pop();
    ++credits_;
  }
}

void CxlPort::use_credits(Tick now) {
  take_credits(now);
  while (credits_ > 0 && !waiting_.empty()) {
    const std::uint32_t index = waiting_.front();
    waiting_.pop();
    cross(index, now);
  }
}

Tick CxlPort::next_event() const {
  const Tick credit =
      waiting_.empty() || credit_returns_.empty() ? kNever : credit_returns_.front();
  return earlier(credit, earlier(arrivals_.empty() ? kNever : arrivals_.front().time,
                                 answers_.empty() ? kNever : answers_.front().time));
}

Tick CxlPort::advance(Tick now) {
  while (!arrivals_.empty() && arrivals_.front().time <= now) {
    const std::uint32_t index = arrivals_.front().crossing;
    arrivals_.pop();
    crossings_[index].stage = Stage::device;
    load_.enter();
    device_->send(at_device(index), now);
  }
  if (!waiting_.empty()) {
    use_credits(now);
  }
  while (!answers_.empty() && answers_.front().time <= now) {
    const Answer answer = answers_.front();
    answers_.pop();
    deliver(answer, now);
  }
  return next_event();
}

// Returns a request as the device sees it. It arrives later by the time on the lane, so that
// waiting for a credit counts as waiting for admission.
Request CxlPort::at_device(std::uint32_t index) const {
  Request request = crossings_[index].request;
  request.tag = index;
  request.arrival += crossings_[index].down;
  return request;
}

// The admission of a write is known to the host with its answer. A read's has no message: the
// requester learns of it at once.
void CxlPort::on_admit(const Request& request, Tick now) {
  Crossing& crossing = crossings_.held(request.tag);
  crossing.admitted = true;
  if (request.write) {
    credit_returns_.push(up_.send(FlitMessage::header, now));
    answer(credit_returns_.back(), request.tag, News::admitted, now);
    return;
  }
  credit_returns_.push(up_.piggyback(now));
  if (!waiting_.empty()) {
    wakeup_.notify(next_event());
  }
  const Request original = crossing.request;
  requester_of(original).on_admit(original, now);
}

void CxlPort::on_complete(const Request& request, Tick now) {
  load_.leave();
  Crossing& crossing = crossings_.held(request.tag);
  crossing.stage = Stage::done;
  if (request.flush) {
    credit_returns_.push(up_.send(FlitMessage::header, now));
    answer(credit_returns_.back(), request.tag, News::done, now);
    return;
  }
  const Tick time = request.write ? up_.piggyback(now) : up_.send(FlitMessage::data, now);
  statistics_.link_time[request.write ? 1 : 0].add((crossing.down + time - now).value());
  answer(time, request.tag, News::done, now);
}

Tick CxlPort::link_time(const Request& request, Tick now) const {
  return crossings_.held(request.tag).down + end_known(request, now) - now;
}

void CxlPort::answer(Tick time, std::uint32_t crossing, News news, Tick now) {
  answers_.push({time, crossing, news, load_.level(now)});
  if (answers_.size() == 1 || !waiting_.empty()) {
    wakeup_.notify(next_event());
  }
}

void CxlPort::deliver(const Answer& answer, Tick now) {
  ++statistics_.answers[static_cast<std::size_t>(answer.load)];
  if (load_listener_ != nullptr) {
    load_listener_->on_load(answer.load, now);
  }
  const Request request = crossings_[answer.crossing].request;
  Requester& requester = requester_of(request);
  if (answer.news == News::admitted) {
    requester.on_admit(request, now);
  } else {
    if (store_data_ && !request.write && !request.flush) {
      requester.on_read_data(request, read_bytes_[answer.crossing]);
    }
    crossings_.give_back(answer.crossing);
    requester.on_complete(request, now);
  }
  wakeup_.called_back();
}

LineData CxlPort::write_data(const Request& request) const {
  const Request& original = crossings_.held(request.tag).request;
  return requester_of(original).write_data(original);
}

void CxlPort::on_read_data(const Request& request, const LineBytes& bytes) {
  if (read_bytes_.size() <= request.tag) {
    read_bytes_.resize(crossings_.size());
  }
  read_bytes_[request.tag] = bytes;
}

// Writes that the device's queue has taken survive a power failure. Those that have ended are
// already in the NVDIMM.
void CxlPort::list_outstanding(std::vector<Outstanding>& requests) const {
  std::vector<Outstanding> held;
  device_->list_outstanding(held);
  std::vector<std::optional<Tick>> since(crossings_.size());
  for (const Outstanding& each : held) {
    if (crossings_.holds(each.request.tag)) {
      since[each.request.tag] = each.since;
    }
  }
  for (const std::uint32_t index : crossings_.taken()) {
    const Crossing& crossing = crossings_[index];
    const bool over = crossing.stage == Stage::done && crossing.request.write;
    requests.push_back({crossing.request, crossing.admitted && !over, since[index]});
  }
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
  archive(down_, up_, load_, credits_, credit_returns_, crossings_, waiting_, arrivals_, answers_,
          statistics_, measured_from_);
  if (store_data_) {
    archive(read_bytes_);
  }
  if (archive.loading()) {
    const auto check = [&](std::uint32_t index) {
      archive.check(crossings_.holds(index), "request on a link that the port does not hold");
    };
    waiting_.each(check);
    arrivals_.each([&](const Arrival& each) { check(each.crossing); });
    answers_.each([&](const Answer& each) { check(each.crossing); });
    archive.check(credits_ >= 0, "negative number of credits");
    for (const std::uint32_t index : crossings_.taken()) {
      archive.check_index(crossings_[index].request.agent, requesters_->size(),
                          "request without a requester");
    }
  }
  device_->serialize(archive);
}

}  // namespace hmsim
