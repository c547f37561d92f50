// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/job_keys.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/text.h"
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
  const Parsed<std::int64_t> number = parse_integer(trimmed(text));
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
                  {"numbers of the cores on which its threads run: [1, 2, 3], or 1-3; several "
                   "nodes divide the list into equal parts, in order",
                   "the workload's own"});
  CoreParameters::declare_base_cpi(parameters, core.base_cpi);
  parameters.text("nodes", nodes,
                  {"nodes that the job is spread over: [0, 1, 2, 3], or 0-3; of n nodes the first "
                   "has tasks 0, n, 2n, the second 1, n + 1, and so on",
                   "the workload's own"});
  parameters.integer("tasks", tasks, {1, 16'384}, "tasks",
                     {"tasks that run the program at once; each places its addresses in an equal "
                      "part of both memories of its node",
                      "the workload's own"});
  parameters.integer("skip", skip, {0, std::int64_t{1} << 60}, "instructions",
                     {"instructions to skip before the first step; for traces of misses only; with "
                      "causes, instructions of all vCPUs together",
                      "the workload's own"});
  parameters.integer(
      "instructions", instructions, {0, std::int64_t{1} << 60}, "instructions",
      {"instructions after which a thread ends; for traces of misses only; with causes, "
       "instructions of all vCPUs together, after which all threads end; 0: to the trace's end",
       "the workload's own"});
  parameters.integer("flushers", flushers, {0, 64}, "threads",
                     {"threads that write back to the NVDIMM what the job wrote to memory; 0: each "
                      "thread writes back itself and waits for its copy; ignored for traces with "
                      "causes, whose kernel threads write",
                      "Linux: one per device"});
  parameters.real("dirty_ratio", dirty_ratio, 0, 1, "of DRAM",
                  {"share that may wait for the flushers before writing threads are throttled",
                   "Linux: vm.dirty_ratio, 20 %"});
  parameters.size("transfer", transfer, {64, 1 << 20},
                  {"the longest transfer that is recognised in a trace of misses",
                   "Linux: a read-ahead is 128 KiB at most"});
  parameters.integer("transfer_gap", transfer_gap, {1, 1 << 20}, "instructions",
                     {"the most instructions between two misses of one transfer in such a trace",
                      "assumed: a driver takes some hundred from page to page"});
  parameters.boolean("skip_idle", skip_idle,
                     {"whether simulated time skips to the earliest wake-up when all threads of "
                      "the job are asleep; every other sleep is shortened by the same amount",
                      "off: a sleep takes its full time"});
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
    errors.push_back(
        {"cores", "'" + cores +
                      "' is not a list of distinct cores from 0 to 255, such as [1, 2, 3] or 1-3"});
  }
  if (on == 0) {
    errors.push_back({"nodes", "'" + nodes + "' is not a list of distinct nodes from 0 to " +
                                   std::to_string(kMostNodes - 1) + ", such as [0, 1] or 0-1"});
  } else if (count % on != 0) {
    errors.push_back({"cores", std::to_string(count) + " cores cannot be divided evenly among " +
                                   std::to_string(on) + " nodes: must be a multiple of " +
                                   std::to_string(on)});
  }
  if (tasks < static_cast<std::int64_t>(on)) {
    errors.push_back({"tasks", std::to_string(tasks) + " leave some of its " + std::to_string(on) +
                                   " nodes without a task: must be at least " +
                                   std::to_string(on)});
  }
  for (const auto& [name, value] :
       {std::pair("skip", skip), std::pair("instructions", instructions)}) {
    if (is_program(trace.format) && value != 0) {
      errors.push_back({name, "must be 0: a program of threads is run from start to end"});
    }
  }
  append(errors, core.check());
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
