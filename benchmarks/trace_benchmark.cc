// SPDX-License-Identifier: BSD-3-Clause
// Reads a trace and prints records and processor seconds as JSON. benchmarks/traces.py runs it for
// all formats and counts host instructions.
//
//   trace_benchmark FORMAT FILE read|agent|job RECORDS
//
// FILE is unpacked: text, or hmsim's format as a reader receives it. `read` only decodes records.
// `agent` also runs an agent of the format's kind, whose requests an unlimited memory answers after
// 50 ns. `job` does the same with a single-threaded job on one core, made from a trace of misses.
// The run ends with the trace, or after RECORDS records or requests.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "agents/agent.h"
#include "agents/node/node.h"
#include "agents/translation.h"
#include "core/errors.h"
#include "core/kernel.h"
#include "core/ring.h"
#include "storage/nvdimm_host.h"
#include "traces/trace_formats.h"

namespace hmsim {
namespace {

constexpr Tick kLatency = 50 * kNanosecond;
constexpr Bytes kCapacity{std::int64_t{1} << 33};

class Memory final : public MemoryPort, public Component {
 public:
  // Accepts at most `most` requests.
  explicit Memory(std::uint64_t most) : most_(most) {}

  // `requesters` are indexed by Request::agent.
  void connect(std::vector<Requester*> requesters, Wakeup wakeup) {
    requesters_ = std::move(requesters);
    wakeup_ = wakeup;
  }
  std::uint64_t sent() const { return sent_; }

  void send(Request& request, Tick now) override {
    ++sent_;
    due_.push(std::pair(now + kLatency, request));
    if (sent_ < most_) {
      requesters_[request.agent]->on_admit(request, now);
    }
    wakeup_.notify();
  }
  Bytes capacity(MemoryClass /*memory*/) const override { return kCapacity; }
  std::int64_t trim(Address /*address*/, Bytes /*size*/, Tick /*now*/) override { return 0; }
  Tick next_event() const override { return due_.empty() ? kNever : due_.front().first; }
  Tick advance(Tick now) override {
    while (!due_.empty() && due_.front().first <= now) {
      const Request request = due_.front().second;
      due_.pop();
      requesters_[request.agent]->on_complete(request, now);
    }
    return next_event();
  }
  void serialize(Archive& /*archive*/) override {}

 private:
  std::vector<Requester*> requesters_;
  Wakeup wakeup_;
  Ring<std::pair<Tick, Request>> due_;
  std::uint64_t most_;
  std::uint64_t sent_ = 0;
};

const FormatDescriptor& format_of(const std::string& name) {
  const FormatDescriptor* format = find_format(name);
  if (format == nullptr || format->kind() == TraceKind::instructions ||
      format->kind() == TraceKind::jobs) {
    throw InputError("unknown format: " + name);
  }
  return *format;
}

const char* agent_of(TraceKind kind) {
  if (kind == TraceKind::misses) {
    return "llc_trace";
  }
  return kind == TraceKind::accesses ? "memory_trace" : "block_trace";
}

template <class Record, class Source>
std::uint64_t count(Source source, std::uint64_t most) {
  std::uint64_t records = 0;
  for (Record record; records < most && source->next(record);) {
    ++records;
  }
  return records;
}

std::uint64_t read(const std::string& name, TraceReader reader, std::uint64_t most) {
  const FormatDescriptor& format = format_of(name);
  if (format.kind() == TraceKind::misses) {
    return count<Miss>(format.misses(std::move(reader), std::nullopt), most);
  }
  if (format.kind() == TraceKind::accesses) {
    return count<Access>(format.accesses(std::move(reader)), most);
  }
  return count<BlockRequest>(format.blocks(std::move(reader)), most);
}

std::uint64_t drive(const std::string& format, const std::string& file, TraceSource source,
                    std::uint64_t most, bool job) {
  FrontendParameters defaults;
  defaults.node.mshrs = kWindowOnly;
  const char* const kind = job ? "job" : agent_of(format_of(format).kind());
  const std::unique_ptr<Agent> agent = find_agent(kind)->make(defaults);
  ParameterSet parameters;
  agent->declare(parameters);
  parameters.apply({{"path", file}, {"format", format}});
  if (job) {
    parameters.apply({{"flushers", "0"}});
  }
  Node node(defaults, agent->placement().cores_of(0));
  Kernel kernel;
  Memory memory(most);
  Translation translation(TranslationKind::modulo, kCapacity, 1);
  const Wakeup wakeup(kernel, kernel.attach(*agent));
  std::vector<Requester*> requesters{agent.get()};
  std::vector<Wakeup> wakeups;
  for (std::size_t i = 0; i < node.size(); ++i) {
    requesters.push_back(&node.core(i));
    wakeups.emplace_back(kernel, kernel.attach(node.core(i)));
  }
  AgentEnvironment environment;
  std::unique_ptr<NvdimmHost> io;
  if (const std::optional<NvdimmIo> own = agent->nvdimm_io(0)) {
    io = std::make_unique<NvdimmHost>(*own);
    io->device.connect(memory, static_cast<std::uint16_t>(requesters.size()));
    io->host.attach(Wakeup(kernel, kernel.attach(io->host)));
    requesters.push_back(&io->device);
    environment.storage = &io->host;
  }
  memory.connect(requesters, Wakeup(kernel, kernel.attach(memory)));
  environment.port = &memory;
  environment.translation = &translation;
  environment.node = &node;
  environment.nodes = {environment};
  environment.trace = std::move(source);
  for (std::size_t i = 0; i < node.size(); ++i) {
    node.core(i).connect(1 + i, environment, wakeups[i]);
  }
  agent->connect(0, environment, wakeup);
  agent->begin_measuring(Tick(0));
  kernel.notify_all();
  while (memory.sent() < most && !agent->finished_once() && kernel.step(kNever)) {
  }
  return memory.sent();
}

int run(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: trace_benchmark FORMAT FILE read|agent RECORDS\n");
    return 2;
  }
  const std::string format = argv[1];
  const std::string file = argv[2];
  const std::string part = argv[3];
  const std::uint64_t most = std::strtoull(argv[4], nullptr, 10);
  std::ostringstream content;
  content << std::ifstream(file, std::ios::binary).rdbuf();
  const std::string text = content.str();
  const TraceSource source = [&text](std::size_t, std::uint64_t offset) {
    return offset < text.size() ? text.substr(offset, 1 << 20) : std::string();
  };
  const std::clock_t begin = std::clock();
  const std::uint64_t records = part == "read"
                                    ? read(format, TraceReader(source, 0, file, text.size()), most)
                                    : drive(format, file, source, most, part == "job");
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf("{\"records\": %llu, \"seconds\": %.6f}\n", static_cast<unsigned long long>(records),
              seconds);
  return 0;
}

}  // namespace
}  // namespace hmsim

int main(int argc, char** argv) {
  try {
    return hmsim::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
