// SPDX-License-Identifier: BSD-3-Clause
// The policy interfaces and everything that a policy can see. Each policy is one file:
// policies/KIND/NAME.cc defines a class and, in namespace hmsim, `extern const PolicyDescriptor
// kPolicy_NAME`. The build finds it.
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

// One transaction as a policy sees it. Valid only during the call.
struct RequestView {
  std::uint32_t slot;  // below ChannelShape::slots; unique among current transactions
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
  std::uint64_t epoch;   // NVDIMM writes: increases with every fence of the sender
  RequestOrigin origin = RequestOrigin::user;

  void serialize(Archive& archive) {
    archive(slot, id, arrival, memory, write, source, rank, bank, row, line, row_hit, epoch,
            origin);
  }
};

class Policy {
 public:
  virtual ~Policy() = default;
  virtual void declare(ParameterSet& /*parameters*/) {}
  // Returns errors that cover several parameters, with names as declared.
  virtual std::vector<ParameterError> check() const { return {}; }
  virtual void serialize(Archive& /*archive*/) {}
};

// Shape and timing of the channel that a policy serves.
struct ChannelShape {
  Tick clock_period;
  std::uint32_t slots = 0;  // maximum number of transactions, both classes
  int dram_slots = 0;       // size of the queue that holds the class (unified: the same queue)
  int nvdimm_slots = 0;
  int ranks = 0;  // DRAM ranks; the NVDIMM is one more
  int banks_per_rank = 0;
  int pseudo_banks = 0;  // of all NVDIMMs, which policies see as one; 0 without NVDIMM
  Tick burst;            // data-bus time of one line
  Tick read_to_write;    // between data-bus commands of one rank, in addition to the burst
  Tick write_to_read;    // the same, write to read
  Tick rank_switch;      // between bursts of two ranks
  Tick row_miss;         // PRE to data-bus command: tRP + tRCD
  Tick
      // Longest time from a command's slot to its ack when its page is in the buffer.
      nvdimm_hit_delay;
  // Additional time when the page is not in the buffer: tAT + tR + transfer of a page.
  Tick nvdimm_read_time;

  // Banks of all ranks are numbered consecutively, followed by the pseudo-banks.
  int banks() const { return ranks * banks_per_rank + pseudo_banks; }
  int bank_number(const RequestView& request) const {
    return request.rank * banks_per_rank + request.bank;
  }
};

// Progress of the cores, for rates per instruction.
class SourceProgress {
 public:
  virtual ~SourceProgress() = default;
  // Returns the instructions that the hardware context has retired so far; 0 if they are not
  // counted.
  virtual std::int64_t instructions(std::uint16_t source) const = 0;
};

// Base of TransactionScheduler and BusArbiter. Hooks report every transaction of the channel (for a
// scheduler: of its queue). A hook that a policy does not override costs nothing.
class TransactionPolicy : public Policy {
 public:
  enum Hook : unsigned { kEnqueue = 1, kCommand = 2, kIssue = 4, kAck = 8, kComplete = 16 };

  // Called once, before all other functions. `progress` outlives the policy.
  virtual void connect(const ChannelShape& /*shape*/, const SourceProgress& /*progress*/) {}

  virtual void on_enqueue(const RequestView& /*request*/, Tick /*now*/) {}  // admitted
  virtual void on_command(const RequestView& /*request*/, Tick /*now*/) {}  // NVDIMM command sent
  virtual void on_issue(const RequestView& /*request*/, Tick /*now*/) {}  // data-bus command issued
  virtual void on_ack(const RequestView& /*request*/, Tick /*now*/) {}
  virtual void on_complete(const RequestView& /*request*/, Tick /*now*/) {}

  bool wants(Hook hook) const { return (hooks_ & hook) != 0; }
  unsigned hooks() const { return hooks_; }

 protected:
  // Selects the wanted hooks for a class whose overrides do not determine them.
  void want(unsigned hooks) { hooks_ = hooks; }

 private:
  template <class P>
  friend std::unique_ptr<Policy> make_policy();
  unsigned hooks_ = ~0U;
};

enum class Direction : std::uint8_t { by_watermark, reads, writes };

// A key order that the controller can apply without calling the policy: `arrival` gives all
// transactions the same key; `hits_first` prefers row hits.
enum class FixedOrder : std::uint8_t { none, arrival, hits_first };

