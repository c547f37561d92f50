// SPDX-License-Identifier: BSD-3-Clause
// Declares statistics over several modules, read as one.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/statistics.h"
#include "core/types.h"

namespace hmsim {

// `Statistics`: what a `Module` counts.
template <class Module, class Statistics>
class Registrar {
 public:
  Registrar(StatisticRegistry& registry, std::vector<Module*> modules)
      : registry_(registry), modules_(std::move(modules)) {}

  void counter(const char* name, const char* unit, const char* description,
               const std::vector<Counter Statistics::*>& members) {
    std::vector<Counter*> sources;
    for (Module* module : modules_) {
      for (const auto member : members) {
        sources.push_back(&(module->statistics().*member));
      }
    }
    registry_.counter(name, unit, description, std::move(sources));
  }

  void histogram(const char* name, const char* unit, const char* description, std::int64_t scale,
                 Histogram Statistics::*member) {
    std::vector<Histogram*> sources;
    for (Module* module : modules_) {
      sources.push_back(&(module->statistics().*member));
    }
    registry_.histogram(name, unit, description, scale, std::move(sources));
  }

  // Sums of counters, one over another.
  void ratio(const char* name, const char* description, std::vector<Counter Statistics::*> above,
             Counter Statistics::*below) {
    registry_.ratio(name, description, sum(std::move(above)), sum({below}));
  }

  // A mean number of busy things over their whole number.
  void utilisation(const char* name, const char* description, Occupancy Statistics::*member,
                   std::int64_t whole) {
    registry_.gauge(name, "", description, [modules = modules_, member, whole] {
      double busy = 0;
      for (Module* module : modules) {
        busy += (module->statistics().*member).mean(module->now());
      }
      return busy / static_cast<double>(whole) / static_cast<double>(modules.size());
    });
  }

  void gauge(const char* name, const char* unit, const char* description, double scale,
             Counter Statistics::*member) {
    registry_.gauge(name, unit, description,
                    [read = sum({member}), scale] { return read() / scale; });
  }

 private:
  std::function<double()> sum(std::vector<Counter Statistics::*> members) const {
    return [modules = modules_, members = std::move(members)] {
      Counter total = 0;
      for (Module* module : modules) {
        for (const auto member : members) {
          total += module->statistics().*member;
        }
      }
      return static_cast<double>(total);
    };
  }

  StatisticRegistry& registry_;
  std::vector<Module*> modules_;
};

}  // namespace hmsim
