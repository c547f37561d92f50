// SPDX-License-Identifier: BSD-3-Clause
#include "controller/preconditioned.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/input_file.h"
#include "nvdimm/flash_shape.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/precondition.h"

namespace hmsim {

namespace {

constexpr std::string_view kMagic = "HMSIMPRE";
constexpr std::size_t kHeaderBytes = 32;  // magic, version, hash and length of the rest
constexpr std::uint64_t kVersion = 5;
constexpr std::string_view kLoad = "nvdimm.precondition.load";
constexpr std::array<std::string_view, 3> kBuffer{
    "nvdimm.precondition.buffer", "nvdimm.precondition.resident", "nvdimm.precondition.dirty"};

using Values = std::map<std::string, std::string>;

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// Returns whether a parameter shapes the preconditioned state: the FTL's shape, the pages written,
// and the rules for writing. Buffer contents are not in the file; each run fills the buffer again,
// so one file serves every buffer size.
bool shapes(const SystemConfig& config, std::string_view name) {
  constexpr std::array<std::string_view, 12> kNames{
      "controller.channels",     "nvdimm.capacity",       "nvdimm.ftl.",
      "nvdimm.nand.channels",    "nvdimm.nand.chips",     "nvdimm.nand.dies",
      "nvdimm.nand.planes",      "nvdimm.precondition.",  "nvdimm.nand.pages_per_block",
      "nvdimm.nand.factory_bad", "nvdimm.nand.page_size", "system.store_data"};
  constexpr std::array<std::string_view, 3> kHbf{"nvdimm.kind", "nvdimm.nand.program_failure",
                                                 "hbf.streams"};
  if (config.host_maps() && std::find(kHbf.begin(), kHbf.end(), name) != kHbf.end()) {
    return true;
  }
  if (config.population.count > 1 && (name == "nvdimm.count" || name == "nvdimm.devices")) {
    return true;
  }
  for (const std::string_view prefix : kNames) {
    if (starts_with(name, prefix) && name != kLoad &&
        std::find(kBuffer.begin(), kBuffer.end(), name) == kBuffer.end()) {
      return true;
    }
  }
  // In data mode, blocks are reserved for power failures.
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
  const std::string placement = "policies." + config.nvdimm.ftl.placement + ".";
  for (const auto& [name, text] : config.assignments) {
    if (starts_with(name, victim) || starts_with(name, placement)) {
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
    throw InputError(path + ": preconditioned with " + name + " = " + then + "; this system has " +
                     now);
  }
}

// Checks these two first, because they decide which other parameters count.
void require_same(const std::string& path, const Values& saved, const Values& here) {
  require_same(path, saved, here, "nvdimm.kind");
  require_same(path, saved, here, "system.store_data");
  Values all = saved;
  all.insert(here.begin(), here.end());
  for (const auto& entry : all) {
    require_same(path, saved, here, entry.first);
  }
}

// Returns an upper bound in bytes on the state of such a system and the names of its parameters.
std::uint64_t longest_state(const SystemConfig& config) {
  constexpr std::uint64_t kNames = 1 << 20;
  // Its place, the version of discarded pages, and a placement policy's record.
  constexpr std::uint64_t kOfPage = 64;
  constexpr std::uint64_t kOfBlock = 256;  // counts and links
  constexpr std::uint64_t kOfEntry = 16;   // of a cached map: page and dirty flag
  std::uint64_t bytes = kNames;
  for (const SystemConfig& part : config.channel_configs()) {
    for (const NvdimmParameters& nvdimm : part.nvdimms()) {
      if (!nvdimm.has_ftl()) {
        continue;
      }
      const FtlShape shape = ftl_shape(nvdimm);
      const std::uint64_t blocks = std::uint64_t{shape.luns} * shape.blocks;
      const std::uint64_t of_page = kOfPage + (config.store_data ? 2 * sizeof(PageBytes) : 0);
      bytes += blocks * (kOfBlock + shape.pages * of_page) + shape.cached_entries * kOfEntry;
    }
  }
  return bytes;
}

[[noreturn]] void fail(const std::string& path, const std::string& message) {
  throw InputError(path + ": " + message + " (" + std::string(kLoad) + ")");
}

// Returns whether the text can be shown in a message.
bool is_plain(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  return text.size() <= kLongest &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// Returns the contents after the header, checked against it.
std::string body_of(const std::string& path, const SystemConfig& config) {
  InputFile file(path, kLoad);
  if (file.size() < kHeaderBytes || file.read(kMagic.size()) != kMagic) {
    fail(path, "is not a file of preconditioned state");
  }
  Archive header(file.read(kHeaderBytes - kMagic.size()));
  std::uint64_t version = 0;
  std::uint64_t hash = 0;
  std::uint64_t length = 0;
  header(version, hash, length);
  if (version != kVersion) {
    fail(path, "has version " + std::to_string(version) + ", this simulator reads version " +
                   std::to_string(kVersion));
  }
  if (file.size() - kHeaderBytes != length) {
    fail(path, "damaged: its length differs from the one in its header");
  }
  if (length > longest_state(config)) {
    fail(path, "longer than the largest state of such a memory");
  }
  std::string body = file.read(static_cast<std::size_t>(length));
  if (hash_bytes(body) != hash) {
    fail(path, "damaged: its checksum does not match");
  }
  return body;
}

}  // namespace

std::string preconditioned_shape(const SystemConfig& config, std::uint64_t seed) {
  std::string text;
  for (const auto& [name, value] : shaping(config, seed)) {
    text.append(name).append(" = ").append(value).append("\n");
  }
  return text;
}

std::uint64_t preconditioned_pages(const SystemConfig& config) {
  std::uint64_t pages = 0;
  if (!config.nvdimm.present || !config.nvdimm.precondition.load.empty()) {
    return 0;
  }
  for (const NvdimmParameters& module : config.nvdimms()) {
    if (module.has_ftl()) {
      pages += precondition_pages(module.precondition, ftl_shape(module).logical_pages);
    }
  }
  return pages * static_cast<std::uint64_t>(config.all_channels());
}

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

void load_preconditioned(const std::string& path, const SystemConfig& config, std::uint64_t seed,
                         const std::function<void(Archive&)>& load) {
  Archive body(body_of(path, config));
  std::vector<std::pair<std::string, std::string>> list;
  std::string state;
  try {
    body(list, state);
    for (const auto& [name, value] : list) {
      body.check(is_plain(name) && is_plain(value), "a parameter is malformed");
    }
    body.check(body.at_end(), "it contains more than a state");
  } catch (const InputError& error) {
    fail(path, error.what());
  }
  require_same(path, Values(list.begin(), list.end()), shaping(config, seed));
  try {
    Archive archive(std::move(state));
    load(archive);
    archive.check(archive.at_end(), "it contains more than this memory's state");
  } catch (const InputError& error) {
    fail(path, error.what());
  }
}

}  // namespace hmsim
