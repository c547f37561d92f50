// SPDX-License-Identifier: BSD-3-Clause
// The unit that a ranking policy treats as a thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/parameters.h"
#include "policies/policy.h"

namespace hmsim {

enum class SourceModel : std::uint8_t { core, core_class, by_class };

// Numbers the sources of a channel 0, 1, ... in order of their first request.
class Sources {
 public:
  void declare(ParameterSet& parameters) {
    parameters.choice(
        "sources", model_,
        {{"core", SourceModel::core},
         {"core_class", SourceModel::core_class},
         {"class", SourceModel::by_class}},
        {"unit of ranking: cores; the DRAM and NVDIMM requests of each core separately; or the two "
         "classes",
         "core: the policy's paper; core_class: assumed, as FIRM distinguishes sources"});
  }

  // Returns the source's number; adds it if it is new. Call this before of() for every arriving
  // request.
  std::size_t arrive(const RequestView& request) {
    return introduce(static_cast<std::int64_t>(name_of(request)));
  }
  // Returns the number of the source that other channels know by this name; adds it if it is new.
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
  // Returns the number of a source that has arrived. Throws Fault for an unknown source, which a
  // damaged checkpoint can cause.
  std::size_t of(const RequestView& request) const {
    const std::size_t name = name_of(request);
    const std::int32_t number = name < numbers_.size() ? numbers_[name] : kUnknown;
    ensure(number != kUnknown, "sources", request.arrival, static_cast<std::int64_t>(request.id),
           "the source of this request, which arrived then, is unknown");
    return static_cast<std::size_t>(number);
  }

  std::size_t count() const { return names_.size(); }
  // Returns the source's name, which is the same in all channels. Names order otherwise equal
  // sources: by core, DRAM first.
  std::int64_t name(std::size_t source) const { return names_[source]; }

  void serialize(Archive& archive) {
    std::vector<std::int64_t> names = names_;
    archive(names);
    check_names(archive, names);
    if (archive.loading()) {
      numbers_.clear();
      names_.clear();
      for (const std::int64_t name : names) {
        introduce(name);
      }
    }
  }
  // Checks source names that a policy saves and later passes to introduce().
  static void check_names(const Archive& archive, const std::vector<std::int64_t>& names) {
    archive.check_indices(names, kMostNames, "invalid source");
  }

 private:
  static constexpr std::int32_t kUnknown = -1;
  static constexpr std::size_t kMostNames = std::size_t{1} << 17;

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
