// SPDX-License-Identifier: BSD-3-Clause
#include "policies/monitors/pending.h"
#include "policies/policy.h"

namespace hmsim {

// Strict first come, first served: only the oldest request without its data-bus command may get a
// command.
class FcfsStrict final : public TransactionScheduler {
 public:
  void connect(const ChannelShape& shape, const SourceProgress& /*progress*/) override {
    pending_.connect(shape.slots);
  }
  std::uint64_t key(const RequestView& /*request*/) const override { return 0; }
  bool withholds(const RequestView& request) const override {
    return request.slot != pending_.oldest();
  }

  void on_enqueue(const RequestView& request, Tick /*now*/) override { pending_.add(request); }
  void on_issue(const RequestView& request, Tick /*now*/) override {
    pending_.remove(request.slot);
    if (pending_.oldest() != PendingRequests::kNone) {
      rekey(pending_.oldest());
    }
  }
  void serialize(Archive& archive) override { archive(pending_); }

 private:
  PendingRequests pending_;
};

extern const PolicyDescriptor kPolicy_fcfs_strict{PolicyKind::transaction_scheduler, "fcfs_strict",
                                                  "one after another, in order of arrival",
                                                  "common usage", make_policy<FcfsStrict>};

}  // namespace hmsim
