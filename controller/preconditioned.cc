// SPDX-License-Identifier: BSD-3-Clause
#include "controller/preconditioned.h"

#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"

namespace hmsim {

namespace {

constexpr std::string_view kMagic = "HMSIMPRE";
constexpr std::size_t kHeaderBytes = 32;  // magic, version, hash of the rest, its length
constexpr std::uint64_t kVersion = 1;
constexpr std::string_view kLoad = "nvdimm.precondition.load";

using Values = std::map<std::string, std::string>;

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// The FTL's shape, what is written to it, and by which rules.
bool shapes(const SystemConfig& config, std::string_view name) {
  constexpr std::array<std::string_view, 11> kNames{
      "controller.channels",     "nvdimm.capacity",      "nvdimm.ftl.",
      "nvdimm.nand.channels",    "nvdimm.nand.chips",    "nvdimm.nand.dies",
      "nvdimm.nand.planes",      "nvdimm.precondition.", "nvdimm.nand.pages_per_block",
      "nvdimm.nand.factory_bad", "system.store_data"};
  for (const std::string_view prefix : kNames) {
    if (starts_with(name, prefix) && name != kLoad) {
      return true;
    }
  }
  // In data mode blocks are kept free for power failures.
  return config.store_data &&
         (name == "nvdimm.buffer.write_size" || name == "nvdimm.buffer.granularity");
}

Values shaping(const SystemConfig& config, std::uint64_t seed) {
  SystemConfig copy = config;
  ParameterSet parameters;
  copy.declare(parameters);
  Values values;
  for (const auto& [name, text] : parameters.values()) {
    if (shapes(config, name)) {
      values[name] = text;
    }
  }
  const std::string victim = "policies." + config.nvdimm.ftl.victim + ".";
  for (const auto& [name, text] : config.assignments) {
    if (starts_with(name, victim)) {
      values[name] = text;
    }
  }
  values["seed"] = std::to_string(seed);
  return values;
}

std::string described(const Values& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? "its default" : found->second;
}

void require_same(const std::string& path, const Values& saved, const Values& here,
                  const std::string& name) {
  const std::string then = described(saved, name);
  const std::string now = described(here, name);
  if (then != now) {
    throw InputError(path + ": preconditioned with " + name + " = " + then + "; here it is " + now);
  }
}

// Which parameters count depends on the first.
void require_same(const std::string& path, const Values& saved, const Values& here) {
  require_same(path, saved, here, "system.store_data");
  Values all = saved;
  all.insert(here.begin(), here.end());
  for (const auto& entry : all) {
    require_same(path, saved, here, entry.first);
  }
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  if (!file || !(content << file.rdbuf())) {
    throw InputError(path + ": cannot be read (" + std::string(kLoad) + ")");
  }
  return content.str();
}

}  // namespace

std::string seal_preconditioned(const SystemConfig& config, std::uint64_t seed, std::string state) {
  const Values values = shaping(config, seed);
  std::vector<std::pair<std::string, std::string>> list(values.begin(), values.end());
  Archive body;
  body(list, state);
  Archive header;
  std::uint64_t version = kVersion;
  std::uint64_t hash = hash_bytes(body.bytes());
  std::uint64_t length = body.bytes().size();
  header(version, hash, length);
  return std::string(kMagic) + header.bytes() + body.bytes();
}

std::string open_preconditioned(const std::string& path, const SystemConfig& config,
                                std::uint64_t seed) {
  const std::string content = content_of(path);
  if (content.size() < kHeaderBytes || !starts_with(content, kMagic)) {
    throw InputError(path + ": not a file of preconditioned state");
  }
  Archive header(content.substr(kMagic.size(), kHeaderBytes - kMagic.size()));
  std::uint64_t version = 0;
  std::uint64_t hash = 0;
  std::uint64_t length = 0;
  header(version, hash, length);
  if (version != kVersion) {
    throw InputError(path + ": has version " + std::to_string(version) +
                     ", this simulator reads version " + std::to_string(kVersion));
  }
  std::string rest = content.substr(kHeaderBytes);
  if (rest.size() != length || hash_bytes(rest) != hash) {
    throw InputError(path + ": damaged: its checksum does not fit");
  }
  Archive body(std::move(rest));
  std::vector<std::pair<std::string, std::string>> list;
  std::string state;
  body(list, state);
  require_same(path, Values(list.begin(), list.end()), shaping(config, seed));
  return state;
}

}  // namespace hmsim
