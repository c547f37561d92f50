// SPDX-License-Identifier: BSD-3-Clause
// Table of the statistics in a struct: each field with its name, unit and description, in the order
// in which statistics are reported. Saving, loading and reporting all use the table. complete()
// proves at compile time that no field is missing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

// `Counts` is the struct: what Module::statistics() returns, or Module itself. Several modules are
// reported as one. A value `kRead` is a field of the struct, or a member or function of the module.
template <class Module, class Counts = Module>
class StatisticTable {
 public:
  using Modules = std::vector<Module*>;

  // Place of a statistic.
  struct Target {
    StatisticRegistry& registry;
    std::string path;
    const Modules& modules;
  };
  // A field, or a statistic derived from fields. Derived statistics have no bytes, and fields that
  // are reported only through them have no name.
  struct Row {
    const char* name = nullptr;
    const char* unit = "";
    const char* description = nullptr;
    void (*report)(const Row&, const Target&) = nullptr;  // null: not reported
    std::int64_t scale = 1;
    std::size_t bytes = 0;  // of the field
    void (*serialize)(Counts&, Archive&) = nullptr;
    void (*derive)(StatisticRegistry&, const Modules&) = nullptr;
  };

  // A field that is saved but not reported on its own.
  template <auto kField>
  static constexpr Row part(Row row = {}) {
    row.bytes = sizeof(FieldOf<kField>);
    row.serialize = serialize_field<kField>;
    return row;
  }
  template <auto kField>
  static constexpr Row counter(const char* name, const char* unit, const char* description) {
    return part<kField>({name, unit, description, report_counters<kField>});
  }
  // A counter, reported divided by `scale`.
  template <auto kField>
  static constexpr Row scaled(const char* name, const char* unit, const char* description,
                              std::int64_t scale) {
    return part<kField>({name, unit, description, report_total<kField>, scale});
  }
  template <auto kField>
  static constexpr Row histogram(const char* name, const char* unit, const char* description,
                                 std::int64_t scale) {
    return part<kField>({name, unit, description, report_histograms<kField>, scale});
  }
  // An occupancy, reported as the mean number of busy units divided by `kWhole`, the module's
  // total.
  template <auto kField, auto kWhole>
  static constexpr Row utilisation(const char* name, const char* description) {
    return part<kField>({name, "", description, report_utilisation<kField, kWhole>});
  }
  // Sum of counters that have their own rows, or that a function of the module returns.
  template <auto... kFields>
  static constexpr Row sum(const char* name, const char* unit, const char* description) {
    return {name, unit, description, report_counters<kFields...>};
  }
  template <auto kBelow, auto... kAbove>
  static constexpr Row ratio(const char* name, const char* description) {
    return {name, "", description, report_ratio<kBelow, kAbove...>};
  }
  // Sum of values over all modules.
  template <auto... kReads>
  static constexpr Row total(const char* name, const char* unit, const char* description) {
    return {name, unit, description, report_total<kReads...>};
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

  // Registers the rows. `prefix` precedes their names.
  template <class Table>
  static void report(const Table& table, StatisticRegistry& registry, const Modules& modules,
                     const std::string& prefix = "") {
    for (const Row& row : table) {
      if (row.report != nullptr) {
        row.report(row, {registry, prefix + row.name, modules});
      } else if (row.derive != nullptr) {
        row.derive(registry, modules);
      }
    }
  }

 private:
  template <auto kField>
  using FieldOf = std::remove_reference_t<decltype(std::declval<Counts&>().*kField)>;

  template <auto kField>
  static void serialize_field(Counts& counts, Archive& archive) {
    archive(counts.*kField);
  }

  template <auto kRead>
  static decltype(auto) value(Module& module) {
    if constexpr (std::is_same_v<Module, Counts> ||
                  !std::is_invocable_v<decltype(kRead), Counts&>) {
      return std::invoke(kRead, module);
    } else {
      return std::invoke(kRead, module.statistics());
    }
  }
  template <auto kRead>
  static double total_of(const Modules& modules) {
    std::decay_t<decltype(value<kRead>(*modules.front()))> total{};
    for (Module* module : modules) {
      total += value<kRead>(*module);
    }
    return static_cast<double>(total);
  }
  template <auto... kReads>
  static std::function<double()> sum_of(const Modules& modules) {
    return [modules] { return (total_of<kReads>(modules) + ...); };
  }

  template <auto... kFields>
  static void report_counters(const Row& row, const Target& to) {
    std::vector<Counter*> sources;
    for (Module* module : to.modules) {
      (sources.push_back(&value<kFields>(*module)), ...);
    }
    to.registry.counter(to.path, row.unit, row.description, std::move(sources));
  }
  template <auto kField>
  static void report_histograms(const Row& row, const Target& to) {
    std::vector<Histogram*> sources;
    for (Module* module : to.modules) {
      auto& own = value<kField>(*module);
      if constexpr (std::is_same_v<FieldOf<kField>, Histogram>) {
        sources.push_back(&own);
      } else {
        sources.push_back(&own.histogram());
      }
    }
    to.registry.histogram(to.path, row.unit, row.description, row.scale, std::move(sources));
  }
  template <auto... kReads>
  static void report_total(const Row& row, const Target& to) {
    to.registry.gauge(to.path, row.unit, row.description,
                      [sum = sum_of<kReads...>(to.modules),
                       scale = static_cast<double>(row.scale)] { return sum() / scale; });
  }
  template <auto kBelow, auto... kAbove>
  static void report_ratio(const Row& row, const Target& to) {
    to.registry.ratio(to.path, row.description, sum_of<kAbove...>(to.modules),
                      sum_of<kBelow>(to.modules));
  }
  template <auto kField, auto kWhole>
  static void report_utilisation(const Row& row, const Target& to) {
    to.registry.gauge(
        to.path, row.unit, row.description,
        [modules = to.modules, whole = static_cast<double>(value<kWhole>(*to.modules.front()))] {
          double busy = 0;
          for (Module* module : modules) {
            busy += value<kField>(*module).mean(module->now());
          }
          return busy / whole / static_cast<double>(modules.size());
        });
  }
};

}  // namespace hmsim
