// SPDX-License-Identifier: BSD-3-Clause
#include "agents/core/cpu_core.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "agents/application_observer.h"
#include "agents/core/core_steps.h"
#include "agents/translation.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

constexpr std::int64_t kMostAhead = 256;  // records dispatched ahead of time

}  // namespace

CpuCore::CpuCore(const FrontendParameters& defaults)
    : CoreAgent(defaults),
      cache_parameters_(defaults.cache),
      shared_l3_(defaults.cache.levels[kCacheLevels - 1]) {}

void CpuCore::prepare() {
  open_pass(pass_, *this, kMostAhead);
  source_ = find_format(trace_.format)->instructions(trace_.open(index(), environment()));
  l3_ = environment().shared_l3;
  if (cache_parameters_.l3_sharing == Sharing::private_slice) {
    own_l3_ = std::make_unique<LastLevelCache>(cache_parameters_.levels[kCacheLevels - 1]);
    l3_ = own_l3_.get();
  }
  user_ = l3_->join(*this, static_cast<std::uint16_t>(core()));
  const std::int64_t space = space_ == kOwnSpace ? core() : space_;
  caches_ = std::make_unique<CacheHierarchy>(
      cache_parameters_, *l3_, user_,
      SpaceLine{offset(MemoryClass::dram) / kLineSize, static_cast<std::uint16_t>(space)});
  fills_ = std::make_unique<FillTable>(cache_parameters_, *l3_, user_);
  nodes_.resize(pass_.window().capacity());
  writers_.fill(kUnknown);
  for (std::size_t i = 0; i < kCacheLevels; ++i) {
    found_after_[i + 1] =
        found_after_[i] + parameters().slots_of(cache_parameters_.levels[i].latency);
  }
  if (ApplicationObserver* const application = environment().application) {
    application->on_core(index(), parameters().slots_per_millisecond(), found_after_[kCacheLevels]);
  }
  begin();
}

bool CpuCore::fetch_record(std::int64_t& gap) {
  const bool have = source_->next(instruction_);
  gap = have ? 1 : 0;
  return have;
}

bool CpuCore::seek_record(std::int64_t instructions, std::int64_t& gap) {
  const bool have = source_->seek(static_cast<std::uint64_t>(instructions), instruction_);
  gap = have ? 1 : 0;
  return have;
}

bool CpuCore::blocked() const {
  return writes_outside_ >= parameters().window || stores_waiting_ >= parameters().window;
}

Tick CpuCore::advance(Tick now) { return pass_.advance(*this, now); }

// Returns false if an access of the next instruction has its line in flight, since the line may
// arrive and be evicted before the dispatch. Also returns false if an access would look into a
// shared L3, whose contents may change before.
bool CpuCore::may_run_ahead() const {
  const auto waits = [this](std::uint64_t address) {
    return address != 0 && (fills_->in_flight(address / kLineSize) ||
                            (l3_->shared() && !caches_->in_l1(address / kLineSize)));
  };
  return std::none_of(instruction_.loads.begin(), instruction_.loads.end(), waits) &&
         std::none_of(instruction_.stores.begin(), instruction_.stores.end(), waits);
}

void CpuCore::dispatched(std::int64_t number, std::int64_t /*slot*/, Tick now) {
  Node& added = node(number);
  added = Node();
  added.links.fill(kNone);
  pass_.window().set_ready(number, kUnknown);
  read_registers(number);
  for (std::size_t i = 0; i < kMostLoads; ++i) {
    if (instruction_.loads[i] != 0) {
      added.loads = true;
      access(number, i, instruction_.loads[i], now);
    }
  }
  for (std::size_t i = 0; i < kMostStores; ++i) {
    if (instruction_.stores[i] != 0) {
      access(number, kMostLoads + i, instruction_.stores[i], now);
    }
  }
  for (const std::uint8_t written : instruction_.destinations) {
    if (written != 0) {
      writers_[written] = number;
    }
  }
  if (added.unknown_operands == 0) {
    start(number, now);
    publish_ready(now);
  }
}

