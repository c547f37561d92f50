// SPDX-License-Identifier: BSD-3-Clause
#include "dram/dramsim3_ini.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "dram/standard.h"

namespace hmsim {

namespace {

// How Config in DRAMsim3's src/configuration.cc uses a key. `passed_over`: the key occurs in
// shipped files, but DRAMsim3 does not read it.
enum class Use { number, word, passed_over };

struct Key {
  const char* section;
  const char* name;
  Use use;
  double low = 0;
  double high = 0;
  bool required = false;
};

constexpr double kMost = 1 << 24;  // cycles, rows, ...
constexpr const char* kTiming = "timing";

const std::vector<Key>& keys() {
  static const std::vector<Key> kList = [] {
    std::vector<Key> all{
        {"dram_structure", "protocol", Use::word, 0, 0, true},
        {"dram_structure", "bankgroups", Use::number, 1, 8, true},
        {"dram_structure", "banks_per_group", Use::number, 1, 64, true},
        {"dram_structure", "bankgroup_enable", Use::word},
        {"dram_structure", "rows", Use::number, 1024, kMost, true},
        {"dram_structure", "columns", Use::number, 64, 1 << 16, true},
        {"dram_structure", "device_width", Use::number, 4, 128, true},
        {"dram_structure", "BL", Use::number, 0, 64, true},
        {"dram_structure", "num_dies", Use::number, 1, 64},
        {"dram_structure", "hbm_dual_cmd", Use::word},
        {kTiming, "tCK", Use::number, 0.1, 100, true},
        {kTiming, "AL", Use::number, 0, 200},
    };
    for (const char* name : {"CL", "CWL", "tRCD", "tRP", "tRAS", "tRFC", "tREFI", "tRRD_S", "tFAW",
                             "tWR", "tWTR_S", "tRTP", "tCCD_S", "tRTRS"}) {
      all.push_back({kTiming, name, Use::number, 0, kMost, true});
    }
    for (const char* name :
         {"tRRD_L", "tWTR_L", "tCCD_L", "tCKE", "tCKESR", "tXS", "tXP", "tRFCb", "tREFIb", "tRPRE",
          "tWPRE", "tPPD", "t32AW", "tRCDRD", "tRCDWR", "ideal_memory_latency"}) {
      all.push_back({kTiming, name, Use::number, 0, kMost});
    }
    for (const char* name : {"tRFC2", "tRFC4", "tWR2"}) {
      all.push_back({kTiming, name, Use::passed_over});
    }
    for (const char* name : {"VDD", "IDD0", "IDD2P", "IDD2N", "IDD3N", "IDD4W", "IDD4R", "IDD5AB",
                             "IDD5PB", "IDD6x"}) {
      all.push_back({"power", name, Use::number, 0, kMost});
    }
    for (const char* name : {"IPP0", "IDD3P"}) {
      all.push_back({"power", name, Use::passed_over});
    }
    for (const char* name : {"channel_size", "channels", "cmd_queue_size", "trans_queue_size",
                             "write_buf_size", "sref_threshold"}) {
      all.push_back({"system", name, Use::number, 0, kMost});
    }
    all.push_back({"system", "bus_width", Use::number, 8, 1024, true});
    for (const char* name :
         {"address_mapping", "queue_structure", "row_buf_policy", "unified_queue", "refresh_policy",
          "enable_self_refresh", "aggressive_precharging_enabled"}) {
      all.push_back({"system", name, Use::word});
    }
    for (const char* name : {"epoch_period", "output_level"}) {
      all.push_back({"other", name, Use::number, -1, 1e12});
    }
    all.push_back({"other", "output_prefix", Use::word});
    return all;
  }();
  return kList;
}

// Sections that do not affect the DRAM model.
constexpr std::array<const char*, 2> kOtherSections{"thermal", "hmc"};

// Misspellings in the files that DRAMsim3 ships: twelve DDR3 files and three LPDDR3 files.
constexpr std::array<std::pair<const char*, const char*>, 1> kMisspelt{{{"REFI", "tREFI"}}};

std::string trimmed(std::string text) {
  text.erase(std::find_if(text.begin(), text.end(), [](char c) { return c == ';' || c == '#'; }),
             text.end());
  const auto first = text.find_first_not_of(" \t\r");
  return first == std::string::npos
             ? ""
             : text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

class Reader {
 public:
  Reader(std::string file, bool mend) : file_(std::move(file)), mend_(mend) {}

  void read(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    for (line_ = 1; std::getline(lines, line); ++line_) {
      take(trimmed(line));
    }
    for (const Key& key : keys()) {
      if (key.required && values_.count(key.name) == 0) {
        errors_.push_back(file_ + ": [" + key.section + "] " + key.name +
                          " is required; DRAMsim3 would use its default");
      }
    }
    throw_if_wrong();
  }

  double number(const char* name, double missing = 0) const {
    const auto found = values_.find(name);
    return found == values_.end() ? missing : std::strtod(found->second.second.c_str(), nullptr);
  }
  std::int64_t integer(const char* name, std::int64_t missing = 0) const {
    return static_cast<std::int64_t>(number(name, static_cast<double>(missing)));
  }
  std::string word(const char* name, const std::string& missing = "") const {
    const auto found = values_.find(name);
    return found == values_.end() ? missing : found->second.second;
  }
  void refuse(const char* name, const std::string& what) {
    const auto found = values_.find(name);
    errors_.push_back(file_ + ":" +
                      std::to_string(found == values_.end() ? 1 : found->second.first) + ": " +
                      name + ": " + what);
  }
  void throw_if_wrong() const {
    if (errors_.empty()) {
      return;
    }
    std::string all = errors_.front();
    for (std::size_t i = 1; i < errors_.size(); ++i) {
      all += "\n" + errors_[i];
    }
    throw InputError(all);
  }

 private:
  void error(const std::string& what) {
    errors_.push_back(file_ + ":" + std::to_string(line_) + ": " + what);
  }

  bool skipped() const {
    return std::find(kOtherSections.begin(), kOtherSections.end(), section_) !=
           kOtherSections.end();
  }

  void take(const std::string& line) {
    if (line.empty()) {
      return;
    }
    if (line.front() == '[' && line.back() == ']') {
      section_ = line.substr(1, line.size() - 2);
      const bool known =
          skipped() || std::any_of(keys().begin(), keys().end(),
                                   [this](const Key& key) { return section_ == key.section; });
      if (!known) {
        error("unknown section [" + section_ + "]");
      }
      return;
    }
    const std::size_t equals = line.find_first_of("=:");
    if (equals == std::string::npos) {
      error("expected 'key = value'");
    } else if (!skipped()) {
      take(trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)));
    }
  }

