// SPDX-License-Identifier: BSD-3-Clause
// Table of the statistics in a struct: each field with its name, unit and description, in the order
// in which statistics are reported. Saving, loading and reporting all use the table. complete()
// proves at compile time that no field is missing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

// `Counts` is the type that Module::statistics() returns. Several modules are reported as one.
template <class Module, class Counts>
class StatisticTable {
 public:
  using Modules = std::vector<Module*>;

  // A field, or a statistic derived from fields. Some members are null for derived statistics, and
  // for fields that are reported only through derived ones.
  struct Row {
    const char* name = nullptr;
    const char* unit = nullptr;
    const char* description = nullptr;
    std::int64_t scale = 1;
    std::size_t bytes = 0;  // of the field
    void (*serialize)(Counts&, Archive&) = nullptr;
    void (*report)(const Row&, StatisticRegistry&, const Modules&) = nullptr;
    std::int64_t (*whole)(const Module&) = nullptr;
    void (*derive)(StatisticRegistry&, const Modules&) = nullptr;
  };

  // A field that is saved but not reported on its own.
  template <auto kField>
  static constexpr Row part() {
    return field<kField>(nullptr, nullptr, nullptr);
  }
  template <auto kField>
  static constexpr Row counter(const char* name, const char* unit, const char* description) {
    Row row = field<kField>(name, unit, description);
    row.report = report_counters<kField>;
    return row;
  }
  // A counter, reported divided by `scale`.
  template <auto kField>
  static constexpr Row scaled(const char* name, const char* unit, const char* description,
                              std::int64_t scale) {
    Row row = field<kField>(name, unit, description);
    row.scale = scale;
    row.report = report_scaled<kField>;
    return row;
  }
  template <auto kField>
  static constexpr Row histogram(const char* name, const char* unit, const char* description,
                                 std::int64_t scale) {
    Row row = field<kField>(name, unit, description);
    row.scale = scale;
    row.report = report_histograms<kField>;
    return row;
  }
  // An occupancy, reported as the mean number of busy units divided by `whole`, the module's total.
  template <auto kField>
  static constexpr Row utilisation(const char* name, const char* description,
                                   std::int64_t (*whole)(const Module&)) {
    Row row = field<kField>(name, "", description);
    row.whole = whole;
    row.report = report_utilisation<kField>;
    return row;
  }
  // Sum of counters that have their own rows.
  template <auto... kFields>
  static constexpr Row sum(const char* name, const char* unit, const char* description) {
    Row row;
    row.name = name;
    row.unit = unit;
    row.description = description;
    row.report = report_counters<kFields...>;
    return row;
  }
  template <auto kBelow, auto... kAbove>
  static constexpr Row ratio(const char* name, const char* description) {
    Row row;
    row.name = name;
    row.description = description;
    row.report = report_ratio<kBelow, kAbove...>;
    return row;
  }
  // Further statistics reported at this place in the order.
  static constexpr Row derived(void (*derive)(StatisticRegistry&, const Modules&)) {
    Row row;
    row.derive = derive;
    return row;
  }

  // Returns whether each field of the struct has exactly one row in one of the tables. The struct
  // must have no padding.
  template <class... Tables>
  static constexpr bool complete(const Tables&... tables) {
    std::array<void (*)(Counts&, Archive&), (std::tuple_size_v<Tables> + ...)> known{};
    std::size_t count = 0;
    std::size_t bytes = 0;
    bool twice = false;
    const auto add = [&](const Row& row) {
      for (std::size_t i = 0; row.serialize != nullptr && i < count; ++i) {
        twice = twice || known[i] == row.serialize;
      }
      if (row.serialize != nullptr) {
        known[count++] = row.serialize;
      }
      bytes += row.bytes;
    };
    const auto add_all = [&](const auto& table) {
      for (const Row& row : table) {
        add(row);
      }
    };
    (add_all(tables), ...);
    return !twice && bytes == sizeof(Counts);
  }

  template <class... Tables>
  static void serialize(Counts& counts, Archive& archive, const Tables&... tables) {
    const auto all = [&](const auto& table) {
      for (const Row& row : table) {
        if (row.serialize != nullptr) {
          row.serialize(counts, archive);
        }
      }
    };
    (all(tables), ...);
  }

  template <class Table>
  static void report(const Table& table, StatisticRegistry& registry, const Modules& modules) {
    for (const Row& row : table) {
      if (row.report != nullptr) {
        row.report(row, registry, modules);
      } else if (row.derive != nullptr) {
        row.derive(registry, modules);
      }
    }
  }

 private:
  template <auto kField>
  using FieldOf = std::remove_reference_t<decltype(std::declval<Counts&>().*kField)>;

  template <auto kField>
  static constexpr Row field(const char* name, const char* unit, const char* description) {
    Row row;
    row.name = name;
    row.unit = unit;
    row.description = description;
    row.bytes = sizeof(FieldOf<kField>);
    row.serialize = serialize_field<kField>;
    return row;
  }
  template <auto kField>
  static void serialize_field(Counts& counts, Archive& archive) {
    archive(counts.*kField);
  }

  template <auto... kFields>
  static std::function<double()> sum_of(const Modules& modules) {
    return [modules] {
      Counter total = 0;
      for (Module* module : modules) {
        total += ((module->statistics().*kFields) + ...);
      }
      return static_cast<double>(total);
    };
  }
  template <auto... kFields>
  static void report_counters(const Row& row, StatisticRegistry& registry, const Modules& modules) {
    std::vector<Counter*> sources;
    for (Module* module : modules) {
      (sources.push_back(&(module->statistics().*kFields)), ...);
    }
    registry.counter(row.name, row.unit, row.description, std::move(sources));
  }
  template <auto kField>
  static void report_scaled(const Row& row, StatisticRegistry& registry, const Modules& modules) {
    registry.gauge(row.name, row.unit, row.description,
                   [read = sum_of<kField>(modules), scale = static_cast<double>(row.scale)] {
                     return read() / scale;
                   });
  }
  template <auto kField>
  static void report_histograms(const Row& row, StatisticRegistry& registry,
                                const Modules& modules) {
    std::vector<Histogram*> sources;
    for (Module* module : modules) {
      auto& own = module->statistics().*kField;
      if constexpr (std::is_same_v<FieldOf<kField>, Histogram>) {
        sources.push_back(&own);
      } else {
        sources.push_back(&own.histogram());
      }
    }
    registry.histogram(row.name, row.unit, row.description, row.scale, std::move(sources));
  }
  template <auto kBelow, auto... kAbove>
  static void report_ratio(const Row& row, StatisticRegistry& registry, const Modules& modules) {
    registry.ratio(row.name, row.description, sum_of<kAbove...>(modules), sum_of<kBelow>(modules));
  }
  template <auto kField>
  static void report_utilisation(const Row& row, StatisticRegistry& registry,
                                 const Modules& modules) {
    const std::int64_t whole = row.whole(*modules.front());
    registry.gauge(row.name, row.unit, row.description, [modules, whole] {
      double busy = 0;
      for (Module* module : modules) {
        busy += (module->statistics().*kField).mean(module->now());
      }
      return busy / static_cast<double>(whole) / static_cast<double>(modules.size());
    });
  }
};

}  // namespace hmsim
