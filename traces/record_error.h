// SPDX-License-Identifier: BSD-3-Clause
// Errors in single records of a trace, after which its reader can continue.
#pragma once

#include "core/errors.h"

namespace hmsim {

// Error in one record. The reader has consumed the record and can continue with the next one.
class RecordError : public InputError {
 public:
  using InputError::InputError;
};

// Error of a request of length 0.
class EmptyRequestError : public RecordError {
 public:
  using RecordError::RecordError;
};

}  // namespace hmsim