void CpuCore::read_registers(std::int64_t number) {
  Node& reader = node(number);
  for (std::size_t i = 0; i < kMostSources; ++i) {
    const std::uint8_t read = instruction_.sources[i];
    const std::int64_t writer = read == 0 ? kUnknown : writers_[read];
    if (!pass_.window().holds(writer)) {
      continue;  // written before the window
    }
    if (pass_.window()[writer].ready != kUnknown) {
      reader.operands = std::max(reader.operands, pass_.window()[writer].ready);
      continue;
    }
    wait_for_register(writer, number, i);
  }
}

// Makes instruction `number` wait for the writer of its register operand `source`.
void CpuCore::wait_for_register(std::int64_t writer, std::int64_t number, std::size_t source) {
  Node& reader = node(number);
  const auto id =
      static_cast<std::uint32_t>(pass_.window().place_of(number) * kMostSources + source);
  Node& written_by = node(writer);
  (written_by.readers == kNone ? written_by.readers
                               : nodes_[written_by.last_reader / kMostSources]
                                     .next_reader[written_by.last_reader % kMostSources]) = id;
  written_by.last_reader = id;
  reader.next_reader[source] = kNone;
  ++reader.unknown_operands;
}

void CpuCore::access(std::int64_t number, std::size_t operand, std::uint64_t address, Tick now) {
  const std::uint64_t line = address / kLineSize;
  const int level = caches_->access(line, operand >= kMostLoads, instruction_.ip);
  for (const LastLevelCache::WriteBack& left : caches_->write_backs()) {
    post(left, pass_.window()[number].dispatch, now);
  }
  Fill id = fills_->find(line);
  const bool first = id == kNone && level > 1;
  if (first) {
    id = fills_->create(line, level);
    refer(id);
    merges_[1] += (*fills_)[id].below == kNone ? 0 : 1;
  }
  if (!caches_->prefetches().empty()) {
    fetch_ahead(id, now);
  }
  if (id != kNone) {
    attach(add({number, static_cast<std::uint32_t>(operand), id, kUnknown, first, kNone}));
  }
}

// Creates L2 fills for the lines that the prefetcher requested. They start after fill `parent`,
// into L1.
void CpuCore::fetch_ahead(Fill parent, Tick now) {
  const Fill after = (*fills_)[parent].started ? kNone : parent;
  for (const CacheHierarchy::Prefetch& prefetch : caches_->prefetches()) {
    if (fills_->find(prefetch.line) == kNone && fills_->find_ahead(prefetch.line) == kNone) {
      const Fill id = fills_->create_ahead(prefetch.line, prefetch.level, after);
      refer(id);
      if (after == kNone) {
        ask(id, now);
      }
    }
  }
}

// Attaches a fill that looks into L3 to the open miss of its line, if any, and opens one if needed.
void CpuCore::refer(Fill id) {
  FillTable::Fill& fill = (*fills_)[id];
  if (fill.level > 2) {
    const bool missed = fill.level == CacheHierarchy::kMemory;
    fill.miss = l3_->refer(caches_->name(fill.line), missed, user_, id);
  }
}

// Adds an access to the list of those that wait for its fill.
CpuCore::Link CpuCore::add(const Access& access) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<Link>(accesses_.size()));
    accesses_.emplace_back();
  }
  const Link link = unused_.back();
  unused_.pop_back();
  accesses_[link] = access;
  FillTable::Fill& fill = (*fills_)[access.fill];
  (fill.waiters == kNone ? fill.waiters : accesses_[fill.last_waiter].next) = link;
  fill.last_waiter = link;
  stores_waiting_ += access.operand < kMostLoads ? 0 : 1;
  return link;
}

