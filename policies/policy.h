// SPDX-License-Identifier: BSD-3-Clause
// What a policy is, and all that it may see. One file a policy: policies/KIND/NAME.cc defines a
// class and, at namespace hmsim, `extern const PolicyDescriptor kPolicy_NAME`; the build finds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "core/archive.h"
#include "core/descriptor_table.h"
#include "core/parameters.h"
#include "core/random.h"
#include "core/request.h"
#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

// One transaction as a policy sees it; valid during the call only.
struct RequestView {
  std::uint32_t slot;  // of the channel's ChannelShape::slots, its own while it is there
  std::uint64_t id;    // order of arrival: smaller is older
  Tick arrival;
  MemoryClass memory;
  bool write;
  std::uint16_t source;  // hardware context (core)
  int rank;              // the NVDIMM is one more rank
  int bank;              // within the rank; NVDIMM: pseudo-bank (docs/glossary.md)
  std::int64_t row;      // DRAM row; NVDIMM: LPN
  std::int64_t line;     // address / 64 within the channel's part of its memory
  bool row_hit;          // DRAM: its row is open; NVDIMM: its page was the pseudo-bank's last
  std::uint64_t epoch;   // NVDIMM writes: grows with every fence of whoever sends them

  void serialize(Archive& archive) {
    archive(slot, id, arrival, memory, write, source, rank, bank, row, line, row_hit, epoch);
  }
};

class Policy {
 public:
  virtual ~Policy() = default;
  virtual void declare(ParameterSet& /*parameters*/) {}
  // What single parameters cannot tell is wrong; names as declared.
  virtual std::vector<ParameterError> check() const { return {}; }
  virtual void serialize(Archive& /*archive*/) {}
};

// The channel that a policy serves.
struct ChannelShape {
  Tick clock_period;
  std::uint32_t slots = 0;  // transactions that the channel holds at most, both classes
  int dram_slots = 0;       // of the queue that takes a class (unified: the same queue)
  int nvdimm_slots = 0;
  int ranks = 0;  // of DRAM; the NVDIMM is one more
  int banks_per_rank = 0;
  int pseudo_banks = 0;  // of all NVDIMMs, which policies see as one; 0: there is none
  Tick burst;            // data-bus time of a line
  Tick read_to_write;    // between data-bus commands of one rank, beyond the burst itself
  Tick write_to_read;    // likewise
  Tick rank_switch;      // between bursts of two ranks
  Tick row_miss;         // PRE to data-bus command: tRP + tRCD
  Tick
      nvdimm_hit_delay;  // a command's slot to its ack, when its page is in the buffer; the longest
  Tick nvdimm_read_time;  // beyond that when it is not: tAT + tR + transfer of a page

  // Banks of all ranks are numbered through, the pseudo-banks after them.
  int banks() const { return ranks * banks_per_rank + pseudo_banks; }
  int bank_number(const RequestView& request) const {
    return request.rank * banks_per_rank + request.bank;
  }
};

// What cores have done, for rates per instruction.
class SourceProgress {
 public:
  virtual ~SourceProgress() = default;
  // Retired by the hardware context so far; 0 where nobody counts them.
  virtual std::int64_t instructions(std::uint16_t source) const = 0;
};

// What TransactionScheduler and BusArbiter have in common: they are told of every transaction of
// the channel (a scheduler: of its queue). A hook that a policy does not override costs nothing.
class TransactionPolicy : public Policy {
 public:
  enum Hook : unsigned { kEnqueue = 1, kCommand = 2, kIssue = 4, kAck = 8, kComplete = 16 };

  // Once, before all else. `progress` outlives the policy.
  virtual void connect(const ChannelShape& /*shape*/, const SourceProgress& /*progress*/) {}

  virtual void on_enqueue(const RequestView& /*request*/, Tick /*now*/) {}  // got its slot
  virtual void on_command(const RequestView& /*request*/, Tick /*now*/) {}  // NVDIMM: command sent
  virtual void on_issue(const RequestView& /*request*/, Tick /*now*/) {}    // its data-bus command
  virtual void on_ack(const RequestView& /*request*/, Tick /*now*/) {}
  virtual void on_complete(const RequestView& /*request*/, Tick /*now*/) {}

  bool wants(Hook hook) const { return (hooks_ & hook) != 0; }
  unsigned hooks() const { return hooks_; }

 protected:
  // For a class whose overrides do not tell: these hooks are wanted.
  void want(unsigned hooks) { hooks_ = hooks; }

