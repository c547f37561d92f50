// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/simulation.h"

#include <algorithm>
#include <map>
#include <utility>

#include "controller/preconditioned.h"
#include "core/archive.h"
#include "core/checkpoint.h"
#include "core/errors.h"
#include "simulation/buffer_start.h"
#include "simulation/configuration.h"

namespace hmsim {

namespace {

std::uint64_t identity_of(const Assignments& config, const std::vector<Assignments>& agents,
                          const RunOptions& options) {
  Archive archive;
  const auto add = [&archive](const Assignments& assignments) {
    for (Assignment assignment : assignments) {
      archive(assignment);
    }
    archive.section("end");
  };
  add(config);
  for (const Assignments& agent : agents) {
    add(agent);
  }
  RunOptions copy = options;
  archive(copy.seed, copy.warmup, copy.warmup_instructions);
  return hash_bytes(archive.bytes());
}

}  // namespace

Simulation::Simulation(const Assignments& config, const std::vector<Assignments>& agents,
                       const RunOptions& options, const TraceSource& source)
    : options_(options) {
  const Configuration configuration(config, options.policies);
  configuration.throw_if_wrong();
  blame_.needs = memory_needs(configuration);
  try {
    build(configuration, agents, source);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(describe_shortage(blame_.needs));
  }
}

void Simulation::build(const Configuration& configuration, const std::vector<Assignments>& agents,
                       const TraceSource& source) {
  agents_ = create_agents(configuration.frontend(), agents);
  const CoresByNode cores = job_cores(agents_, configuration.frontend().cluster.nodes);
  check_cores(cores);
  identity_ = identity_of(configuration.parameters().values(), agents, options_);
  limits_ = {configuration.frontend().time_limit, configuration.frontend().stall_limit,
             configuration.frontend().until == RunEnd::steady};

  by_hand_ = std::make_unique<ManualRequester>();
  session_ = std::make_unique<SessionByHand>(kernel_);
  nodes_ = std::make_unique<Nodes>(configuration.frontend(), cores);
  std::vector<Wakeup> wakeups;
  for (Agent* agent : all_agents()) {
    wakeups.emplace_back(kernel_, kernel_.attach(*agent));
  }
  storage_ = std::make_unique<StorageSystem>(configuration.storage(), agents_, kernel_,
                                             configuration.frontend().block,
                                             configuration.system().nvdimm.present);
  if (Network* const network = nodes_->network()) {
    network->attach(Wakeup(kernel_, kernel_.attach(*network)));
  }
  SystemConfig system = configuration.system();
  blame_.file = system.nvdimm.present ? system.nvdimm.precondition.load : "";
  if (options_.preconditioning) {
    const auto all = static_cast<double>(preconditioned_pages(system));
    system.nvdimm.precondition.report =
        [this, all, done = std::make_shared<std::uint64_t>(0)](std::uint64_t pages) {
          *done += pages;
          options_.preconditioning(static_cast<double>(*done) / all);
        };
  }
  make_memory(system);
  watchers_ = std::make_unique<Watchers>(options_, configuration.system());
  watchers_->check(configuration.system(), *memory_);
  nodes_->connect(*memory_, configuration.frontend().translation, options_.seed);
  const PreconditionParameters& start = system.nvdimm.precondition;
  if (system.nvdimm.present &&
      (start.starts_resident() || start.buffer == PreconditionBuffer::captured)) {
    const bool to_limits = options_.warmup == Tick(0) && options_.warmup_instructions == 0;
    fill_buffers(*memory_,
                 {start, agents, configuration.frontend(), source, options_.seed, to_limits});
  }
  storage_->connect(configuration.storage(), agents_, *nodes_, *memory_, kernel_, options_.seed,
                    configuration.system().assignments, all_agents().size() + 1);
  memory_->set_requesters(requesters());
  if (agents_.empty()) {
    session_->connect(*memory_, requesters().size() - 1, storage_->of_session());
  }
  connect_agents(source, wakeups);
  const auto prepare = [this] {
    kernel_.catch_up();
    update_progress();
  };
  steady_.watch = std::make_unique<SteadyWatch>(
      agents_, prepare,
      [this] {
        BufferedPages pages = storage_->buffered_pages();
        for (std::size_t i = 0; i < memory_->channels(); ++i) {
          for (const NvdimmModule* module : memory_->nvdimms(i)) {
            pages += module->buffered_pages();
          }
        }
        return pages;
      },
      [this] {
        if (limits_.steady) {
          kernel_.pause();
        }
      });
  register_statistics();
  if (!agents_.empty()) {
    steady_.wakeup = Wakeup(kernel_, kernel_.attach(*steady_.watch));
  }
  if (configuration.frontend().series_interval != Tick(0)) {
    series_ =
        std::make_unique<Series>(registry_, configuration.frontend().series_interval, prepare);
    series_->attach(Wakeup(kernel_, kernel_.attach(*series_)));
  }
  kernel_.notify_all();
  warmup_time_over_ = options_.warmup == Tick(0);
  if (warmup_time_over_ && every_core_warm()) {
    begin_measuring();
  }
}

void Simulation::make_memory(const SystemConfig& system) {
  memory_ = std::make_unique<MemorySystem>(system, kernel_, options_.seed);
  memory_->set_requesters(requesters());
  memory_->set_progress(*this);
}

// Returns the agents of the workload, followed by the cores of the nodes.
std::vector<Agent*> Simulation::all_agents() const {
  std::vector<Agent*> all;
  for (const auto& agent : agents_) {
    all.push_back(agent.get());
  }
  for (const Nodes::Core& core : nodes_->cores()) {
    all.push_back(core.core);
  }
  return all;
}

std::int64_t Simulation::instructions(std::uint16_t source) const {
  std::int64_t sum = 0;
  for (const Agent* agent : all_agents()) {
    if (agent->traits().is_core && agent->core() == source) {
      sum += agent->work(kernel_.now());
    }
  }
  return sum;
}

// Returns the requesters by the index in Request::agent.
std::vector<Requester*> Simulation::requesters() const {
  std::vector<Requester*> requesters;
  for (Agent* agent : all_agents()) {
    requesters.push_back(agent);
  }
  requesters.insert(requesters.begin() + static_cast<std::ptrdiff_t>(agents_.size()),
                    by_hand_.get());
  for (Requester* const device : storage_->requesters()) {
    requesters.push_back(device);
  }
  if (agents_.empty()) {
    requesters.push_back(&session_->requester());
  }
  return requesters;
}

// Connects the cores of nodes first, because jobs begin to run on them at once.
void Simulation::connect_agents(const TraceSource& source, const std::vector<Wakeup>& wakeups) {
  const auto environment_on = [&](const std::vector<std::int64_t>& nodes) {
    AgentEnvironment environment = nodes_->environment(nodes);
    environment.trace = source;
    environment.seed = options_.seed;
    environment.stages = &stages_;
    return environment;
  };
  for (std::size_t i = 0; i < nodes_->cores().size(); ++i) {
    const Nodes::Core& core = nodes_->cores()[i];
    core.core->connect(agents_.size() + 1 + i,
                       environment_on({static_cast<std::int64_t>(core.node)}),
                       wakeups[agents_.size() + i]);
  }
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    AgentEnvironment environment = environment_on(agents_[i]->placement().nodes);
    storage_->provide(environment, i);
    environment.trace_bytes = i < options_.trace_bytes.size() ? options_.trace_bytes[i] : 0;
    agents_[i]->connect(i, environment, wakeups[i]);
  }
  stages_.begin(Tick(0));
}

