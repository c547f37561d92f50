// SPDX-License-Identifier: BSD-3-Clause
// Are values refused that were, with the same words? Every parameter of controller, DRAM, NVDIMM
// and policies takes many values, one at a time, beside each of a few configurations; how often it
// is refused, and a digest of what is said, are compared with what is stored.
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "policies/policy.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/golden/golden_file.h"

namespace hmsim::testing {

namespace {

struct Base {
  std::string name;
  Assignments config;
};

const std::vector<Base>& bases() {
  static const std::vector<Base> all{
      {"defaults", {}},
      {"drained_two_level",
       {{"controller.queues", "split"},
        {"controller.structure", "two_level"},
        {"controller.writes", "drained"},
        {"controller.queue_depth", "32"},
        {"controller.nvdimm_queue_depth", "16"},
        {"controller.command_queue_depth", "16"},
        {"dram.preset", "ddr5_4800b_16gb_x8"},
        {"nvdimm.buffer.granularity", "page"},
        {"nvdimm.ftl.map_cache", "1MiB"}}},
      {"two_of_pcm",
       {{"dram.preset", "ddr4_2400t_8gb_x8"},
        {"controller.ack", "nvdimm_p"},
        {"nvdimm.kind", "pcm"},
        {"nvdimm.count", "2"},
        {"nvdimm.interleave", "range"},
        {"nvdimm.interleave_size", "64KiB"}}},
      {"small_flash", kGoldenFlash},
      {"lpddr5", {{"dram.preset", "lpddr5_6400_16gb_x16"}, {"nvdimm.present", "false"}}},
      {"hbm3",
       {{"dram.preset", "hbm3_6400_8h_4gb_x32"},
        {"controller.channels", "2"},
        {"nvdimm.present", "false"}}},
      {"private_bus", {{"controller.bus", "private"}, {"controller.queues", "split"}}},
      {"sttram_beside_flash",
       {{"nvdimm.count", "2"},
        {"nvdimm.interleave", "device"},
        {"nvdimm.devices", "1: kind=sttram, capacity=64MiB"}}},
  };
  return all;
}

// A configuration as given, from which others that differ in one value are made.
class Configuration {
 public:
  explicit Configuration(const Assignments& base) : base_(base) {
    config_.declare(parameters_);
    declare_all_policies(parameters_, policies_);
    EXPECT_TRUE(parameters_.apply(base).empty());
    given_ = config_;
    values_ = parameters_.values();
    for (const ParameterError& error : errors(values_.front().first, values_.front().second)) {
      ADD_FAILURE() << "as it is given: " << error.name << ": " << error.message;
    }
  }

  std::vector<ParameterInfo> parameters() const { return parameters_.describe(); }
  const Assignments& values() const { return values_; }
  // What is wrong when a parameter has another value.
  std::vector<ParameterError> errors(const std::string& name, const std::string& value) {
    const auto before = std::find_if(values_.begin(), values_.end(),
                                     [&](const Assignment& each) { return each.first == name; });
    std::vector<ParameterError> errors = parameters_.apply({{name, value}});
    if (errors.empty()) {
      config_.assignments = plus(base_, {{name, value}});
      config_.resolve_presets();
      errors = config_.check();
      config_ = given_;
      parameters_.apply({*before});
    }
    return errors;
  }

 private:
  const Assignments base_;
  SystemConfig config_;
  SystemConfig given_;
  Assignments values_;
  ParameterSet parameters_;
  std::vector<std::unique_ptr<Policy>> policies_;
};

// The value; where it is a whole number, with or without a unit, one more and one less of it, too.
void add_neighbours(const std::string& value, std::set<std::string>& values) {
  values.insert(value);
  char* unit = nullptr;
  const long long number = std::strtoll(value.c_str(), &unit, 10);
  const bool whole = unit != value.c_str() && *unit != '.';
  if (whole && number > LLONG_MIN && number < LLONG_MAX) {
    values.insert(std::to_string(number + 1) + unit);
    values.insert(std::to_string(number - 1) + unit);
  }
}

// The choices, or both ends of a range, that "a | b" and "1 .. 8" tell, with their neighbours; and
// what other parameters of this type have.
std::set<std::string> values_for(const ParameterInfo& info, const Configuration& configuration) {
  std::set<std::string> values;
  std::string word;
  for (const char letter : info.range + " ") {
    if (letter != ' ') {
      word += letter;
    } else if (!word.empty()) {
      add_neighbours(std::exchange(word, ""), values);
    }
  }
  const std::vector<ParameterInfo> all = configuration.parameters();
  const Assignments& present = configuration.values();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].type == info.type && info.type != "choice" && info.type != "text") {
      add_neighbours(present[i].second, values);
    }
  }
  return values;
}

class RefusedValues : public ::testing::TestWithParam<std::size_t> {};

TEST_P(RefusedValues, AreThoseThatWere) {
  const Base& base = bases()[GetParam()];
  Configuration configuration(base.config);
  GoldenValues found;
  for (const ParameterInfo& info : configuration.parameters()) {
    Tally refused;
    const std::set<std::string> values = values_for(info, configuration);
    for (const std::string& value : values) {
      Digest digest;
      digest.add(value);
      const std::vector<ParameterError> errors = configuration.errors(info.name, value);
      for (const ParameterError& error : errors) {
        digest.add(error.name);
        digest.add(error.message);
      }
      if (!errors.empty()) {
        refused.add(digest);
      }
    }
    found.emplace_back(info.name, std::to_string(values.size()) + " " + refused.text());
  }
  std::vector<std::string> names;
  for (const Base& each : bases()) {
    names.push_back(each.name);
  }
  expect_stored("refused_values", base.name, found, names);
}

INSTANTIATE_TEST_SUITE_P(All, RefusedValues, ::testing::Range<std::size_t>(0, bases().size()),
                         [](const auto& each) { return bases()[each.param].name; });

}  // namespace

}  // namespace hmsim::testing