 private:
  template <class P>
  friend std::unique_ptr<Policy> make_policy();
  unsigned hooks_ = ~0U;
};

enum class Direction : std::uint8_t { by_watermark, reads, writes };

// Keys that are the same for all, but for row hits.
enum class FixedOrder : std::uint8_t { none, arrival, hits_first };

// Orders the transactions of one queue. The controller keeps each bank's transactions in the order
// of their keys, so a policy only ever looks at one transaction at a time.
class TransactionScheduler : public TransactionPolicy {
 public:
  // A key: larger goes first, equal keys go in order of arrival. Contract: row_hit never lowers it;
  // two transactions of a bank with the same row_hit compare alike whatever it is; the key of a
  // queued transaction changes only together with row_hit, with rekey() or with raise_epoch().
  virtual std::uint64_t key(const RequestView& request) const = 0;
  // What key() amounts to, where it is that simple: then it is not called, nothing is withheld, and
  // rekey() and raise_epoch() are not used.
  virtual FixedOrder fixed_order() const { return FixedOrder::none; }

  // Whether NVDIMM commands leave in the order of their keys, too; else oldest first.
  virtual bool orders_commands() const { return false; }

  // True: the transaction may not have any command yet. Asked when it could begin to compete, and
  // for one that is withheld again after rekey() of its slot or raise_epoch().
  virtual bool withholds(const RequestView& /*request*/) const { return false; }
  // A transaction that has held its slot for longer goes before all others, the oldest first.
  virtual Tick patience() const { return kNever; }
  // With controller.writes: drained, which kind of DRAM requests goes, in place of the watermarks;
  // the other one goes when nothing of this kind is queued. Changes only in hooks.
  virtual Direction direction() const { return Direction::by_watermark; }
  // Whether direction() or keys decide when writes go before reads: controller.writes is then part
  // of the policy, and comparisons leave it as the policy's bundle has it.
  virtual bool sets_direction() const { return false; }

  // After connect(), with several channels: the schedulers of this queue in all of them, of one
  // class, this one included. At equal times they act in this order.
  virtual void connect_peers(const std::vector<TransactionScheduler*>& /*all*/) {}

  // When keys next change with time alone; change() is then called, and nothing else moves it.
  virtual Tick next_change() const { return kNever; }
  virtual void change(Tick /*now*/) {}

  // For the controller, which asks before it next selects.
  std::uint64_t epoch() const { return epoch_; }
  std::vector<std::uint32_t>& changed_slots() { return changed_slots_; }
  bool any_changed() const { return !changed_slots_.empty(); }
  void serialize_changes(Archive& archive) { archive(epoch_, changed_slots_); }

 protected:
  // The keys of many queued transactions changed: all are asked for again.
  void raise_epoch() { ++epoch_; }
  // The key of the transaction in this slot, which has not been issued, changed.
  void rekey(std::uint32_t slot) { changed_slots_.push_back(slot); }

 private:
  std::uint64_t epoch_ = 0;
  std::vector<std::uint32_t> changed_slots_;
};

// The best transaction of each class that is ready for the data bus, and the queues.
struct ArbiterView {
  RequestView dram;
  RequestView nvdimm;
  std::uint64_t dram_key;  // by the scheduler of its queue: comparable when one queue holds both
  std::uint64_t nvdimm_key;
  int dram_pending;  // occupied slots, by class
  int nvdimm_pending;
  Tick now;
};

// A counter of a policy's own, reported as one of its kind.
struct PolicyCounter {
  const char* name;  // arbiter.NAME
  const char* unit;
  const char* doc;
  Counter* value;  // serialized by its policy
};

// Decides which class gets the data bus next when both are ready for it.
class BusArbiter : public TransactionPolicy {
 public:
  virtual MemoryClass choose(const ArbiterView& view) = 0;
  virtual std::vector<PolicyCounter> counters() { return {}; }
};

// An open row that has just had a column command.
struct PageView {
  int rank;
  int bank;  // within the rank
  std::int64_t row;
  std::uint16_t source;   // of the request
  std::int64_t accesses;  // column commands since the row was opened, this one included
  Tick now;
};

struct PageDecision {
  // From then on the bank is precharged as soon as its timing allows and no queued request competes
  // for it; void when another column command to the row is issued.
  Tick close_at = kNever;
  // No further request uses the row: those that would have hit it open it anew.
  bool refuse_hits = false;
};

