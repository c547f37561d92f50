// SPDX-License-Identifier: BSD-3-Clause
// Storage of a session in a C library: that of the configuration or, without one, the NVDIMM
// through a block driver (`frontend.block`).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/kernel.h"
#include "core/request.h"
#include "embed/embed_core.h"
#include "storage/block_parameters.h"
#include "storage/nvdimm_host.h"
#include "storage/parameters.h"
#include "storage/shared_storage.h"

namespace hmsim {

class SessionStorage final : public EmbedParts {
 public:
  void declare(ParameterSet& parameters) override;
  std::vector<ParameterError> check(const SystemConfig& memory) const override;
  void attach(Kernel& kernel, const SystemConfig& memory) override;
  // Makes the rest of it, after the memory, whose requesters follow those of `requesters`.
  void connect(MemorySystem& memory, Kernel& kernel, std::uint64_t seed,
               std::vector<Requester*>& requesters);

  Host* host();  // nullptr: there is neither storage nor an NVDIMM
  void register_statistics(StatisticRegistry& registry);

 private:
  StorageParameters parameters_;
  BlockParameters block_;
  std::unique_ptr<NvdimmHost> nvdimm_;
  std::unique_ptr<SharedStorage> shared_;
};

}  // namespace hmsim
