// SPDX-License-Identifier: BSD-3-Clause
#include "policies/monitors/page_groups.h"
#include "policies/policy.h"

namespace hmsim {

// Page-aware scheduling: decides the order in which commands are sent to the NVDIMM.
//
//   DIFF  one request of each flash page in turn, first in, first out within a page: the NVDIMM
//         learns of many pages early, and its LUNs work in parallel
//   SAME  all requests of one page, then those of the page of the oldest request: a page is used up
//         before the buffer loses it
//
// The host observes only how long an ack takes. An ack later than that of a buffer hit is a miss.
// Thrash is a miss on a page that had a line ready before the command was sent: its data were in
// the buffer and were lost. DIFF changes to SAME at thrash, or with `any_miss` at any miss. The
// paper's text says any miss, but then the first touch of a page ends DIFF at once. SAME changes
// back to DIFF after `return_after` pages were used up without thrash.
//
// DRAM requests, and data of NVDIMM requests, follow FR-FCFS.
class Pas final : public TransactionScheduler {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.choice("trigger", trigger_,
                      {{"thrash", Trigger::thrash}, {"any_miss", Trigger::any}},
                      {"what turns DIFF to SAME: loss of a page before its requests were served, "
                       "or any buffer miss",
                       "thrash: assumed; any_miss: the paper, section V-B"});
    parameters.integer("return_after", return_after_, {1, 1'000'000}, "pages",
                       {"pages used completely without thrash that turn SAME to DIFF",
                        "assumed: the paper does not say when to return"});
    parameters.integer(
        "slack", slack_, {0, 1'000'000}, "cycles",
        {"delay of an ack after that of a buffer hit from which it counts as a miss", "assumed"});
  }
  void connect(const ChannelShape& shape, const SourceProgress& /*progress*/) override {
    groups_.resize(shape.slots);
    sent_.resize(shape.slots);
    delivered_before_.resize(shape.slots);
    hit_delay_ = shape.nvdimm_hit_delay + slack_ * shape.clock_period;
  }
  bool orders_commands() const override { return true; }

  std::uint64_t key(const RequestView& request) const override {
    const std::uint32_t slot = request.slot;
    if (request.memory == MemoryClass::dram || !groups_.unsent(slot)) {
      return request.row_hit ? 1 : 0;
    }
    const std::uint32_t page = groups_.page_of(slot);
    if (groups_.head(page) != slot) {
      return 0;
    }
    if (page == current_) {
      return kFirst;
    }
    return mode_ == Mode::same && slot == groups_.oldest() ? kSecond : kTurns - groups_.turn(page);
  }

  void on_enqueue(const RequestView& request, Tick /*now*/) override {
    if (request.memory == MemoryClass::nvdimm) {
      const std::uint32_t page = groups_.enter(request.slot, request.row);
      if (groups_.head(page) == request.slot) {
        groups_.turn(page) = ++turns_;
      }
    }
  }

  void on_command(const RequestView& request, Tick now) override {
    const std::uint32_t page = groups_.page_of(request.slot);
    sent_[request.slot] = now;
    delivered_before_[request.slot] = groups_.delivered(page, request.write);
    groups_.leave_group(request.slot);
    groups_.turn(page) = ++turns_;
    if (mode_ == Mode::same && used_up()) {
      current_ = page;
    }
    rekey_heads(page);
  }

  void on_ack(const RequestView& request, Tick now) override {
    if (request.memory == MemoryClass::dram) {
      return;
    }
    const std::uint32_t page = groups_.page_of(request.slot);
    const bool miss = now - sent_[request.slot] > hit_delay_;
    const bool thrash = miss && delivered_before_[request.slot];
    groups_.delivered(page, request.write) = true;
    if (mode_ == Mode::diff && (trigger_ == Trigger::any ? miss : thrash)) {
      mode_ = Mode::same;
      current_ = page;
      rekey_heads(page);
    }
    if (current_ != kNoIndex && used_up()) {
      current_ = kNoIndex;
      clean_pages_ += thrash ? 0 : 1;
    }
    if (clean_pages_ >= return_after_) {
      leave_same();
    } else if (thrash) {
      clean_pages_ = 0;
    }
  }

  void on_complete(const RequestView& request, Tick /*now*/) override {
    if (request.memory == MemoryClass::nvdimm) {
      groups_.end(request.slot);
    }
  }

  void serialize(Archive& archive) override {
    archive(groups_, mode_, current_, clean_pages_, turns_);
    archive.fixed(sent_, delivered_before_);
    archive.check_index(current_, sent_.size(), kNoIndex, "invalid page");
  }

 private:
  enum class Trigger { thrash, any };
  enum class Mode : std::uint8_t { diff, same, last = same };

  // Keys of the heads of groups, largest first: the page of SAME, the oldest request, pages in
  // turn. Other requests of a group have key 0.
  static constexpr std::uint64_t kTurns = std::uint64_t{1} << 62;
  static constexpr std::uint64_t kSecond = kTurns + 1;
  static constexpr std::uint64_t kFirst = kTurns + 2;

  bool used_up() const { return current_ == kNoIndex || groups_.head(current_) == kNoIndex; }
  void rekey_head(std::uint32_t slot) {
    if (slot != kNoIndex) {
      rekey(slot);
    }
  }
  void rekey_heads(std::uint32_t page) {
    rekey_head(groups_.head(page));
    if (mode_ == Mode::same) {
      rekey_head(groups_.oldest());
    }
  }
  void leave_same() {
    rekey_head(groups_.oldest());
    mode_ = Mode::diff;
    clean_pages_ = 0;
  }

  Trigger trigger_ = Trigger::thrash;
  std::int64_t return_after_ = 1;
  std::int64_t slack_ = 10;
  Tick hit_delay_{0};  // longest ack delay of a buffer hit

  PageGroups groups_;
  std::vector<Tick> sent_;              // by slot: when the command was sent
  std::vector<bool> delivered_before_;  // by slot: whether its page had a line ready at that time
  Mode mode_ = Mode::diff;
  std::uint32_t current_ = kNoIndex;  // SAME: the page being used up, or kNoIndex
  std::int64_t clean_pages_ = 0;      // SAME: pages used up in a row without thrash
  std::uint64_t turns_ = 0;
};

extern const PolicyDescriptor kPolicy_pas{
    PolicyKind::transaction_scheduler, "pas",
    "NVDIMM commands by page: one of each page in turn, or one page "
    "at a time while the buffer thrashes; then FR-FCFS",
    "the paper, section V-B (page-aware scheduling)", make_policy<Pas>};

}  // namespace hmsim
