// SPDX-License-Identifier: BSD-3-Clause
// Do the views agree for a right model, and does each of their checks find its wrong one?
#include "simulation/views/views.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hmsim::testing {

namespace {

// Memory with a fixed latency, behind a core of 1 GHz whose caches take three cycles. Times are in
// picoseconds. Each member is one mistake of a model.
struct Model {
  Tick clock{1'000};          // 1 ns of the core in this many picoseconds
  Tick lookup{3'000};         // of the caches
  Tick served{50'000};        // from admission to the last beat, as the simulator has it
  Tick held{50'000};          // the same, as the interface measures it
  Tick reported_wait{1'250};  // admission, as the accounts have it
  Tick back{0};               // from the last beat to the return
  bool average = false;       // the interface returns a mean instead of each latency
  std::uint64_t lost = 0;     // this request is not reported by the simulator
  bool reversed = false;      // requests finish in reverse
};

constexpr Tick kWait{1'250};
constexpr std::uint64_t kRequests = 8;

RequestRecord record_of(const Request& request, Tick admitted, Tick done, Tick wait) {
  std::array<Tick, kLatencyParts> parts{};
  parts[static_cast<std::size_t>(LatencyPart::admission)] = wait;
  parts[static_cast<std::size_t>(LatencyPart::bank)] = done - request.arrival - kWait;
  return {request, 0, 0, 0, false, admitted, admitted, admitted, done, parts};
}

void one(Views& views, const Model& model, std::uint64_t id, Tick begin) {
  Request request;
  request.id = id;
  request.tag = static_cast<std::uint32_t>(id);
  views.on_issue(0, request.tag, false, begin);
  request.arrival = begin + model.lookup;
  views.sent(request, request.arrival);
  const Tick admitted = request.arrival + kWait;
  views.admitted(request, admitted);
  const Tick done = admitted + model.served + Tick(static_cast<std::int64_t>(id));
  if (id != model.lost) {
    views.on_request(record_of(request, admitted, done, model.reported_wait));
  }
  const Tick spread(model.average ? 0 : static_cast<std::int64_t>(id));
  const Tick returned = admitted + model.held + spread + model.back;
  views.returned(request, returned);
  views.on_usable(0, request.tag, (returned + model.clock - Tick(1)) / model.clock * model.clock);
}

std::map<std::string, std::int64_t> run(const Model& model) {
  Views views;
  views.on_core(0, 1'000'000, 3);
  views.begin({}, Tick(0));
  Tick now{0};
  for (std::uint64_t i = 1; i <= kRequests; ++i, now += 200 * kNanosecond) {
    one(views, model, model.reversed ? kRequests + 1 - i : i, now);
  }
  const Views::Values values = views.values(now);
  return {values.begin(), values.end()};
}

// Returns the names of the residues that are not 0, the least first.
std::vector<std::string> found(const Model& model) {
  std::vector<std::string> names;
  for (const auto& [name, value] : run(model)) {
    if (name.rfind("residue.", 0) == 0 && name != "residue.comparisons" && value != 0) {
      names.push_back(name.substr(std::string("residue.").size()));
    }
  }
  return names;
}

// Returns the residue of Little's law in one view without requests in flight at the ends.
std::int64_t little(const std::map<std::string, std::int64_t>& values, const std::string& view) {
  return values.at(view + ".area_ps") - values.at(view + ".load.ps");
}

using Names = std::vector<std::string>;

}  // namespace

TEST(Views, AgreeForARightModel) {
  const auto values = run(Model());
  EXPECT_EQ(found(Model()), Names());
  for (const std::string view : {"application", "interface", "simulator"}) {
    EXPECT_EQ(values.at(view + ".load.count"), 8) << view;
    EXPECT_EQ(values.at(view + ".load.bytes"), 8 * 64) << view;
    EXPECT_EQ(values.at(view + ".in_flight"), 0) << view;
    EXPECT_EQ(little(values, view), 0) << view;
  }
  EXPECT_EQ(values.at("simulator.load.ps"), 8 * 50'000 + 36);
  EXPECT_EQ(values.at("interface.load.ps"), 8 * 51'250 + 36);
  EXPECT_EQ(values.at("application.load.ps"), 8 * 55'000);  // 54.25 ns, up to the next edge
  EXPECT_EQ(values.at("lookup_ps"), 8 * 3'000);
  EXPECT_EQ(values.at("edge_ps"), 8 * 750 - 36);
  EXPECT_EQ(values.at("admission_ps"), 8 * 1'250);
  EXPECT_EQ(values.at("overtaken"), 0);
}

TEST(Views, FindAnUndeclaredPartBeforeTheRequest) {
  Model model;
  model.lookup = Tick(4'000);
  EXPECT_EQ(found(model), Names{"application_ps"});
}

TEST(Views, FindACoreWhoseClockIsNotScaled) {
  Model model;
  model.clock = Tick(800);  // 1.25 GHz, declared as 1 GHz
  EXPECT_EQ(found(model), Names{"application_ps"});
}

TEST(Views, FindALatencyReturnedInWrongUnits) {
  Model model;
  model.held = Tick(40'000);  // cycles of the DRAM clock, taken for nanoseconds
  EXPECT_EQ(found(model), (Names{"interface_ps", "order"}));
}

TEST(Views, FindALatencyThatIsAMean) {
  Model model;
  model.average = true;
  model.held = model.served + Tick(4);
  EXPECT_EQ(found(model), (Names{"interface_ps", "order"}));
  const auto values = run(model);
  EXPECT_NEAR(static_cast<double>(values.at("interface.load.ps")),
              static_cast<double>(run(Model()).at("interface.load.ps")), 4)
      << "the means hide it";
}

TEST(Views, FindAnUndeclaredPartAfterTheRequest) {
  Model model;
  model.back = Tick(5'000);
  EXPECT_EQ(found(model), Names{"interface_ps"});
}

TEST(Views, FindAWaitThatIsNotAccountedFor) {
  Model model;
  model.reported_wait = Tick(0);
  EXPECT_EQ(found(model), (Names{"interface_ps", "parts_ps"}));
}

TEST(Views, FindARequestThatOneViewLacks) {
  Model model;
  model.lost = 3;
  EXPECT_EQ(found(model), Names{"unseen"});
  const auto values = run(model);
  EXPECT_EQ(values.at("interface.load.count"), 8);
  EXPECT_EQ(values.at("simulator.load.count"), 7);
  EXPECT_NE(little(values, "simulator"), 0);
}

TEST(Views, FindARequestThatReturnsBeforeItsData) {
  Model model;
  model.back = Tick(-1);
  EXPECT_EQ(found(model), (Names{"interface_ps", "order"}));
}

TEST(Views, CountRequestsThatYoungerOnesOvertook) {
  Model model;
  model.reversed = true;
  EXPECT_EQ(run(model).at("overtaken"), 7);
}

TEST(Views, CountRequestsInFlightAtBothEnds) {
  Views views;
  views.on_core(0, 1'000'000, 0);
  Request early;
  early.id = 1;
  early.write = true;
  views.sent(early, Tick(100));
  views.admitted(early, Tick(200));
  views.begin({}, Tick(1'000));
  Request late = early;
  late.id = 2;
  late.arrival = Tick(1'500);
  views.sent(late, Tick(1'500));
  early.arrival = Tick(100);
  views.on_request(record_of(early, Tick(200), Tick(2'000), Tick(100)));
  views.returned(early, Tick(2'000));
  const Views::Values all = views.values(Tick(3'000));
  const std::map<std::string, std::int64_t> values(all.begin(), all.end());
  EXPECT_EQ(values.at("interface.in_flight"), 1);
  EXPECT_EQ(values.at("interface.core_write.ps"), 1'900);
  EXPECT_EQ(values.at("interface.before_ps"), 900);
  EXPECT_EQ(values.at("interface.after_ps"), 1'500);
  EXPECT_EQ(values.at("interface.area_ps"), 1'000 + 1'500);
  EXPECT_EQ(values.at("simulator.in_flight"), 0) << "the second one is outside";
  EXPECT_EQ(values.at("simulator.area_ps"), 1'000);
}

TEST(ViewClock, RoundsEdgesUp) {
  const ViewClock third(3'000'000);  // 3 GHz
  EXPECT_EQ(third.time_of(1), Tick(334));
  EXPECT_EQ(third.time_of(3'000'001), kMillisecond + Tick(334));
  EXPECT_EQ(third.edge_from(Tick(0)), 0);
  EXPECT_EQ(third.edge_from(Tick(334)), 1);
  EXPECT_EQ(third.edge_from(Tick(335)), 2);
  EXPECT_EQ(third.edge_from(kMillisecond), 3'000'000);
}

}  // namespace hmsim::testing
