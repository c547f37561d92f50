// SPDX-License-Identifier: BSD-3-Clause
#include "controller/config/port_parameters.h"

#include <string>
#include <utility>

namespace hmsim {

void LaneParameters::declare(ParameterSet& parameters, const char* scope, Texts texts) {
  const ParameterSet::Scope own(parameters, scope);
  parameters.rate("rate", rate, {texts.rate, "PCIe 5.0: 32 GT/s"});
  parameters.time("latency", latency,
                  {texts.latency, "assumed; published CXL memories add 50 to 300 ns to DDR"});
}

void PortParameters::declare(ParameterSet& parameters) {
  {
    const ParameterSet::Scope scope(parameters, "nvdimm");
    parameters.choice(
        "attach", attach,
        {{"ddr", Attachment::ddr}, {"cxl", Attachment::cxl}, {"hbf", Attachment::hbf}},
        {"ddr: the NVDIMM is on the memory bus, with commands and acks; cxl: it is "
         "a device with a controller behind a CXL port, one for each channel, and "
         "takes no time of the memory bus; hbf: a channel of high bandwidth flash "
         "with a separate link beside each HBM channel",
         "ddr: the paper; cxl: CXL.mem; hbf: after OCP HBF 0.7.0"});
  }
  const ParameterSet::Scope scope(parameters, "cxl");
  declare_link(parameters);
  const ParameterSet::Scope levels(parameters, "load");
  const ParameterSet::PartData part(parameters);
  parameters.integer("optimal", load.optimal, {1, 65'536}, "requests",
                     {"requests in the device from which its load is optimal, not light",
                      "names: DevLoad of CXL 2.0; values assumed"});
  parameters.integer("moderate", load.moderate, {1, 65'536}, "requests",
                     {"requests in the device from which it is moderately overloaded",
                      "names: DevLoad of CXL 2.0; values assumed"});
  parameters.integer("severe", load.severe, {1, 65'536}, "requests",
                     {"requests in the device from which it is severely overloaded",
                      "names: DevLoad of CXL 2.0; values assumed"});
}

void PortParameters::declare_link(ParameterSet& parameters) {
  const ParameterSet::PartData part(parameters);
  down.declare(parameters, "down",
               {"transfers of a lane of the link to the device, a bit each",
                "time from the end of a flit to its arrival at the device"});
  up.declare(parameters, "up",
             {"transfers of a lane of the link to the host, a bit each",
              "time from the end of a flit to its arrival at the host"});
  parameters.integer("lanes", lanes, {1, 16}, "lanes", {"lanes of the link", "PCIe 5.0 x8"});
  parameters.choice(
      "flit", flit, {{"68", FlitSize::of_68}, {"256", FlitSize::of_256}},
      {"bytes of a flit: 68 has 4 slots of 16 bytes, 256 has 15", "CXL 1.1 and 2.0: 68; 3.0: 256"});
  parameters.integer("messages_per_header", messages_per_header, {1, 4}, "messages",
                     {"messages that share a header slot on a busy link; a line of data takes four "
                      "slots more",
                      "assumed: 1, a header slot each"});
  parameters.integer("credits", credits, {1, 4096}, "requests",
                     {"requests between the port and the device's queue; a credit returns with the "
                      "flits to the host when the device's queue has taken the request",
                      "assumed"});
}

std::vector<ParameterError> PortParameters::check_link(const std::string& scope) const {
  std::vector<ParameterError> errors;
  for (const auto& [name, latency] :
       {std::pair(".down.latency", down.latency), std::pair(".up.latency", up.latency)}) {
    if (latency == Tick(0)) {
      errors.push_back({scope + name, "must be more than 0s; nearest: 1ps"});
    }
  }
  return errors;
}

std::vector<ParameterError> PortParameters::check() const {
  std::vector<ParameterError> errors = check_link("cxl");
  const auto need = [&errors](bool holds, const char* name, const std::string& message) {
    if (!holds) {
      errors.push_back({name, message});
    }
  };
  need(load.optimal < load.moderate, "cxl.load.moderate",
       "must be greater than cxl.load.optimal; nearest: " + std::to_string(load.optimal + 1));
  need(load.moderate < load.severe, "cxl.load.severe",
       "must be greater than cxl.load.moderate; nearest: " + std::to_string(load.moderate + 1));
  return errors;
}

void ExpanderParameters::declare(ParameterSet& parameters) {
  const ParameterSet::Scope scope(parameters, "expander");
  parameters.integer("channels", channels, {0, 32}, "channels",
                     {"DRAM channels behind CXL ports, each with a link and a controller of its "
                      "own: the last ones of controller.channels",
                      "0: none"});
  link.declare_link(parameters);
}

std::vector<ParameterError> ExpanderParameters::check(std::int64_t all_channels) const {
  std::vector<ParameterError> errors = link.check_link("expander");
  if (channels > all_channels) {
    errors.push_back({"expander.channels",
                      "must be at most controller.channels, " + std::to_string(all_channels)});
  }
  return errors;
}

}  // namespace hmsim
