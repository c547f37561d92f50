// SPDX-License-Identifier: BSD-3-Clause
// Shape of a transformer with grouped-query attention, and the sizes that follow from it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"

namespace hmsim {

enum class ModelKind { llama_3_1_8b, llama_3_1_70b };

struct ModelShape {
  std::int64_t layers;
  std::int64_t width;         // elements of a token's hidden state
  std::int64_t kv_heads;      // heads of keys and values, in each layer
  std::int64_t head_size;     // elements of a head
  std::int64_t feed_forward;  // hidden elements of the feed-forward network
  std::int64_t vocabulary;    // words
};

const ModelShape& shape_of(ModelKind kind);

// Sizes omit norms and biases: two vectors of `width` elements a layer. Query heads together have
// `width` elements.
struct Model {
  ModelKind kind = ModelKind::llama_3_1_8b;  // preset for the shape
  ModelShape shape = shape_of(ModelKind::llama_3_1_8b);
  std::int64_t weight_bytes = 2;
  std::int64_t kv_bytes = 2;

  void declare(ParameterSet& parameters);
  std::vector<ParameterError> check() const;

  // Returns 2 d^2 + 2 d h + 3 d f, with width d, h elements of keys and feed-forward f.
  std::uint64_t layer_parameters() const {
    return number(shape.width) *
           (2 * number(shape.width) + 2 * key_elements() + 3 * number(shape.feed_forward));
  }
  std::uint64_t head_parameters() const { return number(shape.vocabulary) * number(shape.width); }
  std::uint64_t layer_bytes() const { return layer_parameters() * number(weight_bytes); }
  std::uint64_t head_bytes() const { return head_parameters() * number(weight_bytes); }
  // Returns the bytes of a row of the embedding table.
  std::uint64_t row_bytes() const { return number(shape.width) * number(weight_bytes); }
  // Returns the bytes of one token's keys, or of its values, in one layer.
  std::uint64_t half_bytes() const { return key_elements() * number(kv_bytes); }

 private:
  static constexpr std::uint64_t number(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
  }
  std::uint64_t key_elements() const { return number(shape.kv_heads) * number(shape.head_size); }
};

}  // namespace hmsim