// Orders the transactions of one queue. The controller keeps each bank's transactions sorted by
// key, so a policy only ever looks at one transaction at a time.
class TransactionScheduler : public TransactionPolicy {
 public:
  // Returns the key of a transaction: larger goes first, ties go by arrival. Contract: row_hit
  // never lowers the key. Two transactions of a bank with the same row_hit compare the same for
  // both values of row_hit. The key of a queued transaction changes only with row_hit, rekey() or
  // raise_epoch().
  virtual std::uint64_t key(const RequestView& request) const = 0;
  // Returns the equivalent fixed order if there is one. Then key() is not called, no transaction is
  // withheld, and rekey() and raise_epoch() must not be used.
  virtual FixedOrder fixed_order() const { return FixedOrder::none; }

  // Returns whether NVDIMM commands are also sent in key order; otherwise oldest first.
  virtual bool orders_commands() const { return false; }

  // Returns whether the transaction must not get any command yet. Called when it could begin to
  // compete. For a withheld transaction, called again after rekey() of its slot or raise_epoch().
  virtual bool withholds(const RequestView& /*request*/) const { return false; }
  // Returns the time after which a transaction in its slot goes before all others, oldest first.
  virtual Tick patience() const { return kNever; }
  // With controller.writes: drained, returns which direction of DRAM requests is served, instead of
  // the watermarks. The other direction is served when no request of this one is queued. May change
  // only in hooks.
  virtual Direction direction() const { return Direction::by_watermark; }
  // Returns whether direction() or keys decide when writes go before reads. In that case
  // controller.writes is part of the policy, and comparisons keep the value from the policy's
  // bundle.
  virtual bool sets_direction() const { return false; }

  // Called after connect() when there are several channels. `all` holds the schedulers of this
  // queue in all channels, of one class, including this one. At equal times they act in this order.
  virtual void connect_peers(const std::vector<TransactionScheduler*>& /*all*/) {}

  // Returns the next time at which keys change without an event. change() is then called. Only
  // change() may move this time.
  virtual Tick next_change() const { return kNever; }
  virtual void change(Tick /*now*/) {}

  // Read by the controller before its next selection.
  std::uint64_t epoch() const { return epoch_; }
  std::vector<std::uint32_t>& changed_slots() { return changed_slots_; }
  bool any_changed() const { return !changed_slots_.empty(); }
  void serialize_changes(Archive& archive) { archive(epoch_, changed_slots_); }

 protected:
  // Reports that keys of many queued transactions changed: the controller recomputes all keys.
  void raise_epoch() { ++epoch_; }
  // Reports that the key of the transaction in this slot changed. It must not have been issued.
  void rekey(std::uint32_t slot) { changed_slots_.push_back(slot); }

 private:
  std::uint64_t epoch_ = 0;
  std::vector<std::uint32_t> changed_slots_;
};

// The best transaction of each class that is ready for the data bus, and the queue occupancy.
struct ArbiterView {
  RequestView dram;
  RequestView nvdimm;
  std::uint64_t dram_key;  // from the scheduler of its queue; comparable only in a unified queue
  std::uint64_t nvdimm_key;
  int dram_pending;  // occupied slots by class
  int nvdimm_pending;
  Tick now;
};

// A statistic that a policy counts itself.
struct PolicyCounter {
  const char* name;  // reported as arbiter.NAME
  const char* unit;
  const char* doc;
  Counter* value;  // serialized by the policy
};

// Decides which class gets the data bus when both are ready for it.
class BusArbiter : public TransactionPolicy {
 public:
  virtual MemoryClass choose(const ArbiterView& view) = 0;
  virtual std::vector<PolicyCounter> counters() { return {}; }
};

// An open row that has just received a column command.
struct PageView {
  int rank;
  int bank;  // within the rank
  std::int64_t row;
  std::uint16_t source;   // of the request
  std::int64_t accesses;  // column commands since the activation, including this one
  Tick now;
};

struct PageDecision {
  // From this time on, the bank is precharged as soon as its timing allows and no queued request
  // competes for it. Cancelled by another column command to the row.
  Tick close_at = kNever;
  // If true, no further request uses the row: requests that would have hit it activate it again.
  bool refuse_hits = false;
};

