// SPDX-License-Identifier: BSD-3-Clause
#include "embed/embed_core.h"

#include <string_view>
#include <utility>

#include "check/protocol_checker.h"
#include "core/archive.h"
#include "core/checkpoint.h"
#include "policies/policy.h"

namespace hmsim {

namespace {

bool begins(const std::string& name, std::string_view with) {
  return name.compare(0, with.size(), with) == 0;
}

// Returns whether the assignments of this name are ignored: the host, or no part, has these
// parameters.
bool is_ignored(const std::string& name, const EmbedParts* parts) {
  const bool declared = parts != nullptr && !begins(name, "storage.paging.") &&
                        (begins(name, "storage.") || begins(name, "frontend.block."));
  return !declared && (begins(name, "frontend.") || begins(name, "storage."));
}

// Returns the configuration of the memory side and sets `values` to all of its parameters, defaults
// and presets filled in.
SystemConfig configuration(const Assignments& given, Assignments& values, EmbedParts* parts,
                           Kernel& kernel) {
  SystemConfig config;
  std::vector<std::unique_ptr<Policy>> policies;
  ParameterSet parameters;
  config.declare(parameters);
  declare_all_policies(parameters, policies);
  if (parts != nullptr) {
    parts->declare(parameters);
  }
  for (const Assignment& assignment : given) {
    if (parts == nullptr && assignment.first == "storage.kind" && assignment.second != "none") {
      throw InputError("storage.kind: must be 'none': the host has its own disks");
    }
    if (!is_ignored(assignment.first, parts)) {
      config.assignments.push_back(assignment);
    }
  }
  std::vector<ParameterError> errors = parameters.apply(config.assignments);
  const auto add = [&errors](std::vector<ParameterError> more) {
    for (ParameterError& error : more) {
      errors.push_back(std::move(error));
    }
  };
  if (errors.empty()) {
    config.resolve_presets();
    errors = config.check();
    if (parts != nullptr && errors.empty()) {
      add(parts->check(config));
    }
    add(check_policies(policies));
  }
  if (!errors.empty()) {
    throw InputError(join_errors(errors));
  }
  if (config.store_data) {
    throw InputError("system.store_data: must be off: the host keeps the data");
  }
  if (config.nvdimm.present && config.nvdimm.precondition.starts_resident()) {
    throw InputError(
        "nvdimm.precondition.buffer: 'resident' needs agents' traces, which the host does not "
        "have: must be 'none', 'dirty' or 'captured'");
  }
  values = parameters.values();
  if (parts != nullptr) {
    parts->attach(kernel, config);
  }
  return config;
}

// Returns the number that checkpoints carry, so that others' are refused.
std::uint64_t identity_of(Assignments values, std::uint64_t seed) {
  Archive archive;
  archive(values, seed);
  return hash_bytes(archive.bytes());
}

}  // namespace

EmbedCore::EmbedCore(const Assignments& parameters, std::uint64_t seed, bool check,
                     const char* noun, const char* name, EmbedParts* parts)
    : memory_(configuration(parameters, values_, parts, kernel_), kernel_, seed),
      capacities_{capacity(MemoryClass::dram), capacity(MemoryClass::nvdimm)},
      identity_(identity_of(values_, seed)),
      noun_(noun),
      name_(name) {
  memory_.set_requesters({this});
  memory_.set_progress(*this);
  if (check) {
    checker_ = std::make_unique<ProtocolChecker>(config());
    checker_->watch(memory_);
  }
  registry_.counter("sim.ticks", "ps", "simulated time measured", {&ticks_});
  registry_.counter("sim.requests", "requests",
                    (noun + std::string("s done while measuring")).c_str(), {&done_});
  memory_.register_statistics(registry_);
  kernel_.notify_all();
  registry_.reset(Tick(0));
}

EmbedCore::~EmbedCore() = default;

// Sends all lines with a byte from `begin` to `last`.
std::int64_t EmbedCore::send_lines(std::uint64_t id, std::uint64_t begin, std::uint64_t last,
                                   Tick now) {
  const auto lines = static_cast<std::int64_t>(last / kLineSize - begin / kLineSize + 1);
  line_.tag = in_flight_.add(id, lines);
  bool waits = false;
  for (std::uint64_t number = begin / kLineSize; number <= last / kLineSize; ++number) {
    waits = send_line(number, now);
  }
  return waits ? lines : 0;
}

void EmbedCore::raise_if_violated() const {
  if (checker_ != nullptr) {
    checker_->raise_if_violated();
  }
}

std::vector<Statistic> EmbedCore::statistics_at(Tick now) {
  ticks_ = static_cast<Counter>((now - measured_from_).value());
  registry_.account(now);
  return registry_.read();
}

void EmbedCore::reset_statistics_at(Tick now) {
  measured_from_ = now;
  registry_.reset(now);
}

std::string EmbedCore::save() {
  Archive archive;
  serialize(archive);
  return seal_checkpoint(archive.bytes(), identity_);
}

void EmbedCore::load(const std::string& state) {
  Archive archive(open_checkpoint(state, identity_));
  serialize(archive);
  if (!archive.at_end()) {
    throw InputError("the checkpoint contains more than this memory's state");
  }
}

void EmbedCore::serialize(Archive& archive) {
  archive.section(name_);
  archive(processed_, measured_from_, ticks_, done_);
  archive.check(processed_ >= Tick(0) && processed_ < kNever && measured_from_ <= processed_,
                "a time is invalid");
  memory_.serialize(archive);
  if (archive.loading()) {
    memory_.check_loaded(archive, false);
    archive.check(memory_.outstanding().empty(),
                  "cannot load a checkpoint: requests are in flight");
  }
  bool checked = checker_ != nullptr;
  archive(checked);
  if (checked != (checker_ != nullptr)) {
    throw InputError("the checkpoint was made with `check` being " +
                     std::string(checked ? "on" : "off"));
  }
  if (checked) {
    checker_->serialize(archive);
  }
  serialize_more(archive);
  kernel_.serialize(archive);
}

}  // namespace hmsim