void Simulation::check_cores(const CoresByNode& of_jobs) const {
  const bool any_measured = std::any_of(agents_.begin(), agents_.end(),
                                        [](const auto& agent) { return agent->measured(); });
  if (!agents_.empty() && !any_measured) {
    throw InputError(
        "agent.0.measured: no agent is measured, so the run would never end: must be true for one "
        "agent");
  }
  std::map<std::int64_t, std::string> driver;
  for (const std::vector<JobCore>& cores : of_jobs) {
    for (const JobCore& core : cores) {
      driver[core.number] = "a core of the node, on which jobs run";
    }
  }
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    const std::int64_t core = agents_[i]->core();
    if (!agents_[i]->traits().is_core) {
      continue;
    }
    const auto [taken, added] = driver.try_emplace(core, "agent " + std::to_string(i));
    if (!added) {
      throw InputError("agent." + std::to_string(i) + ".core: core " + std::to_string(core) +
                       " is " + taken->second + " already");
    }
  }
}

std::vector<ParameterError> Simulation::check(const Assignments& config) {
  return Configuration(config).errors();
}

std::vector<ParameterError> Simulation::check_agent(const Assignments& config,
                                                    const Assignments& agent) {
  const Configuration configuration(config);
  std::vector<ParameterError> errors;
  create_agent(configuration.frontend(), agent, errors);
  return errors;
}