// Decides how long a row stays open when no queued request uses it.
class PagePolicy : public Policy {
 public:
  // Called after every column command.
  virtual PageDecision decide(const PageView& page) = 0;
  // Returns true if no decision ever closes a row, so that decide() is not called.
  virtual bool keeps_rows_open() const { return false; }
};

// A flash block whose pages are all written. Among blocks with the same number of valid pages,
// "changed longest ago" means the block whose last page became invalid first.
struct BlockView {
  std::uint32_t block;   // within its LUN
  std::uint32_t pages;   // pages per block
  std::uint32_t valid;   // valid pages
  std::uint32_t erases;  // erases so far
  // Pages written to its LUN since the block was filled or last lost a valid page.
  std::uint64_t age;
};

// The full blocks of one LUN, as the FTL keeps them. Every call but least_worn() takes constant
// time.
class FullBlocks {
 public:
  virtual ~FullBlocks() = default;
  virtual std::uint32_t count() const = 0;              // greater than 0
  virtual BlockView at(std::uint32_t index) const = 0;  // index 0 .. count() - 1; unordered
  virtual std::uint32_t oldest() const = 0;             // the block filled first
  virtual std::uint32_t pages() const = 0;              // pages per block
  virtual std::uint32_t fewest() const = 0;  // smallest number of valid pages of any block
  // Whether a block has exactly `valid` valid pages.
  virtual bool any_with(std::uint32_t valid) const = 0;
  // Among these blocks, the one changed longest ago.
  virtual BlockView first_with(std::uint32_t valid) const = 0;
  // Advances `view` to the next block with the same number of valid pages. Returns false after the
  // last one.
  virtual bool next_alike(BlockView& view) const = 0;
  // Returns the least worn block with fewer than `erases` erases; ties go to the one filled first.
  // kNoIndex if there is none.
  virtual std::uint32_t least_worn(std::uint32_t erases) const = 0;
};

// Chooses the block to clean next. Precondition: at least one full block has an invalid page.
class VictimSelector : public Policy {
 public:
  // `random` belongs to the NVDIMM, so that one seed determines the whole run.
  virtual std::uint32_t choose(const FullBlocks& blocks, Random& random) const = 0;
};

enum class PolicyKind {
  transaction_scheduler,
  bus_arbiter,
  page_policy,
  victim_selector,
  gc_scheduler,        // policies/gc_scheduler.h
  buffer_manager,      // policies/buffer_manager.h
  buffer_replacement,  // policies/buffer_replacement.h
  host_limiter,        // policies/host_limiter.h
  refresh_pacer,       // policies/refresh_pacer.h
  page_placement,      // policies/page_placement.h
  wear_leveler,        // policies/wear_leveler.h
  map_replacement      // policies/map_replacement.h
};
const char* name_of(PolicyKind kind);

struct PolicyDescriptor {
  PolicyKind kind;
  const char* name;
  const char* doc;     // one line
  const char* source;  // literature or other origin
  std::unique_ptr<Policy> (*make)();
};

extern const DescriptorTable<PolicyDescriptor> kPolicyTable;  // the compiled-in policies

// Returns the hooks that the policy class P overrides.
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

// Factories for policies supplied by the caller, by the parameter (controller.scheduler, ...) that
// they replace. The kind must be the parameter's. Each call makes a new policy.
using PolicyMakers = std::map<std::string, std::function<std::unique_ptr<Policy>()>>;

std::vector<std::string> policy_names(PolicyKind kind);

// Declares the parameters of every policy under "policies.NAME.". `instances` owns the objects
// whose fields are bound.
void declare_all_policies(ParameterSet& parameters,
                          std::vector<std::unique_ptr<Policy>>& instances);

// Returns the errors that Policy::check() finds, under the parameter names that users write.
std::vector<ParameterError> check_policies(const std::vector<std::unique_ptr<Policy>>& instances);

// Creates a policy and applies the `assignments` named "policies.NAME.x". Throws InputError if the
// kind has no policy of this name or an assignment is invalid.
std::unique_ptr<Policy> create_policy(PolicyKind kind, const std::string& name,
                                      const Assignments& assignments);
// Returns it as the interface of its kind.
template <class Interface>
std::unique_ptr<Interface> create_policy(PolicyKind kind, const std::string& name,
                                         const Assignments& assignments) {
  return std::unique_ptr<Interface>(
      static_cast<Interface*>(create_policy(kind, name, assignments).release()));
}

}  // namespace hmsim
