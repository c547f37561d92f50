// SPDX-License-Identifier: BSD-3-Clause
// How threads of a job wake each other, on one node or over the network, and how the job ends.
#include <algorithm>
#include <string>

#include "agents/node/job_agent.h"
#include "core/errors.h"

namespace hmsim {

StintEnd JobAgent::wait(std::uint32_t number, std::uint32_t event, Tick now) {
  if (events_.take(event, number)) {
    return StintEnd::goes_on;
  }
  enter(number, ThreadState::waiting, now);
  check_alive();
  return StintEnd::waits;
}

void JobAgent::wake(std::uint32_t event, Tick now) {
  if (const auto woken = events_.wake(event)) {
    make_ready(*woken, true, now);
  }
}

// Between tasks of a node a message takes no time.
void JobAgent::send_message(std::uint32_t number, Tick now) {
  const JobRecord& record = threads_[number].record;
  const std::uint32_t event = record.task * program_->events() + record.event;
  const JobSite& from = site_of(number);
  const JobSite& to = sites_[site_of_task(record.task)];
  if (&from == &to) {
    wake(event, now);
    return;
  }
  Network::Message message;
  message.user = network_user_;
  message.from = static_cast<std::uint16_t>(from.number);
  message.to = static_cast<std::uint16_t>(to.number);
  message.event = event;
  message.bytes = record.bytes;
  environment().network->send(message, now);
}

void JobAgent::message_arrived(std::uint32_t event, Tick now) {
  wake(event, now);
  if (has_ended()) {
    complete_pass(now);
  } else {
    check_alive();
  }
}

bool JobAgent::messages_under_way() const {
  const Network* const network = environment().network;
  return network != nullptr && network->under_way(network_user_) > 0;
}

bool JobAgent::has_ended() const {
  return threads_.count(ThreadState::done) == program_threads() && !messages_under_way();
}

StintEnd JobAgent::end_thread(std::uint32_t number, Tick now) {
  enter(number, ThreadState::done, now);
  if (has_ended()) {
    complete_pass(now);
  } else {
    check_alive();
  }
  return StintEnd::waits;
}

void JobAgent::complete_pass(Tick now) {
  finish(now);
  account(now);
  timers_.schedule(now + kRestartGap, Timer::start_over, 0);
  notify();
}

// Nobody would wake them: an error, not a run without an end.
void JobAgent::check_alive() const {
  const std::size_t waiting = threads_.count(ThreadState::waiting);
  const std::size_t stuck =
      waiting + threads_.count(ThreadState::done) + threads_.count(ThreadState::idle);
  const bool clean = std::all_of(sites_.begin(), sites_.end(),
                                 [](const JobSite& site) { return site.write_back.clean(); });
  if (waiting == 0 || stuck < threads_.size() || !clean || messages_under_way()) {
    return;
  }
  std::string message;
  events_.each_waiting([&](std::uint32_t thread, std::uint32_t event) {
    const JobPlace& place = threads_[thread].place;
    if (message.empty()) {
      message = program_->where(place) + ": thread '" + program_->name_of(place.thread) +
                "' of task " + std::to_string(task_of(thread)) + " waits for '" +
                program_->event_name(event % program_->events()) +
                "', which nobody is left to wake: the job's other threads have ended, or wait";
    }
  });
  throw InputError(message);
}

}  // namespace hmsim
