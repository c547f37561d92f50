// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/write_back.h"

#include "traces/job_program.h"

namespace hmsim {

std::optional<Transfer> WriteBack::take() {
  if (queue_.empty()) {
    return std::nullopt;
  }
  const Transfer transfer = queue_.front();
  queue_.pop();
  return transfer;
}

void WriteBack::serialize(Archive& archive) {
  archive(dirty_, queue_, idle, throttled, syncing);
  queue_.each([&](const Transfer& transfer) {
    archive.check(transfer.lines >= 1 && transfer.lines <= kMostTransferLines,
                  "invalid length of a transfer");
  });
}

}  // namespace hmsim
