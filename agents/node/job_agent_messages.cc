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
  less_to_do(now);
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
    less_to_do(now);
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
    less_to_do(now);
  }
  return StintEnd::waits;
}

void JobAgent::complete_pass(Tick now) {
  finish(now);
  account(now);
  timers_.schedule(now, kRestartGap, JobTimers::Kind::start_over, 0);
  notify();
}

// A thread has nothing to do for a while, or a transfer has ended. If all is still now but sleeps,
// they may be skipped; if threads wait, and nobody would wake them, that is an error, not a run
// without an end.
void JobAgent::less_to_do(Tick now) {
  const std::size_t waiting = threads_.count(ThreadState::waiting);
  const std::size_t sleeping = threads_.count(ThreadState::sleeping);
  const std::size_t still =
      waiting + sleeping + threads_.count(ThreadState::done) + threads_.count(ThreadState::idle);
  if (still < threads_.size() || waiting + sleeping == 0) {
    return;
  }
  const bool clean = std::all_of(sites_.begin(), sites_.end(),
                                 [](const JobSite& site) { return site.write_back.clean(); });
  if (!clean || messages_under_way() || !engine_.idle()) {
    return;
  }
  if (sleeping == 0) {
    fail_to_wake();
  } else if (keys_.skip_idle) {
    timers_.skip_to_next(now);
    notify();
  }
}

void JobAgent::fail_to_wake() const {
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
