// SPDX-License-Identifier: BSD-3-Clause
// Which row hits do policies see in their hooks?
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"

namespace hmsim::testing {
namespace {

// Whether each request was a row hit when its hooks were called.
struct Heard {
  std::map<std::uint64_t, bool> at_issue;
  std::map<std::uint64_t, bool> at_completion;
};

// A scheduler with its own keys and only the given hooks.
class Listener final : public TransactionScheduler {
 public:
  Listener(unsigned hooks, Heard& heard) : heard_(heard) { want(hooks); }
  std::uint64_t key(const RequestView& request) const override { return request.row_hit ? 1 : 0; }
  void on_issue(const RequestView& request, Tick /*now*/) override {
    heard_.at_issue[request.id] = request.row_hit;
  }
  void on_complete(const RequestView& request, Tick /*now*/) override {
    heard_.at_completion[request.id] = request.row_hit;
  }

 private:
  Heard& heard_;
};

Heard hear(unsigned hooks) {
  Heard heard;
  SystemConfig config = make_config(kSmallNvdimm);
  config.makers["controller.scheduler"] = [&] { return std::make_unique<Listener>(hooks, heard); };
  ChannelUnderTest channel(config);
  RandomTraffic traffic(channel, 5);
  traffic.run(100);
  channel.drain(Cycle(10'000'000));
  EXPECT_EQ(heard.at_completion.size(), channel.next_id_);
  return heard;
}

TEST(PolicyViews, ACompletedRequestWasARowHitIfItWasOneWhenItWasIssued) {
  const Heard both = hear(TransactionPolicy::kIssue | TransactionPolicy::kComplete);
  EXPECT_EQ(both.at_completion, both.at_issue);
  const Heard completions = hear(TransactionPolicy::kComplete);
  EXPECT_TRUE(completions.at_issue.empty());
  EXPECT_EQ(completions.at_completion, both.at_completion);
}

}  // namespace
}  // namespace hmsim::testing
