// SPDX-License-Identifier: BSD-3-Clause
#include "dram/dramsim3/device_config.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/errors.h"
#include "dram/standard.h"

namespace hmsim {

namespace {

constexpr std::int64_t kBurstLength = 8;
constexpr std::int64_t kBytesPerMegabyte = 1 << 20;
constexpr double kPicosecondsPerNanosecond = 1000;

std::string ini_of(const DramParameters& dram, const DramModelParameters& options,
                   std::int64_t queue_depth) {
  const DramOrganisation& part = dram.organisation;
  const DramTiming& t = dram.timing;
  const bool grouped = part.groups > 1;
  std::ostringstream ini;
  ini << "[dram_structure]\nprotocol = " << dram.standard->dramsim3_protocol
      << "\nbankgroups = " << part.groups << "\nbanks_per_group = " << part.banks / part.groups
      << "\nrows = " << part.rows << "\ncolumns = " << part.columns * kBurstLength
      << "\ndevice_width = 8\nBL = " << kBurstLength
      << "\n[timing]\ntCK = " << static_cast<double>(t.tck_ps) / kPicosecondsPerNanosecond
      << "\nAL = 0\nCL = " << t.cl << "\nCWL = " << t.cwl << "\ntRCD = " << t.trcd
      << "\ntRP = " << t.trp << "\ntRAS = " << t.tras << "\ntRFC = " << t.trfc
      << "\ntREFI = " << t.trefi << "\ntRRD_S = " << t.trrd
      << "\ntRRD_L = " << (grouped ? t.trrd_l : t.trrd) << "\ntWTR_S = " << t.twtr
      << "\ntWTR_L = " << (grouped ? t.twtr_l : t.twtr) << "\ntCCD_S = " << t.tccd
      << "\ntCCD_L = " << (grouped ? t.tccd_l : t.tccd) << "\ntFAW = " << t.tfaw
      << "\ntWR = " << t.twr << "\ntRTP = " << t.trtp << "\ntRTRS = " << t.trtrs
      << "\n[system]\nchannel_size = " << dram.capacity().value() / kBytesPerMegabyte
      << "\nchannels = 1\nbus_width = 64\naddress_mapping = rochbgbaraco\n"
      << "queue_structure = PER_BANK\nrow_buf_policy = OPEN_PAGE\n"
      << "refresh_policy = RANK_LEVEL_STAGGERED\ncmd_queue_size = " << options.command_queue
      << "\ntrans_queue_size = " << queue_depth
      << "\nunified_queue = " << (options.unified_queue ? "true" : "false")
      << "\n[other]\noutput_level = 0\n";
  return ini.str();
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_((std::filesystem::temp_directory_path() / "hmsim-dramsim3-XXXXXX").string()) {
    const int descriptor = ::mkstemp(path_.data());
    std::ofstream file(path_);
    file << text;
    if (descriptor < 0 || ::close(descriptor) != 0 || !file.flush()) {
      throw InputError("cannot write '" + path_ + "', DRAMsim3's configuration");
    }
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

std::unique_ptr<dramsim3::Config> dramsim3_config(const DramParameters& dram,
                                                  const DramModelParameters& options,
                                                  std::int64_t queue_depth) {
  const TemporaryFile file(ini_of(dram, options, queue_depth));
  auto config = std::make_unique<dramsim3::Config>(file.path(), ".");
  ensure(config->ranks == static_cast<int>(dram.ranks), "dramsim3", Tick(0), -1,
         "DRAMsim3 uses another number of ranks");
  return config;
}

dramsim3::Timing dramsim3_timing(const dramsim3::Config& config,
                                 const DramModelParameters& options) {
  using dramsim3::CommandType;
  dramsim3::Timing timing(config);
  if (options.mend_timing) {
    for (const CommandType preceding : {CommandType::WRITE, CommandType::WRITE_PRECHARGE}) {
      for (auto& [following, cycles] : timing.other_ranks[static_cast<std::size_t>(preceding)]) {
        if (following == CommandType::WRITE || following == CommandType::WRITE_PRECHARGE) {
          cycles += config.tRTRS;
        }
      }
    }
  }
  return timing;
}

}  // namespace hmsim
