// SPDX-License-Identifier: BSD-3-Clause
#include "controller/config/backend_check.h"

namespace hmsim {

namespace {

// Returns the errors for DRAMsim3's controller, which supports only its own policies and DRAM.
std::vector<ParameterError> whole_errors(const SystemConfig& config) {
  std::vector<ParameterError> errors = dramsim3_errors(config.dram);
  if (config.nvdimm.present) {
    errors.push_back(
        {"dram.backend",
         "'dramsim3_full' has no NVDIMM: nvdimm.present must be false; 'dramsim3' supports one"});
  }
  if (!config.dram.refresh) {
    errors.push_back({"dram.refresh", "must be true: dramsim3_full always refreshes"});
  }
  if (config.controller.page_policy != ControllerParameters().page_policy) {
    errors.push_back(
        {"controller.page_policy", "must be 'open_page': dramsim3_full keeps rows open"});
  }
  if (config.dram.register_delay > 0) {
    errors.push_back({"dram.register_delay", "must be 0: dramsim3_full has no registered DIMMs"});
  }
  if (config.dram.refresh_postpone > 0) {
    errors.push_back({"dram.refresh_postpone", "must be 0: dramsim3_full moves no refreshes"});
  }
  if (config.dram.refresh_pull_in > 0) {
    errors.push_back({"dram.refresh_pull_in", "must be 0: dramsim3_full moves no refreshes"});
  }
  return errors;
}

}  // namespace

bool is_built_in(const std::string& backend) {
#ifdef HMSIM_DRAMSIM3
  static_cast<void>(backend);
  return true;
#else
  return backend == "native";
#endif
}

std::vector<ParameterError> backend_errors(const SystemConfig& config) {
  const std::string& backend = config.dram_model.backend;
  std::vector<ParameterError> errors;
  if (!is_built_in(backend)) {
    errors.push_back({"dram.backend",
                      backend + " is not part of this build; build with 'scons dramsim3=1' (needs "
                                "cargo)"});
  }
  if (backend != "native") {
    const std::vector<ParameterError> more =
        backend == "dramsim3" ? dramsim3_errors(config.dram) : whole_errors(config);
    errors.insert(errors.end(), more.begin(), more.end());
  }
  return errors;
}

}  // namespace hmsim
