// SPDX-License-Identifier: BSD-3-Clause
// Does a request's record match the command log?
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "controller/accounts/request_observer.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"

namespace hmsim::testing {
namespace {

class CommandsOfEach {
 public:
  explicit CommandsOfEach(const std::vector<CommandRecord>& log) {
    for (const CommandRecord& record : log) {
      commands_[record.request].push_back(record);
    }
  }
  // Commands in order.
  const std::vector<CommandRecord>& of(std::uint64_t id) const {
    return commands_.at(static_cast<std::int64_t>(id));
  }

 private:
  std::map<std::int64_t, std::vector<CommandRecord>> commands_;
};

bool has_data(ChannelCommand command) {
  return command == ChannelCommand::read || command == ChannelCommand::write ||
         command == ChannelCommand::nvdimm_read || command == ChannelCommand::nvdimm_write;
}

// Compared after the run, because deferred refreshes may be logged late.
class Records final : public RequestObserver {
 public:
  void on_request(const RequestRecord& record) override {
    requests_.push_back(record.request);
    records_.push_back({requests_.back(), record.channel, record.rank, record.bank, record.row_hit,
                        record.admitted, record.first_command, record.issued, record.done,
                        record.parts});
  }
  void judge(const ChannelUnderTest& channel) const {
    const CommandsOfEach commands(channel.log_);
    const Tick period = channel.channel_.clock_period();
    const auto time = [period](Cycle edge) { return Tick(edge.value() * period.value()); };
    for (const RequestRecord& record : records_) {
      const std::uint64_t id = record.request.id;
      SCOPED_TRACE(id);
      const std::vector<CommandRecord>& own = commands.of(id);
      const CommandRecord& data = own.back();
      ASSERT_TRUE(has_data(data.command));
      EXPECT_EQ(record.channel, 0);
      EXPECT_EQ(record.rank, data.rank);
      EXPECT_EQ(record.bank, data.bank);
      EXPECT_EQ(record.admitted, time(channel.admitted_.at(id)));
      EXPECT_EQ(record.first_command, time(own.front().cycle));
      EXPECT_EQ(record.issued, time(data.cycle));
      EXPECT_EQ(record.done, time(channel.finished_.at(id)));
      EXPECT_EQ(record.row_hit, record.request.memory == MemoryClass::dram && own.size() == 1);
    }
    EXPECT_EQ(records_.size(), channel.finished_.size());
  }
  std::size_t row_hits() const {
    return static_cast<std::size_t>(
        std::count_if(records_.begin(), records_.end(),
                      [](const RequestRecord& record) { return record.row_hit; }));
  }

 private:
  std::deque<Request> requests_;
  std::vector<RequestRecord> records_;
};

TEST(RequestRecords, MatchTheCommandLog) {
  const std::vector<Assignments> settings{
      kDramOnly,
      with(kDramOnly, {{"controller.page_policy", "closed_page"}, {"dram.ranks", "2"}}),
      with(kDramOnly, {{"controller.structure", "two_level"}, {"controller.writes", "drained"}}),
      kSmallNvdimm,
      with(kSmallNvdimm, {{"nvdimm.access", "block"}}),
      with(kSmallNvdimm, {{"controller.ack", "auto"}, {"controller.queues", "split"}}),
      with(kSmallNvdimm, {{"nvdimm.count", "2"}, {"controller.scheduler", "fcfs"}})};
  for (const Assignments& each : settings) {
    ChannelUnderTest channel(each);
    SCOPED_TRACE(&each - settings.data());
    Records records;
    channel.channel_.set_request_observer(&records);
    RandomTraffic traffic(channel, 5);
    traffic.run(100);
    channel.drain(Cycle(10'000'000));
    records.judge(channel);
    EXPECT_GT(records.row_hits(), 10u);
    EXPECT_LT(records.row_hits(), channel.finished_.size() - 10);
  }
}

}  // namespace
}  // namespace hmsim::testing
