// SPDX-License-Identifier: BSD-3-Clause
// Who competes: what a policy that ranks threads takes for a thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/parameters.h"
#include "policies/policy.h"

namespace hmsim {

enum class SourceModel : std::uint8_t { core, core_class, by_class };

// Numbers the sources of a channel 0, 1, ... in order of their first request.
class Sources {
 public:
  void declare(ParameterSet& parameters) {
    parameters.choice("sources", model_,
                      {{"core", SourceModel::core},
                       {"core_class", SourceModel::core_class},
                       {"class", SourceModel::by_class}},
                      {"what is ranked: cores, the DRAM and NVDIMM requests of each core apart, or "
                       "the two classes",
                       "core: the policy's paper; core_class: assumed, as FIRM tells sources"});
  }

  // To be asked first when a request of the source arrives.
  std::size_t arrive(const RequestView& request) {
    return introduce(static_cast<std::int64_t>(name_of(request)));
  }
  // The number of a source that other channels may know already, by its name there.
  std::size_t introduce(std::int64_t source_name) {
    const auto name = static_cast<std::size_t>(source_name);
    if (name >= numbers_.size()) {
      numbers_.resize(name + 1, kUnknown);
    }
    if (numbers_[name] == kUnknown) {
      numbers_[name] = static_cast<std::int32_t>(names_.size());
      names_.push_back(source_name);
    }
    return static_cast<std::size_t>(numbers_[name]);
  }
  std::size_t of(const RequestView& request) const {
    return static_cast<std::size_t>(numbers_[name_of(request)]);
  }

  std::size_t count() const { return names_.size(); }
  // The same in all channels. Orders sources that are otherwise equal: by core, DRAM first.
  std::int64_t name(std::size_t source) const { return names_[source]; }

  void serialize(Archive& archive) {
    archive(numbers_, names_);
    std::size_t known = 0;
    for (std::size_t name = 0; name < numbers_.size(); ++name) {
      if (numbers_[name] != kUnknown) {
        archive.check_index(numbers_[name], names_.size(), "a source has no name");
        archive.check(
            names_[static_cast<std::size_t>(numbers_[name])] == static_cast<std::int64_t>(name),
            "a source has another name");
        ++known;
      }
    }
    archive.check(known == names_.size() && numbers_.size() <= kMostNames,
                  "there are sources without a number");
  }
  // Loading: names that a policy keeps; the sources of requests.
  static void check_names(const Archive& archive, const std::vector<std::int64_t>& names) {
    archive.check_indices(names, kMostNames, "there is no such source");
  }
  void check_held(const Archive& archive, const HeldRequests& held) const {
    for (const HeldRequest& each : held) {
      const std::size_t name = name_of(each.view);
      archive.check(name < numbers_.size() && numbers_[name] != kUnknown,
                    "a request has an unknown source");
    }
  }

 private:
  static constexpr std::int32_t kUnknown = -1;
  static constexpr std::size_t kMostNames = std::size_t{1} << 17;  // cores x classes

  std::size_t name_of(const RequestView& request) const {
    const auto memory = static_cast<std::size_t>(request.memory);
    return model_ == SourceModel::core         ? request.source
           : model_ == SourceModel::core_class ? std::size_t{request.source} * 2 + memory
                                               : memory;
  }

  SourceModel model_ = SourceModel::core_class;
  std::vector<std::int32_t> numbers_;  // by name
  std::vector<std::int64_t> names_;    // by number
};

}  // namespace hmsim