// Records the access at its instruction, which is in the window.
void CpuCore::attach(Link link) {
  const Access& access = accesses_[link];
  Node& waiter = node(access.number);
  waiter.links[access.operand] = link;
  waiter.unknown_data += access.operand < kMostLoads ? 1 : 0;
}

void CpuCore::post(const LastLevelCache::WriteBack& left, std::int64_t slot, Tick now) {
  ++writes_outside_;
  if (slots().tick(slot) <= now) {
    send_left(left, now);
  } else {
    write_backs_.push(left);
    schedule(slot, Step::write_back, 0);
  }
}

void CpuCore::send_left(const LastLevelCache::WriteBack& left, Tick now) {
  const auto context = static_cast<std::uint16_t>(left.source - core());  // modulo 2^16
  send(MemoryClass::dram, location(left.line), true, kPosted, now, context);
}

// Starts an instruction whose source registers are known.
void CpuCore::start(std::int64_t number, Tick now) {
  Node& started = node(number);
  started.start = std::max(pass_.window()[number].dispatch, started.operands);
  for (const Link link : started.links) {
    if (link != kNone) {
      accesses_[link].start = started.start;
      plan_fill(accesses_[link].fill, started.start, now);
    }
  }
  if (started.unknown_data == 0) {
    done_.push(number);
  }
}

// Starts the instructions that depend on results of the instructions in `done_`.
void CpuCore::publish_ready(Tick now) {
  while (!done_.empty()) {
    const std::int64_t number = done_.take();
    Node& done = node(number);
    std::int64_t ready = done.start + pass_.cycle_slots();
    if (done.loads) {
      ready = std::max({ready, done.start + found_after_[1], done.data});
    }
    pass_.window().set_ready(number, ready);
    for (std::uint32_t id = std::exchange(done.readers, kNone); id != kNone;) {
      const std::int64_t reader = pass_.window().number_at(id / kMostSources);
      Node& reading = node(reader);
      id = reading.next_reader[id % kMostSources];
      reading.operands = std::max(reading.operands, ready);
      if (--reading.unknown_operands == 0) {
        start(reader, now);
      }
    }
  }
}

// Completes an access whose line is present from `slot` on.
void CpuCore::access_done(Link link, std::int64_t slot) {
  const Access& access = accesses_[link];
  merges_[0] += !access.first && access.start != kUnknown && access.start < slot ? 1 : 0;
  if (pass_.window().holds(access.number)) {
    Node& waiter = node(access.number);
    waiter.links[access.operand] = kNone;
    if (access.operand < kMostLoads) {
      waiter.data = std::max(waiter.data, slot);
      if (--waiter.unknown_data == 0 && waiter.start != kUnknown) {
        done_.push(access.number);
      }
    }
  }
  stores_waiting_ -= access.operand < kMostLoads ? 0 : 1;
  unused_.push_back(link);
}

Address CpuCore::location(const SpaceLine& line) const {
  return environment().translation->translate(line.space, line.number * kLineSize);
}

void CpuCore::register_statistics(StatisticRegistry& registry, const std::string& path) {
  CoreAgent::register_statistics(registry, path);
  LastLevelCache::Counters& last = l3_->counters(user_);
  for (std::size_t i = 0; i < kCacheLevels; ++i) {
    const bool is_last = i + 1 == kCacheLevels;
    const StatisticGroup level(registry, path + ".l" + std::to_string(i + 1));
    LevelCounters& counts = is_last ? last : caches_->counters(i);
    level.counter("hits", "accesses",
                  "loads and stores that found their line in this cache, or in flight to it",
                  counts.hits);
    level.counter("misses", "accesses", "loads and stores that did not", counts.misses);
    if (!is_last) {
      level.counter("merges", "accesses", "hits and misses that waited for a line in flight",
                    merges_[i]);
    }
    level.counter("write_backs", "lines",
                  is_last ? "dirty lines of this core that left this cache"
                          : "dirty lines that left this cache",
                  counts.write_backs);
  }
  if (own_l3_ == nullptr) {
    const StatisticGroup l3(registry, path + ".l3");
    l3.counter("merges", "lines",
               "hits and misses that waited for a line that another core fetched", last.merges);
    l3.counter("displaced", "lines", "lines of this core that lines of other cores evicted",
               last.displaced);
  }
  if (cache_parameters_.prefetcher.kind == PrefetcherKind::none) {
    return;
  }
  const StatisticGroup l2(registry, path + ".l2");
  Counter& issued = caches_->prefetches_issued();
  Counter& useful = caches_->prefetches_useful();
  l2.counter("prefetches", "lines", "lines that the prefetcher fetched into L2", issued);
  l2.counter("prefetches_useful", "lines",
             "prefetched lines that L1 requested while they were in L2 or in flight", useful);
  l2.ratio("prefetch_accuracy", "share of the prefetched lines that were useful", {&useful},
           {&issued});
  l2.ratio("prefetch_coverage",
           "share of L2's misses without prefetching that useful prefetches avoided", {&useful},
           {&useful, &caches_->counters(1).misses});
}