  void take(std::string name, const std::string& value) {
    for (const auto& [wrong, right] : kMisspelt) {
      if (mend_ && name == wrong) {
        name = right;
      }
    }
    const auto key = std::find_if(keys().begin(), keys().end(), [&](const Key& known) {
      return name == known.name && section_ == known.section;
    });
    if (key == keys().end()) {
      std::vector<std::string> names;
      for (const Key& known : keys()) {
        if (section_ == known.section) {
          names.emplace_back(known.name);
        }
      }
      const std::string nearest = nearest_name(name, names);
      error("unknown key '" + name + "' in [" + section_ + "]" +
            (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
      return;
    }
    if (!values_.emplace(name, std::make_pair(line_, value)).second) {
      error(name + " is given twice");
    }
    if (key->use == Use::number) {
      char* end = nullptr;
      const double number = std::strtod(value.c_str(), &end);
      if (value.empty() || *end != '\0' || !(number >= key->low && number <= key->high)) {
        std::ostringstream range;
        range << key->low << " .. " << key->high;
        error(name + ": '" + value + "' is not a number in " + range.str());
      }
    }
  }

  const std::string file_;
  const bool mend_;
  std::int64_t line_ = 1;
  std::string section_;
  std::map<std::string, std::pair<std::int64_t, std::string>, std::less<>> values_;
  std::vector<std::string> errors_;
};

struct TimingKey {
  const char* name;
  std::int64_t DramTiming::*field;
};

constexpr std::array<TimingKey, 14> kIniTimings{{{"CL", &DramTiming::cl},
                                                 {"CWL", &DramTiming::cwl},
                                                 {"tRCD", &DramTiming::trcd},
                                                 {"tRP", &DramTiming::trp},
                                                 {"tRAS", &DramTiming::tras},
                                                 {"tRRD_S", &DramTiming::trrd},
                                                 {"tFAW", &DramTiming::tfaw},
                                                 {"tWR", &DramTiming::twr},
                                                 {"tWTR_S", &DramTiming::twtr},
                                                 {"tRTP", &DramTiming::trtp},
                                                 {"tCCD_S", &DramTiming::tccd},
                                                 {"tRTRS", &DramTiming::trtrs},
                                                 {"tREFI", &DramTiming::trefi},
                                                 {"tRFC", &DramTiming::trfc}}};
constexpr std::array<TimingKey, 3> kGroupTimings{{{"tRRD_L", &DramTiming::trrd_l},
                                                  {"tWTR_L", &DramTiming::twtr_l},
                                                  {"tCCD_L", &DramTiming::tccd_l}}};
struct PowerKey {
  const char* name;
  std::int64_t DramPower::*field;
};

constexpr std::array<PowerKey, 9> kPower{{{"VDD", &DramPower::vdd},
                                          {"IDD0", &DramPower::idd0},
                                          {"IDD2N", &DramPower::idd2n},
                                          {"IDD2P", &DramPower::idd2p},
                                          {"IDD3N", &DramPower::idd3n},
                                          {"IDD4R", &DramPower::idd4r},
                                          {"IDD4W", &DramPower::idd4w},
                                          {"IDD5AB", &DramPower::idd5},
                                          {"IDD6x", &DramPower::idd6}}};
// DRAMsim3 has its own defaults for these. They apply here if a file omits the key.
constexpr std::array<TimingKey, 4> kIniSleepTimings{{{"tCKE", &DramTiming::tcke},
                                                     {"tXP", &DramTiming::txp},
                                                     {"tCKESR", &DramTiming::tckesr},
                                                     {"tXS", &DramTiming::txs}}};

constexpr std::int64_t kBurstLength = 8;
constexpr std::int64_t kBusWidth = 64;
constexpr double kPicosecondsPerNanosecond = 1000;

bool power_of_two(std::int64_t number) { return number > 0 && (number & (number - 1)) == 0; }

const DramStandardDescriptor* read_standard(Reader& reader) {
  const std::string protocol = reader.word("protocol");
  const DramStandardDescriptor* found = nullptr;
  std::string known;
  for (const DramStandardDescriptor* standard : kDramStandardTable) {
    if (standard->dramsim3_protocol != nullptr) {
      found = protocol == standard->dramsim3_protocol ? standard : found;
      known.append(known.empty() ? "" : " or ").append(standard->dramsim3_protocol);
    }
  }
  if (found == nullptr) {
    reader.refuse("protocol", "'" + protocol + "' is not supported: must be " + known);
  }
  return found;
}

void read_organisation(Reader& reader, DramOrganisation& organisation) {
  if (reader.integer("BL") != kBurstLength || reader.integer("bus_width") != kBusWidth) {
    reader.refuse("BL", "must be 8, with a bus_width of 64: lines of 64 bytes");
  }
  const bool grouped = reader.word("bankgroup_enable", "true") == "true";
  const std::int64_t groups = reader.integer("bankgroups");
  organisation.groups = grouped ? groups : 1;
  organisation.banks = groups * reader.integer("banks_per_group");
  organisation.rows = reader.integer("rows");
  organisation.columns = reader.integer("columns") / kBurstLength;
  organisation.devices = kBusWidth / reader.integer("device_width");
  for (const char* name : {"bankgroups", "banks_per_group", "rows", "columns"}) {
    if (!power_of_two(reader.integer(name))) {
      reader.refuse(name, "must be a power of two");
    }
  }
}

// `grouped`: the part has bank groups.
void read_timing(Reader& reader, bool grouped, DramTiming& timing) {
  if (reader.integer("AL") != 0) {
    reader.refuse("AL", "must be 0: an additive latency is not modelled");
  }
  timing.tck_ps = static_cast<std::int64_t>(reader.number("tCK") * kPicosecondsPerNanosecond + 0.5);
  for (const TimingKey& key : kIniTimings) {
    timing.*key.field = reader.integer(key.name);
  }
  for (const TimingKey& key : kIniSleepTimings) {
    if (!reader.word(key.name).empty()) {
      timing.*key.field = reader.integer(key.name);
    }
  }
  timing.trc = timing.tras + timing.trp;
  timing.burst = kBurstLength / 2;
  if (!grouped) {
    return;
  }
  for (const TimingKey& key : kGroupTimings) {
    if (reader.word(key.name).empty()) {
      reader.refuse(key.name, "is required for a part with bank groups");
    }
    timing.*key.field = reader.integer(key.name);
  }
}

void read_power(Reader& reader, DramPower& power) {
  constexpr double kMicroPerVolt = 1e6;
  constexpr double kMicroPerMilliampere = 1e3;
  for (const PowerKey& key : kPower) {
    if (!reader.word(key.name).empty()) {
      const double unit = key.field == &DramPower::vdd ? kMicroPerVolt : kMicroPerMilliampere;
      power.*key.field = static_cast<std::int64_t>(reader.number(key.name) * unit + 0.5);
    }
  }
}

}  // namespace

Dramsim3Ini read_dramsim3_ini(const std::string& text, const std::string& file, bool mend) {
  Reader reader(file, mend);
  reader.read(text);
  Dramsim3Ini ini;
  ini.standard = read_standard(reader);
  read_organisation(reader, ini.organisation);
  read_timing(reader, ini.organisation.groups > 1, ini.timing);
  read_power(reader, ini.power);
  reader.throw_if_wrong();
  return ini;
}

}  // namespace hmsim