Assignments Simulation::resolve(const Assignments& config) {
  const Configuration configuration(config);
  configuration.throw_if_wrong();
  return configuration.parameters().values();
}

std::vector<ParameterInfo> Simulation::parameters() {
  return Configuration().parameters().describe();
}

std::vector<ParameterInfo> Simulation::agent_parameters(const std::string& kind) {
  const AgentDescriptor* descriptor = find_agent(kind);
  if (descriptor == nullptr) {
    throw InputError("'" + kind + "' is not a kind of agent");
  }
  const std::unique_ptr<Agent> agent = descriptor->make(FrontendParameters());
  ParameterSet parameters;
  agent->declare(parameters);
  return parameters.describe();
}

void Simulation::begin_measuring() {
  measuring_ = true;
  measured_from_ = now();
  for (Agent* agent : all_agents()) {
    agent->begin_measuring(kernel_.now());
  }
  registry_.reset(kernel_.now());
  watchers_->begin_logs(*memory_, *nodes_, agents_, epoch_, now());
  if (series_ != nullptr) {
    series_->begin(kernel_.now());
  }
  if (!agents_.empty()) {
    steady_.watch->begin(kernel_.now());
    steady_.wakeup.notify();
  }
}

void Simulation::blame_file(const Fault& fault) const {
  if (blame_.file.empty()) {
    throw;
  }
  throw InputError(blame_.file + ": its state is inconsistent (" + fault.what() +
                   "); if hmsim wrote this unmodified file, please report this");
}

double Simulation::progress() const {
  double least = 1;
  for (const auto& agent : agents_) {
    if (agent->measured()) {
      least = std::min(least, agent->fraction_done(kernel_.now()));
    }
  }
  if (!measuring_ && !agents_.empty()) {
    return 0;
  }
  const Tick limit = deadline();
  const double left = static_cast<double>((limit - kernel_.now()).value());
  const double whole = static_cast<double>(limits_.time.value());
  return limit == kNever ? least : std::max(least, 1 - left / whole);
}

std::string Simulation::save() {
  Archive archive;
  serialize(archive);
  return seal_checkpoint(archive.bytes(), identity_);
}

void Simulation::load(const std::string& checkpoint, const std::string& file) {
  blame_.file = file;
  Archive archive(open_checkpoint(checkpoint, identity_));
  blaming_file([&] {
    serialize(archive);
    archive.check(archive.at_end(), "it contains more than this simulation's state");
    if (measuring_) {
      watchers_->begin_logs(*memory_, *nodes_, agents_, epoch_, now());
    }
    update_progress();
  });
}

void Simulation::serialize(Archive& archive) {
  archive.section("simulation");
  archive(measuring_, measured_from_, epoch_, power_);
  archive(stages_);
  nodes_->serialize(archive);
  for (Agent* agent : all_agents()) {
    agent->serialize(archive);
  }
  by_hand_->serialize(archive);
  if (agents_.empty()) {
    session_->serialize(archive);
  }
  nodes_->serialize_shared(archive);
  memory_->serialize(archive);
  storage_->serialize(archive);
  if (archive.loading()) {
    memory_->check_loaded(archive, power_ != Power::on);
    no_stall_until_ = Tick(0);
  }
  watchers_->serialize(archive);
  if (series_ != nullptr) {
    series_->serialize(archive);
  }
  steady_.watch->serialize(archive);
  kernel_.serialize(archive);  // last, as it asks every component for its next event
}

}  // namespace hmsim