// Lists of accesses and reads that wait are saved as their members and rebuilt on load.
void CpuCore::serialize_state(Archive& archive) {
  serialize_passes(archive);
  source_->serialize(archive);
  if (own_l3_ != nullptr) {
    own_l3_->serialize(archive);
  }
  caches_->serialize(archive);
  fills_->serialize(archive);
  archive(instruction_);
  archive.fixed(nodes_);
  archive(writers_, steps_, write_backs_, writes_outside_, merges_);
  archive.check(writes_outside_ >= 0, "core in wait for writes without writes");
  steps_.each([&](const auto& step) {
    archive.check(step.kind == Step::write_back || step.payload < fills_->size(),
                  "invalid fill of a core's caches");
  });
  serialize_accesses(archive);
  serialize_reads(archive);
  if (archive.loading()) {
    pass_.resume_loaded();
  }
}

void CpuCore::serialize_accesses(Archive& archive) {
  std::vector<Access> waiting;  // in order within each fill
  for (const Fill id : fills_->taken()) {
    for (Link link = (*fills_)[id].waiters; link != kNone; link = accesses_[link].next) {
      waiting.push_back(accesses_[link]);
    }
  }
  archive(waiting);
  if (!archive.loading()) {
    return;
  }
  accesses_.clear();
  unused_.clear();
  stores_waiting_ = 0;
  for (const Access& access : waiting) {
    archive.check_index(access.fill, fills_->size(), "access of a core that waits for no fill");
    archive.check_index(access.operand, kMostAccesses, "invalid access of a core");
    const Link link = add(access);
    if (pass_.window().holds(access.number)) {
      attach(link);
    }
  }
}

void CpuCore::serialize_reads(Archive& archive) {
  // writers[node][operand]: the instruction whose result this register operand waits for.
  std::vector<std::array<std::int64_t, kMostSources>> writers(nodes_.size());
  for (auto& each : writers) {
    each.fill(kUnknown);
  }
  pass_.window().each([&](std::int64_t writer) {
    std::uint32_t id = pass_.window()[writer].ready == kUnknown ? node(writer).readers : kNone;
    for (; id != kNone; id = nodes_[id / kMostSources].next_reader[id % kMostSources]) {
      writers[id / kMostSources][id % kMostSources] = writer;
    }
  });
  archive.fixed(writers);
  if (!archive.loading()) {
    return;
  }
  pass_.window().each([&](std::int64_t number) {
    for (std::size_t i = 0; i < kMostSources; ++i) {
      const std::int64_t writer = writers[pass_.window().place_of(number)][i];
      if (writer != kUnknown) {
        // Lists may only contain instructions in the window.
        archive.check(pass_.window().holds(writer) && writer < number &&
                          pass_.window()[writer].ready == kUnknown,
                      "dependent instruction that waits for no instruction");
        wait_for_register(writer, number, i);
      }
    }
  });
}

}  // namespace hmsim
