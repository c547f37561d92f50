// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/job_keys.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/units.h"
#include "traces/captured_job.h"
#include "traces/causal_job.h"

namespace hmsim {

namespace {

constexpr std::int64_t kMostCore = 255;

using Numbers = std::vector<std::int64_t>;

std::vector<std::string> formats() {
  std::vector<std::string> names = format_names(TraceKind::jobs);
  for (const std::string& name : format_names(TraceKind::misses)) {
    names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_program(const std::string& format) {
  const FormatDescriptor* found = find_format(format);
  return found != nullptr && found->kind() == TraceKind::jobs;
}

std::optional<std::int64_t> number_up_to(std::int64_t most, std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  const std::size_t last = text.find_last_not_of(' ');
  if (first == std::string_view::npos) {
    return std::nullopt;
  }
  const Parsed<std::int64_t> number = parse_integer(text.substr(first, last - first + 1));
  return number.value && *number.value >= 0 && *number.value <= most ? number.value : std::nullopt;
}

// Returns the numbers and ranges in `text`, such as "1, 4-6", ascending. Empty if the text is
// invalid or repeats a number.
Numbers listed(const std::string& text, std::int64_t most) {
  Numbers numbers;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string_view part = std::string_view(text).substr(from, comma - from);
    const std::size_t dash = part.find('-');
    const auto first = number_up_to(most, part.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : number_up_to(most, part.substr(dash + 1));
    if (!first || !last || *last < *first) {
      return {};
    }
    for (std::int64_t number = *first; number <= *last; ++number) {
      numbers.push_back(number);
    }
    from = comma + 1;
  }
  std::sort(numbers.begin(), numbers.end());
  const bool twice = std::adjacent_find(numbers.begin(), numbers.end()) != numbers.end();
  return twice ? Numbers() : numbers;
}

}  // namespace

void JobKeys::declare(ParameterSet& parameters) {
  trace.declare(parameters, formats());
  parameters.text("cores", cores,
                  {"numbers of the cores on which its threads run: [1, 2, 3], or 1-3; of several "
                   "nodes the first has the first ones, the second has as many, and so on",
                   "the workload's own"});
  CoreParameters::declare_base_cpi(parameters, core.base_cpi);
  parameters.text("nodes", nodes,
                  {"nodes that it is spread over: [0, 1, 2, 3], or 0-3; of n nodes the first has "
                   "tasks 0, n, 2n, the second 1, n + 1, and so on",
                   "the workload's own"});
  parameters.integer("tasks", tasks, {1, 16'384}, "tasks",
                     {"so many run the program at once, each with an equal part of both memories "
                      "of its node to begin its addresses at",
                      "the workload's own"});
  parameters.integer(
      "skip", skip, {0, std::int64_t{1} << 60}, "instructions",
      {"before its first step; of a trace of misses only, with causes those of all its vCPUs",
       "the workload's own"});
  parameters.integer(
      "instructions", instructions, {0, std::int64_t{1} << 60}, "instructions",
      {"after which a thread ends, of a trace of misses; with causes those of all its vCPUs, after "
       "which all threads do; 0: at its end",
       "the workload's own"});
  parameters.integer(
      "flushers", flushers, {0, 64}, "threads",
      {"threads beside it that write to the NVDIMM what it wrote to memory; 0: each "
       "thread writes by itself, and waits until its copy is done; none with a trace that "
       "tells causes, whose kernel's threads write",
       "Linux: one a device"});
  parameters.real("dirty_ratio", dirty_ratio, 0, 1, "of DRAM",
                  {"that may wait for the flushers before threads that write must wait, too",
                   "Linux: vm.dirty_ratio, 20 %"});
  parameters.size("transfer", transfer, {64, 1 << 20},
                  {"the longest transfer that is found in a trace of misses",
                   "Linux: a read-ahead is 128 KiB at most"});
  parameters.integer("transfer_gap", transfer_gap, {1, 1 << 20}, "instructions",
                     {"at most that lie between two misses of one transfer in such a trace",
                      "assumed: a driver takes some hundred from page to page"});
  parameters.boolean(
      "skip_idle", skip_idle,
      {"whether a sleep ends when nothing of the job is going on but sleeps, the one "
       "first that would end first",
       "off: a sleep takes its time"});
}

Numbers JobKeys::node_list() const { return listed(nodes, kMostNodes - 1); }

std::vector<JobCore> JobKeys::node_cores(std::size_t which) const {
  const Numbers all = listed(cores, kMostCore);
  const std::size_t count = all.size() / std::max<std::size_t>(1, node_list().size());
  std::vector<JobCore> found;
  for (std::size_t i = which * count; i < (which + 1) * count; ++i) {
    found.push_back({all[i], core.base_cpi});
  }
  return found;
}

std::vector<ParameterError> JobKeys::check() const {
  std::vector<ParameterError> errors = trace.check(formats());
  const std::size_t count = listed(cores, kMostCore).size();
  const std::size_t on = node_list().size();
  if (count == 0) {
    errors.push_back({"cores", "'" + cores +
                                   "' is no list of cores from 0 to 255, each once, such as "
                                   "[1, 2, 3] or 1-3"});
  }
  if (on == 0) {
    errors.push_back({"nodes", "'" + nodes + "' is no list of nodes from 0 to " +
                                   std::to_string(kMostNodes - 1) +
                                   ", each once, such as [0, 1] or 0-1"});
  } else if (count % on != 0) {
    errors.push_back({"cores", std::to_string(count) + " cores are not as many on each of " +
                                   std::to_string(on) + " nodes: must be a multiple of " +
                                   std::to_string(on)});
  }
  if (tasks < static_cast<std::int64_t>(on)) {
    errors.push_back({"tasks", std::to_string(tasks) + " leave some of its " + std::to_string(on) +
                                   " nodes without any: must be at least " + std::to_string(on)});
  }
  for (const auto& [name, value] :
       {std::pair("skip", skip), std::pair("instructions", instructions)}) {
    if (is_program(trace.format) && value != 0) {
      errors.push_back({name, "must be 0: a program of threads is run from start to end"});
    }
  }
  for (const ParameterError& error : core.check()) {
    errors.push_back(error);
  }
  if (transfer.value() % kLineBytes.value() != 0) {
    errors.push_back({"transfer", "must be a multiple of 64B"});
  }
  return errors;
}

NvdimmIo JobKeys::nvdimm_io(std::size_t which) const {
  NvdimmIo io;
  io.path.max_request = Bytes(std::numeric_limits<std::int64_t>::max());
  io.device.window = node.dma_lines;
  io.device.source = static_cast<std::uint16_t>(node_cores(which).front().number);
  return io;
}

AgentPlacement JobKeys::placement() const {
  AgentPlacement placement{node_list(), "nodes"};
  for (std::size_t which = 0; which < placement.nodes.size(); ++which) {
    placement.cores.push_back(node_cores(which));
  }
  return placement;
}

// With a trace of misses, block requests become transfers only if an engine copies them, or, for
// writes, if flushers do. Otherwise their lines remain misses, which keeps the instructions between
// them.
std::unique_ptr<JobProgram> JobKeys::open(TraceReader reader) const {
  const FormatDescriptor& format = *find_format(trace.format);
  if (format.kind() == TraceKind::jobs) {
    return std::get<OpenJobs>(format.open)(std::move(reader));
  }
  const TransferLimits taken{static_cast<std::uint64_t>(transfer / kLineBytes), transfer_gap};
  const bool engine = node.engine == CopyEngine::dma;
  std::unique_ptr<MissSource> misses = format.misses(std::move(reader), std::nullopt);
  if (misses->causes() != nullptr) {
    return std::make_unique<CausalJob>(std::move(misses), static_cast<std::uint64_t>(skip),
                                       static_cast<std::uint64_t>(instructions), engine,
                                       trace.path);
  }
  return std::make_unique<CapturedJob>(std::move(misses), static_cast<std::uint64_t>(skip),
                                       trace.path, taken, engine, engine || flushers > 0);
}

}  // namespace hmsim
