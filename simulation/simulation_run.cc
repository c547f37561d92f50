// SPDX-License-Identifier: BSD-3-Clause
// Run loop of a simulation, and the conditions that end it.
#include <algorithm>
#include <string>

#include "core/errors.h"
#include "simulation/simulation.h"

namespace hmsim {

// Returns when measuring ends regardless of the agents' progress.
Tick Simulation::deadline() const {
  const bool limited = measuring_ && limits_.time != Tick(0) && !agents_.empty();
  return limited ? measured_from_ - epoch_ + limits_.time : kNever;
}

bool Simulation::ended() const {
  return measuring_ &&
         (kernel_.now() >= deadline() || (limits_.steady && steady_.watch->all_steady()) ||
          std::all_of(agents_.begin(), agents_.end(), [](const auto& agent) {
            return agent->finished_once() || !agent->measured();
          }));
}

// Ignores jobs, because some only have instructions that copy.
bool Simulation::every_core_warm() const {
  return options_.warmup_instructions == 0 ||
         std::all_of(agents_.begin(), agents_.end(), [this](const auto& agent) {
           return !agent->traits().is_core ||
                  agent->work(kernel_.now()) >= options_.warmup_instructions;
         });
}

// Runs kernel steps scheduled by `limit`; during warm-up, only one. Returns false if no step is
// scheduled by then.
bool Simulation::go(Tick limit, std::uint64_t& steps) {
  if (measuring_) {
    return kernel_.run(limit, steps);
  }
  --steps;
  return warm_up(limit);
}

// Runs a kernel step or ends the warm-up.
bool Simulation::warm_up(Tick limit) {
  if (!warmup_time_over_) {
    if (kernel_.step(earlier(limit, options_.warmup))) {
      return true;
    }
    if (options_.warmup > limit) {
      return false;
    }
    kernel_.run_until(options_.warmup);
    warmup_time_over_ = true;
  } else if (!kernel_.step(limit)) {
    return false;
  }
  if (every_core_warm()) {
    begin_measuring();
  }
  return true;
}

bool Simulation::run(std::uint64_t steps) {
  return blaming_file([&] {
    try {
      while (steps > 0 && !ended()) {
        const Tick limit = deadline();
        if (!go(limit, steps)) {
          ensure(limit != kNever, "simulation", kernel_.now(), -1,
                 "no event is left, but agents have not finished");
          kernel_.run_until(limit);
        }
      }
    } catch (const InputError&) {
      kernel_.catch_up();  // for the statistics of a partial result
      update_progress();
      throw;
    }
    update_progress();
    check_stall();
    progress_watch_.look(memory_->services(), now());
    check_protocol();
    return ended();
  });
}

bool Simulation::advance(Tick until, std::uint64_t steps, bool to_receipt) {
  if (power_ != Power::on) {
    epoch_ = until == kNever ? epoch_ : later(epoch_, until - kernel_.now());
    return true;
  }
  until -= until == kNever ? Tick(0) : epoch_;
  return blaming_file([&] {
    bool there = false;
    while (steps > 0 && !there && !(to_receipt && session_->has_receipts())) {
      there = !go(until, steps);
    }
    if (there && until != kNever) {
      kernel_.run_until(until);
    }
    kernel_.catch_up();
    update_progress();
    check_protocol();
    return there;
  });
}

// Throws InputError for a request that is stuck, because a run that waits for it would never end.
void Simulation::check_stall() {
  if (limits_.stall == Tick(0) || kernel_.now() <= no_stall_until_) {
    return;
  }
  const Tick since = kernel_.now() - limits_.stall;
  Tick oldest = kernel_.now();
  for (const Requester::Outstanding& each : memory_->outstanding()) {
    oldest = earlier(oldest, each.since.value_or(oldest));
    if (oldest < since) {
      const bool dram = each.request.memory == MemoryClass::dram;
      throw InputError(std::string("frontend.stall_limit: ") + (dram ? "a DRAM " : "an NVDIMM ") +
                       (each.request.flush   ? "flush"
                        : each.request.write ? "write"
                                             : "read") +
                       " of core " + std::to_string(each.request.source) +
                       " has held its queue entry since " + format_time(epoch_ + *each.since) +
                       ", and at " + format_time(now()) +
                       " it is not done: others always go first; set controller.starvation_limit" +
                       ", or policies.harmonic.guard under harmonic scheduling");
    }
  }
  no_stall_until_ = oldest + limits_.stall;
}

void Simulation::check_protocol() {
  if (ended()) {
    watchers_->finish_check(kernel_.now(), memory_->idle());
  }
  watchers_->raise_if_violated();
}

}  // namespace hmsim
