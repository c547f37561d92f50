// SPDX-License-Identifier: BSD-3-Clause
// Does HBF agree with another simulator on the batches of hbf_comparison.txt, within the bands that
// were written before either ran? A batch that misses its band must go on missing it, so that
// docs/hbf.md stays true, and values of ours are those of the file.
#include <array>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/cc/assignments.h"
#include "tests/cc/controller/hbf_rig.h"

namespace hmsim::testing {
namespace {

constexpr const char* kKept = "tests/cc/controller/hbf_comparison.txt";
constexpr std::int64_t kBanks = 16;
constexpr std::int64_t kPagesOfBlock = 256;

// configs/hbm3_hbf.yaml. The other model senses a page that is being sensed again.
const Assignments kCompared = keys_from(
    "nvdimm.capacity=32GiB controller.nvdimm_queue_depth=512 controller.nvdimm_scheduler=fr_fcfs "
    "hbf.merge=false");

struct Kept {
  std::string band;
  double theirs = 0;
  std::string ours;
  std::string verdict;

  std::string judge(double found) const {
    if (band == "none") {
      return "reported";
    }
    double width = 0;
    if (band != "equal") {
      width = std::stod(band) * (band.back() == '%' ? theirs / 100 : 1);
    }
    return std::abs(found - theirs) <= width ? "meets" : "misses";
  }
};

std::string number(double value) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(value == std::floor(value) ? 0 : 2) << value;
  return text.str();
}

class KeptFile {
 public:
  KeptFile() {
    std::ifstream file(kKept);
    EXPECT_TRUE(file.is_open()) << kKept;
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string batch;
      std::string quantity;
      std::string bar;
      if (line.empty() || line.front() == '#' || !(words >> batch >> quantity)) {
        continue;
      }
      if (batch == "constant") {
        words >> constants_[quantity];
        continue;
      }
      Kept& kept = rows_[{batch, quantity}];
      words >> kept.band >> bar >> kept.theirs >> bar >> kept.ours >> bar >> kept.verdict;
      EXPECT_FALSE(words.fail()) << line;
    }
  }

  double constant(const std::string& name) const { return constants_.at(name); }
  std::string verdict(const std::string& batch, const std::string& quantity, double ours) const {
    return rows_.at({batch, quantity}).judge(ours);
  }

  // Compares a value of ours with theirs, and with the kept one.
  void judge(const std::string& batch, const std::string& quantity, double ours) const {
    const Kept& kept = rows_.at({batch, quantity});
    EXPECT_EQ(kept.judge(ours), kept.verdict) << batch << ' ' << quantity << ": " << ours;
    EXPECT_EQ(number(ours), kept.ours) << batch << ' ' << quantity;
  }

 private:
  std::map<std::string, double> constants_;  // ns
  std::map<std::pair<std::string, std::string>, Kept> rows_;
};

// splitmix64, as the batches define it.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::int64_t below(std::uint64_t end) {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t value = state_;
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
    return static_cast<std::int64_t>((value ^ (value >> 31U)) % end);
  }

 private:
  std::uint64_t state_;
};

std::int64_t page_of(std::int64_t bank, std::int64_t page) { return page * kBanks + bank; }
double ns(std::int64_t picoseconds) { return static_cast<double>(picoseconds) / 1000; }

class HbfComparison : public ::testing::Test {
 protected:
  const KeptFile kept_;
};

TEST_F(HbfComparison, IdleRequests) {
  const std::array<std::pair<const char*, int>, 2> reads{
      {{"idle_read_64", 1}, {"idle_read_4k", 64}}};
  for (const auto& [batch, lines] : reads) {
    HbfRig rig(kCompared);
    std::vector<std::int64_t> latencies;
    for (std::int64_t bank = 0; bank < kBanks; ++bank) {
      rig.kernel.run_until(Tick(bank * 100'000'000));
      latencies.push_back(rig.latency(rig.read(page_of(bank, lines == 1 ? 0 : 1), lines)));
      EXPECT_EQ(latencies.back(), latencies.front());
    }
    kept_.judge(batch, "latency_ns", ns(latencies.front()) + kept_.constant("read"));
  }
  HbfRig erased(kCompared);
  HbfRig used(with(kCompared, {{"hbf.erased_at_start", "false"}}));
  const double lacking = kept_.constant("program");
  kept_.judge("program_erased", "latency_ns", ns(erased.latency(erased.write(0))) + lacking);
  kept_.judge("program_next", "latency_ns", ns(erased.latency(erased.write(kBanks))) + lacking);
  kept_.judge("program_used", "latency_ns", ns(used.latency(used.write(0))) + lacking);
}

