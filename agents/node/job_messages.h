// SPDX-License-Identifier: BSD-3-Clause
// Events by which threads of a job wake each other, directly or by messages to other tasks. A
// message between tasks of one node takes no time; others cross the network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "agents/node/job_control.h"
#include "agents/node/job_events.h"
#include "agents/node/job_nodes.h"
#include "agents/node/job_threads.h"
#include "agents/node/network.h"
#include "core/archive.h"
#include "core/errors.h"
#include "traces/job_program.h"

namespace hmsim {

class JobMessages final : private NetworkUser {
 public:
  // Sites and job outlive this object.
  JobMessages(const JobNodes& sites, JobControl& job) : job_nodes_(sites), job_(job) {}
  JobMessages(const JobMessages&) = delete;
  JobMessages& operator=(const JobMessages&) = delete;

  // Opens the events; called once, when the sites are open. The program outlives this object.
  // `network` is nullptr if there is one node.
  void open(const JobProgram& program, std::uint32_t tasks, Network* network) {
    program_ = &program;
    tasks_ = tasks;
    network_ = network;
    user_ = network == nullptr ? std::uint16_t{0} : network->join(*this);
    restart();
  }

  // Forgets all wakes and waits.
  void restart() { events_.resize(std::size_t{program_->events()} * tasks_); }

  // Makes the thread wait for an event of its task. Returns whether a wake was already counted.
  bool wait(std::uint32_t thread, std::uint32_t event) {
    return events_.take(in_task(job_nodes_.task_of(thread), event), thread);
  }
  // Wakes an event of the thread's own task. Returns the thread that waited for it.
  std::optional<std::uint32_t> wake(std::uint32_t thread, std::uint32_t event) {
    return events_.wake(in_task(job_nodes_.task_of(thread), event));
  }
  // Performs a JobAction::send of the thread. Returns the thread that it wakes at once.
  std::optional<std::uint32_t> send(std::uint32_t thread, const JobRecord& record, Tick now) {
    const std::uint32_t event = in_task(record.task, record.event);
    const JobNode& from = job_nodes_.of(thread);
    const JobNode& to = job_nodes_.all()[job_nodes_.of_task(record.task)];
    if (&from == &to) {
      return events_.wake(event);
    }
    network_->send({user_, static_cast<std::uint16_t>(from.number),
                    static_cast<std::uint16_t>(to.number), event, record.bytes},
                   now);
    return std::nullopt;
  }

  bool under_way() const { return network_ != nullptr && network_->under_way(user_) > 0; }
  // Raises an error: threads wait, and no thread is left to wake them.
  [[noreturn]] void fail_to_wake(const JobThreads& threads) const {
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

  void serialize(Archive& archive) { archive(events_); }
  // Checks that the waiting threads exist.
  void check(const Archive& archive) const {
    events_.each_waiting([&](std::uint32_t thread, std::uint32_t /*event*/) {
      archive.check_index(thread, job_nodes_.threads(), "invalid thread of a job");
    });
  }

 private:
  void message_arrived(std::uint32_t event, Tick now) override {
    job_.message_arrived(events_.wake(event), now);
  }
  std::uint32_t in_task(std::uint32_t task, std::uint32_t event) const {
    return task * program_->events() + event;
  }

  const JobNodes& job_nodes_;
  JobControl& job_;
  const JobProgram* program_ = nullptr;
  std::uint32_t tasks_ = 0;
  Network* network_ = nullptr;
  std::uint16_t user_ = 0;  // the job's number in the network
  JobEvents events_;        // by task
};

}  // namespace hmsim
