// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/job_messages.h"

#include <string>

#include "core/errors.h"

namespace hmsim {

void JobMessages::open(const JobProgram& program, std::uint32_t tasks, Network* network) {
  program_ = &program;
  tasks_ = tasks;
  network_ = network;
  user_ = network == nullptr ? std::uint16_t{0} : network->join(*this);
  restart();
}

void JobMessages::restart() { events_.resize(std::size_t{program_->events()} * tasks_); }

std::optional<std::uint32_t> JobMessages::send(std::uint32_t thread, const JobRecord& record,
                                               Tick now) {
  const std::uint32_t event = in_task(record.task, record.event);
  const JobNode& from = job_nodes_.of(thread);
  const JobNode& to = job_nodes_.all()[job_nodes_.of_task(record.task)];
  if (&from == &to) {
    return events_.wake(event);
  }
  Network::Message message;
  message.user = user_;
  message.from = static_cast<std::uint16_t>(from.number);
  message.to = static_cast<std::uint16_t>(to.number);
  message.event = event;
  message.bytes = record.bytes;
  network_->send(message, now);
  return std::nullopt;
}

void JobMessages::fail_to_wake(const JobThreads& threads) const {
  std::string message;
  events_.each_waiting([&](std::uint32_t thread, std::uint32_t event) {
    const JobPlace& place = threads[thread].place;
    if (message.empty()) {
      message = program_->where(place) + ": thread '" + program_->name_of(place.thread) +
                "' of task " + std::to_string(job_nodes_.task_of(thread)) + " waits for '" +
                program_->event_name(event % program_->events()) +
                "', which no thread can wake: the job's other threads have ended, or wait";
    }
  });
  throw InputError(message);
}

void JobMessages::check(const Archive& archive) const {
  events_.each_waiting([&](std::uint32_t thread, std::uint32_t /*event*/) {
    archive.check_index(thread, job_nodes_.threads(), "invalid thread of a job");
  });
}

}  // namespace hmsim
