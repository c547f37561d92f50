// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/nand/nand_parameters.h"

#include <algorithm>
#include <string>

#include "core/preset_table.h"
#include "core/units.h"
#include "nvdimm/nand/nand_presets.h"
#include "nvdimm/nand/nand_timing.h"

namespace hmsim {

namespace {

constexpr const char* kTable3 = "the paper, Table III";
constexpr const char* kOnfi = "ONFI 4.1";

// Upper limit of cell times, to reject values with which a controller would hang.
constexpr Tick kLongestCellTime = 100 * kMillisecond;

void declare_geometry(ParameterSet& set, NandParameters& nand) {
  set.integer("channels", nand.channels, {1, 64}, "flash channels",
              {"flash channels, each with a separate bus", kTable3});
  set.integer("chips", nand.chips, {1, 64}, "chips per channel",
              {"flash chips per channel", kTable3});
  set.integer("dies", nand.dies, {1, 16}, "dies per chip",
              {"dies per chip; each is one LUN and works independently", "assumed"});
  set.integer("planes", nand.planes, {1, 16}, "planes per LUN",
              {"planes per LUN. Blocks at the same place in all planes are filled page by page in "
               "turn, collected and erased as one",
               "assumed"});
  set.size("page_size", nand.page_size, {kPageBytes.value(), kMostParts * kPageBytes.value()},
           {"size of a flash page, the unit of reads and programs: 4KiB, 8KiB or 16KiB. It holds "
            "as many logical pages of 4 KiB as fit",
            kTable3});
  set.integer("pages_per_block", nand.pages_per_block, {2, 4096}, "pages",
              {"flash pages per erase block", kTable3});
}

void declare_kind(ParameterSet& set, NandParameters& nand) {
  declare_preset(
      set, "preset", nand.preset, kNandPresets,
      [&nand](const NandPresetRow& row) { set_preset(row.kind, nand); },
      {"kind of cells: a preset of program_model, read_time, program_time, their fast and middle "
       "values, erase_time and cell_bits. Presets from slc_32gb on are whole devices: also "
       "page_size, spare, "
       "transfer_spare, planes, multi_plane, pages_per_block, interface, mode and endurance; "
       "hbf_256 also bus_rate, command_time, cache, cache_busy_time and suspend",
       "table3: the paper; slc: NVDIMMSim; mlc: fast pages of 250 us; tlc: SimpleSSD; devices: "
       "nvdimm/nand/nand_presets.cc"});
  set.choice("suspend", nand.suspend,
             {{"none", SuspendMode::none},
              {"erase", SuspendMode::erase},
              {"program", SuspendMode::program},
              {"both", SuspendMode::both}},
             {"operations that can be suspended for reads that the host waits for", "ONFI 3.2"});
}

void declare_bus(ParameterSet& set, NandParameters& nand) {
  set.choice("interface", nand.interface,
             {{"flat", NandInterface::flat},
              {"sdr", NandInterface::sdr},
              {"nv_ddr", NandInterface::nv_ddr},
              {"nv_ddr2", NandInterface::nv_ddr2},
              {"nv_ddr3", NandInterface::nv_ddr3}},
             {"bus of a flash channel. flat: command_time for command and address, pages at "
              "bus_rate; others: latch cycles, data and status as in the ONFI timing mode",
              "ONFI 4.1; NANDFlashSim"});
  set.integer("mode", nand.mode, {0, 13}, "",
              {"ONFI timing mode: 0 to 5 of sdr and nv_ddr, 0 to 7 of nv_ddr2, 0 to 13 of nv_ddr3; "
               "not for flat",
               kOnfi});
  set.rate("bus_rate", nand.bus_rate,
           {"flat: transfers of one byte on a flash channel", "ONFI NV-DDR timing mode 5"});
  set.time("command_time", nand.command_time,
           {"flat: command and address cycles of an operation, on the channel (tAT)",
            "assumed, from ONFI command cycles"},
           kMillisecond);
  set.boolean("transfer_spare", nand.transfer_spare,
              {"each page transfer includes its spare bytes", "MLC data sheets"});
  set.integer("spare", nand.spare, {0, 4096}, "B",
              {"spare bytes for each 4 KiB of a page", "MLC data sheets"});
  set.time("change_column_time", nand.change_column_time,
           {"flat: command and address cycles to another column of the page in the register",
            "assumed, from ONFI command cycles"},
           kMillisecond);
}

void declare_cells(ParameterSet& set, NandParameters& nand) {
  set.choice(
      "program_model", nand.program_model,
      {{"flat", ProgramModel::flat},
       {"cmlc", ProgramModel::cmlc},
       {"mlc", ProgramModel::mlc},
       {"tlc", ProgramModel::tlc},
       {"qlc", ProgramModel::qlc}},
      {"which pages of a block are fast. cmlc: the even ones, the first 2 and last 2; mlc: the "
       "first 4 and two of every 4; tlc: fast, middle and slow in turn; qlc: fast, two middle ones "
       "and slow in turn. The times of slow pages follow from the means read_time and program_time",
       "NANDFlashSim, models 1 and 2; SimpleSSD"});
  set.time("read_time", nand.read_time, {"cell array to register (tR), mean of a block", kTable3},
           kLongestCellTime);
  set.time("fast_read_time", nand.fast_read_time,
           {"tR of fast pages; not with program_model: flat", "assumed"}, kLongestCellTime);
  set.time("middle_read_time", nand.middle_read_time,
           {"tR of middle pages; only with program_model: tlc and qlc", "assumed"},
           kLongestCellTime);
  set.time("program_time", nand.program_time,
           {"register to cell array (tPROG), mean of a block", kTable3}, kLongestCellTime);
  set.time("fast_program_time", nand.fast_program_time,
           {"tPROG of fast pages; not with program_model: flat", "2-bit MLC parts: 200 to 500 us"},
           kLongestCellTime);
  set.time("middle_program_time", nand.middle_program_time,
           {"tPROG of middle pages; only with program_model: tlc and qlc", "assumed"},
           kLongestCellTime);
  set.time("erase_time", nand.erase_time, {"erase of a block (tBERS)", kTable3}, kLongestCellTime);
  set.integer("cell_bits", nand.cell_bits, {1, 5}, "bits",
              {"bits of a cell. A block in one-bit mode has 1 / cell_bits of its pages", kTable3});
  set.integer_or(
      "slc_blocks", nand.slc_blocks, {1, 1'000'000}, "off", 0, "blocks",
      {"SLC cache: most blocks of a LUN in one-bit mode. The host's pages are written to "
       "them first, and moved to other blocks in idle time or when the cache is full",
       "off"});
  set.time("slc_read_time", nand.slc_read_time, {"tR of pages in one-bit mode", "NVDIMMSim: slc"},
           kLongestCellTime);
  set.time("slc_program_time", nand.slc_program_time,
           {"tPROG of pages in one-bit mode", "NVDIMMSim: slc"}, kLongestCellTime);
  set.real("variation", nand.variation, 0, 50, "percent",
           {"largest random deviation of a page's cell times, uniform in both directions",
            "NANDFlashSim: 5 %"});
}

void declare_commands(ParameterSet& set, NandParameters& nand) {
  set.boolean("multi_plane", nand.multi_plane,
              {"operations that wait for different planes of a LUN, at the same page of their "
               "blocks, run as one",
               "ONFI multi-plane operations"});
  set.boolean("independent_reads", nand.independent_reads,
              {"multi_plane: reads that wait for different planes of a LUN run as one whatever "
               "their blocks and pages, as long as the longest of them",
               "dies since about 2019; they may also begin at different times"});
  set.boolean("cache", nand.cache,
              {"a LUN's cache register moves data while its cells read or program another page",
               "ONFI cache operations"});
  set.boolean("register_hits", nand.register_hits,
              {"a LUN's register keeps the page that it read last until the LUN's next operation, "
               "and reads of it then need no sense; not with cache. Reads that arrive while a page "
               "is sensed or moved share its sense in any case",
               "MQSim merges within a request; NVMeVirt: consecutive pages of a command"});
  set.time("plane_busy_time", nand.plane_busy_time,
           {"time between the commands of a multi-plane operation (tDBSY)", "MQSim"}, kMillisecond);
  set.time("cache_busy_time", nand.cache_busy_time,
           {"time from the start of the cells in a cache operation to the cache register's next "
            "use (tCBSY, tRCBSY)",
            "data sheets: 3 us"},
           kMillisecond);
  set.time("suspend_time", nand.suspend_time,
           {"time from the decision until the cells have stopped", "ONFI parts: below 100 us"},
           kMillisecond);
  set.time("resume_time", nand.resume_time,
           {"time from the last such read until the cells resume", "assumed"}, kMillisecond);
  set.integer("suspend_limit", nand.suspend_limit, {1, 1000}, "reads",
              {"reads that may overtake one suspended operation", "assumed"});
}

void declare_reliability(ParameterSet& set, NandParameters& nand) {
  set.real("factory_bad", nand.factory_bad, 0, 0.1, "of the blocks",
           {"share of blocks that are bad from the beginning; with planes, each spoils the blocks "
            "at the same place in the other planes",
            "data sheets: up to 0.02"});
  set.integer("endurance", nand.endurance, {1, 1'000'000'000}, "erases",
              {"erases of a block before failures begin", "MQSim; 2-bit MLC at 5x nm"});
  set.real("wear_failure", nand.wear_failure, 0, 1, "of erases",
           {"share of the erases of blocks beyond their endurance that fail; the block is retired",
            "assumed"});
  set.real("program_failure", nand.program_failure, 0, 0.01, "of programs",
           {"share of programs that fail; the page is written elsewhere and the block retired",
            "assumed"});
  set.real("read_retry", nand.read_retry, 0, 1, "of reads",
           {"share of reads, and of repeated reads, that must be repeated at the end of the "
            "endurance; before, in proportion to a block's erases",
            "assumed"});
  set.integer("read_retry_limit", nand.read_retry_limit, {1, 100}, "repetitions",
              {"largest number of repetitions of a read, tR each", "assumed"});
  set.time("ecc_time", nand.ecc_time,
           {"time of the error correction of a page, after its transfer; pages overlap", "assumed"},
           kLongestCellTime);
}

void declare_energy(ParameterSet& set, NandEnergyParameters& energy) {
  constexpr const char* kSheets = "MLC data sheets, from memory";
  const ParameterSet::Scope scope(set, "energy");
  const Range range{0, 1'000'000};
  set.integer("vcc", energy.vcc, {1, 10'000}, "mV", {"supply voltage of flash chips", kSheets});
  set.integer("icc_read", energy.icc_read, range, "uA",
              {"current of a plane whose cells are read (ICC1)", kSheets});
  set.integer("icc_program", energy.icc_program, range, "uA",
              {"current of a plane whose cells are programmed (ICC2)", kSheets});
  set.integer("icc_erase", energy.icc_erase, range, "uA",
              {"current of a plane whose cells are erased (ICC3)", kSheets});
  set.integer("icc_bus", energy.icc_bus, range, "uA",
              {"current of a busy flash channel (ICC4)", kSheets});
  set.integer("standby", energy.standby, range, "uA",
              {"standby current of a LUN, always drawn (ISB)", kSheets});
}

}  // namespace

bool is_page_size(Bytes size) {
  return size == kPageBytes || size == 2 * kPageBytes || size == 4 * kPageBytes;
}

std::int64_t NandParameters::factory_bad_superblocks(std::int64_t superblocks) const {
  constexpr double kMillion = 1'000'000;
  constexpr std::int64_t kParts = 1'000'000;
  const auto ppm = static_cast<std::int64_t>(factory_bad * kMillion + 0.5);
  return std::min(superblocks, (superblocks * planes * ppm + kParts - 1) / kParts);
}

void NandParameters::declare(ParameterSet& set) {
  const ParameterSet::Scope scope(set, "nand");
  declare_geometry(set, *this);
  declare_kind(set, *this);
  const ParameterSet::PartData part(set);
  declare_bus(set, *this);
  declare_cells(set, *this);
  declare_commands(set, *this);
  declare_reliability(set, *this);
  declare_energy(set, energy);
}

void NandParameters::check(std::vector<ParameterError>& errors) const {
  if (!is_page_size(page_size)) {
    Bytes nearest = kPageBytes;
    while (2 * nearest <= page_size) {
      nearest = 2 * nearest;
    }
    errors.push_back({"nvdimm.nand.page_size",
                      format_size(page_size) +
                          " is not one of 4KiB, 8KiB and 16KiB; nearest: " + format_size(nearest)});
  }
  struct Modes {
    NandInterface interface;
    const char* name;
    std::int64_t last;
  };
  for (const Modes& modes :
       {Modes{NandInterface::sdr, "sdr", 5}, Modes{NandInterface::nv_ddr, "nv_ddr", 5},
        Modes{NandInterface::nv_ddr2, "nv_ddr2", 7}}) {
    if (interface == modes.interface && mode > modes.last) {
      errors.push_back({"nvdimm.nand.mode", std::to_string(mode) +
                                                " is not one of the timing modes 0 to " +
                                                std::to_string(modes.last) +
                                                " of nvdimm.nand.interface: " + modes.name});
    }
  }
  const auto ordered = [this, &errors](const char* name, Tick fast, const PageTimes& times) {
    if (program_model != ProgramModel::flat && (times.slow < times.middle || times.slow < fast)) {
      errors.push_back({name,
                        "is too short as the mean of a block: slow pages would be faster than fast "
                        "or middle ones; nearest: " +
                            format_time(later(times.middle, fast))});
    }
  };
  ordered("nvdimm.nand.read_time", fast_read_time, read_times(*this));
  ordered("nvdimm.nand.program_time", fast_program_time, program_times(*this));
  if (firmware.occupied > firmware.time) {
    errors.push_back({"nvdimm.firmware.occupied",
                      "must not exceed nvdimm.firmware.time: " + format_time(firmware.time)});
  }
  if (register_hits && cache) {
    errors.push_back({"nvdimm.nand.register_hits", "needs nvdimm.nand.cache: false"});
  }
  if (independent_reads && !multi_plane) {
    errors.push_back({"nvdimm.nand.independent_reads", "needs nvdimm.nand.multi_plane: true"});
  }
  if (slc_blocks > 0 && (cell_bits == 1 || slc_pages() == 0)) {
    errors.push_back({"nvdimm.nand.slc_blocks",
                      "needs cells of several bits, and nvdimm.nand.pages_per_block of at least "
                      "nvdimm.nand.cell_bits: " +
                          std::to_string(cell_bits)});
  }
  if (multi_plane && planes == 1) {
    errors.push_back({"nvdimm.nand.multi_plane", "needs nvdimm.nand.planes of at least 2"});
  }
}

}  // namespace hmsim