TEST_F(HbfComparison, ReadsOfOneBank) {
  HbfRig rig(kCompared);
  for (std::int64_t page = 0; page < 20; ++page) {
    rig.read(page_of(0, page), 1);
  }
  rig.drain();
  kept_.judge("same_bank", "senses", static_cast<double>(rig.senses()));
  bool in_order = true;
  for (std::size_t i = 0; i + 1 < rig.done.size(); ++i) {
    in_order = in_order && rig.order[i].tag == i;
    EXPECT_EQ(rig.done[i + 1] - rig.done[i], rig.done[1] - rig.done[0]);
  }
  kept_.judge("same_bank", "answers_in_order", in_order ? 1 : 0);
  kept_.judge("same_bank", "spacing_ns", ns((rig.done[1] - rig.done[0]).value()));
  kept_.judge("same_bank", "last_latency_ns", ns(rig.done.back().value()) + kept_.constant("read"));
}

// 192 reads of pages 0, 1, ... of a bank in turn, each after the answer to the former.
std::unique_ptr<HbfRig> pages_in_turn(int pages, const Assignments& more) {
  auto rig = std::make_unique<HbfRig>(with(kCompared, more));
  for (int i = 0; i < 192; ++i) {
    rig->latency(rig->read(page_of(0, i % pages), 1));
  }
  return rig;
}

double senses_of_lines(const Assignments& more) {
  HbfRig rig(with(kCompared, more));
  for (int line = 0; line < 64; ++line) {
    rig.send(line * 64, false, 1);
  }
  rig.drain();
  return static_cast<double>(rig.senses());
}

TEST_F(HbfComparison, PagesInTurn) {
  for (const auto& [batch, pages] :
       std::map<std::string, int>{{"two_pages", 2}, {"three_pages", 3}}) {
    const auto rig = pages_in_turn(pages, {});
    kept_.judge(batch, "senses", static_cast<double>(rig->senses()));
    kept_.judge(batch, "hits", static_cast<double>(rig->value("hbf.hits")));
  }
  kept_.judge("lines_of_a_page", "senses", senses_of_lines({}));
}

TEST_F(HbfComparison, WrongModelsMiss) {
  const auto verdict = [&](const std::string& batch, double senses) {
    return kept_.verdict(batch, "senses", senses);
  };
  const auto senses = [&](int pages, const char* cache) {
    return static_cast<double>(pages_in_turn(pages, {{"hbf.cache_pages", cache}})->senses());
  };
  EXPECT_EQ(verdict("lines_of_a_page", senses_of_lines({{"hbf.merge", "true"}})), "misses");
  EXPECT_EQ(verdict("two_pages", senses(2, "1")), "misses");
  EXPECT_EQ(verdict("three_pages", senses(3, "3")), "misses");
  HbfRig slow(with(kCompared, {{"hbf.header", "66B"}}));
  const double latency = ns(slow.latency(slow.read(0, 1))) + kept_.constant("read");
  EXPECT_EQ(kept_.verdict("idle_read_64", "latency_ns", latency), "misses");
}

// Channels share nothing here, so that one channel stands for all and the order of channels is
// lost.
TEST_F(HbfComparison, ReadsOfAllBanks) {
  const auto play = [&](std::int64_t pages) {
    auto rig = std::make_unique<HbfRig>(kCompared);
    for (std::int64_t page = 0; page < pages; ++page) {
      for (std::int64_t bank = 0; bank < kBanks; ++bank) {
        rig->read(page_of(bank, page));
      }
    }
    rig->drain();
    return rig;
  };
  const auto once = play(1);
  const double makespan = ns(once->kernel.now().value()) + kept_.constant("read");
  kept_.judge("stack_by_bank", "senses", static_cast<double>(16 * once->senses()));
  kept_.judge("stack_by_bank", "makespan_ns", makespan);
  kept_.judge("stack_by_channel", "makespan_ns", makespan);
  const auto deep = play(16);
  kept_.judge("stack_deep", "senses", static_cast<double>(16 * deep->senses()));
  kept_.judge("stack_deep", "makespan_ns", ns(deep->kernel.now().value()) + kept_.constant("read"));
}