// Decides how long rows stay open that no queued request uses.
class PagePolicy : public Policy {
 public:
  // Asked after every column command.
  virtual PageDecision decide(const PageView& page) = 0;
  // True: no decision ever closes a row, so that decide() need not be asked.
  virtual bool keeps_rows_open() const { return false; }
};

// A flash block whose pages are all written. Of two blocks with equally many valid pages, the one
// that changed longest ago is the one that lost its last page first.
struct BlockView {
  std::uint32_t block;   // within its LUN
  std::uint32_t pages;   // of a block
  std::uint32_t valid;   // pages
  std::uint32_t erases;  // so far
  std::uint64_t age;     // pages written to its LUN since it was filled or last lost a valid page
};

// The full blocks of one LUN, as the FTL keeps them; every call takes constant time.
class FullBlocks {
 public:
  virtual ~FullBlocks() = default;
  virtual std::uint32_t count() const = 0;                      // > 0
  virtual BlockView at(std::uint32_t index) const = 0;          // 0 .. count() - 1, in no order
  virtual std::uint32_t oldest() const = 0;                     // the block that was filled first
  virtual std::uint32_t pages() const = 0;                      // of a block
  virtual std::uint32_t fewest() const = 0;                     // valid pages of any block
  virtual bool any_with(std::uint32_t valid) const = 0;         // a block with so many valid pages
  virtual BlockView first_with(std::uint32_t valid) const = 0;  // of these, changed longest ago
  // The next one with as many valid pages; false: that was the last.
  virtual bool next_alike(BlockView& view) const = 0;
};

// Chooses the block that is cleaned next. At least one full block has an invalid page.
class VictimSelector : public Policy {
 public:
  // `random` is the NVDIMM's own, so that one seed decides every run.
  virtual std::uint32_t choose(const FullBlocks& blocks, Random& random) const = 0;
};

enum class PolicyKind {
  transaction_scheduler,
  bus_arbiter,
  page_policy,
  victim_selector,
  gc_scheduler,       // policies/gc_scheduler.h
  buffer_manager,     // policies/buffer_manager.h
  buffer_replacement  // policies/buffer_replacement.h
};
const char* name_of(PolicyKind kind);

struct PolicyDescriptor {
  PolicyKind kind;
  const char* name;
  const char* doc;     // one line
  const char* source;  // where it comes from
  std::unique_ptr<Policy> (*make)();
};

extern const DescriptorTable<PolicyDescriptor> kPolicyTable;  // of those that are compiled in

// Of a class of policies: the hooks that it overrides.
template <class P>
constexpr unsigned overridden_hooks() {
  using Base = void (TransactionPolicy::*)(const RequestView&, Tick);
  const auto overrides = [](auto member) { return !std::is_same_v<decltype(member), Base>; };
  return (overrides(&P::on_enqueue) ? TransactionPolicy::kEnqueue : 0U) |
         (overrides(&P::on_command) ? TransactionPolicy::kCommand : 0U) |
         (overrides(&P::on_issue) ? TransactionPolicy::kIssue : 0U) |
         (overrides(&P::on_ack) ? TransactionPolicy::kAck : 0U) |
         (overrides(&P::on_complete) ? TransactionPolicy::kComplete : 0U);
}

template <class P>
std::unique_ptr<Policy> make_policy() {
  auto policy = std::make_unique<P>();
  if constexpr (std::is_base_of_v<TransactionPolicy, P>) {
    policy->hooks_ = overridden_hooks<P>();
  }
  return policy;
}

// Policies of the caller's own, in place of those that parameters (controller.scheduler, ...) name.
// The kind must be the parameter's; each call makes a new one.
using PolicyMakers = std::map<std::string, std::function<std::unique_ptr<Policy>()>>;

std::vector<std::string> policy_names(PolicyKind kind);

// Declares the parameters of every policy under "policies.NAME.".
// `instances` keeps the objects whose fields are bound.
void declare_all_policies(ParameterSet& parameters,
                          std::vector<std::unique_ptr<Policy>>& instances);

// What Policy::check() finds wrong with these, under the names that users give.
std::vector<ParameterError> check_policies(const std::vector<std::unique_ptr<Policy>>& instances);

// A new policy with its share of `assignments` (those named "policies.NAME.x") applied. Throws
// InputError when the name is not one of this kind or an assignment is wrong.
std::unique_ptr<Policy> create_policy(PolicyKind kind, const std::string& name,
                                      const Assignments& assignments);

}  // namespace hmsim