// Lets time pass to the next arrival of a random batch.
void pass(HbfRig& rig, Numbers& numbers, std::int64_t& time, std::int64_t rate) {
  while (numbers.below(1'000'000) >= rate) {
    ++time;
  }
  rig.kernel.run_until(Tick(1000 * time++));
}

double mean(const HbfRig& rig, const std::vector<std::uint32_t>& requests) {
  double sum = 0;
  for (const std::uint32_t each : requests) {
    sum += ns((rig.done[each] - rig.sent[each]).value());
  }
  return sum / static_cast<double>(requests.size());
}

TEST_F(HbfComparison, RandomReads) {
  std::uint64_t seed = 1;
  for (const auto& [batch, rate] : std::map<std::string, int>{
           {"poisson_30", 1200}, {"poisson_60", 2400}, {"poisson_90", 3600}}) {
    HbfRig rig(kCompared);
    Numbers numbers(seed++);
    std::int64_t time = 0;
    std::vector<std::uint32_t> reads;
    while (reads.size() < 4000) {
      pass(rig, numbers, time, rate);
      const std::int64_t bank = numbers.below(kBanks);
      reads.push_back(rig.read(page_of(bank, numbers.below(4096))));
    }
    rig.drain();
    kept_.judge(batch, "senses", static_cast<double>(rig.senses()));
    kept_.judge(batch, "mean_latency_ns", mean(rig, reads) + kept_.constant("read"));
  }
}

TEST_F(HbfComparison, WholeBlocks) {
  HbfRig rig(with(kCompared, {{"hbf.erased_at_start", "false"}}));
  for (std::int64_t page = 0; page < kPagesOfBlock; ++page) {
    for (std::int64_t bank = 0; bank < kBanks; ++bank) {
      rig.write(page_of(bank, page));
    }
  }
  rig.drain();
  kept_.judge("blocks", "programs", static_cast<double>(rig.value("nvdimm.nand.programs")));
  kept_.judge("blocks", "erases", static_cast<double>(rig.value("nvdimm.nand.erases")));
  kept_.judge("blocks", "makespan_ns", ns(rig.kernel.now().value()) + kept_.constant("program"));
}

TEST_F(HbfComparison, ReadsAndPrograms) {
  HbfRig rig(kCompared);
  Numbers numbers(4);
  std::int64_t time = 0;
  std::array<std::int64_t, kBanks> written{};
  std::vector<std::uint32_t> reads;
  std::vector<std::uint32_t> programs;
  while (reads.size() + programs.size() < 2000) {
    pass(rig, numbers, time, 720);
    const bool write = numbers.below(10) == 0;
    const std::int64_t bank = numbers.below(kBanks);
    if (write) {
      const std::int64_t next = written[static_cast<std::size_t>(bank)]++;
      programs.push_back(rig.write(page_of(bank, 16 * kPagesOfBlock + next)));
    } else {
      reads.push_back(rig.read(page_of(bank, numbers.below(4096))));
    }
  }
  rig.drain();
  kept_.judge("mixed", "senses", static_cast<double>(rig.senses()));
  kept_.judge("mixed", "programs", static_cast<double>(rig.value("nvdimm.nand.programs")));
  kept_.judge("mixed", "erases", static_cast<double>(rig.value("nvdimm.nand.erases")));
  kept_.judge("mixed", "mean_read_latency_ns", mean(rig, reads) + kept_.constant("read"));
  kept_.judge("mixed", "mean_program_latency_ns", mean(rig, programs) + kept_.constant("program"));
}

}  // namespace
}  // namespace hmsim::testing
