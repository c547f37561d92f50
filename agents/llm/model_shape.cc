// SPDX-License-Identifier: BSD-3-Clause
#include "agents/llm/model_shape.h"

#include <array>
#include <string>

#include "core/preset_table.h"

namespace hmsim {

namespace {

// Llama 3.1 as in the public recipes of oumi (configs/recipes/llama3_1/README.md) and in "The Llama
// 3 Herd of Models" (arXiv 2407.21783), Table 3. The weights of embedding and head are separate.
constexpr std::array<PresetRow<ModelKind, ModelShape>, 2> kModels{{
    {ModelKind::llama_3_1_8b, "llama_3_1_8b", {32, 4'096, 8, 128, 14'336, 128'256}},
    {ModelKind::llama_3_1_70b, "llama_3_1_70b", {80, 8'192, 8, 128, 28'672, 128'256}},
}};
static_assert(in_order(kModels));

}  // namespace

const ModelShape& shape_of(ModelKind kind) { return row_of(kModels, kind).values; }

void Model::declare(ParameterSet& parameters) {
  constexpr const char* kOfPreset = "the preset `model`";
  declare_preset(parameters, "model", kind, kModels,
                 [this](const auto& row) { shape = row.values; },
                 {"preset of the keys from `layers` to `vocabulary`",
                  "Llama 3.1's shapes: oumi's recipes; arXiv 2407.21783, Table 3"});
  parameters.integer("layers", shape.layers, {1, 1'024}, "layers",
                     {"layers of the model", kOfPreset});
  parameters.integer(
      "width", shape.width, {64, 65'536}, "elements",
      {"elements of a token's hidden state; all query heads together have as many", kOfPreset});
  parameters.integer("kv_heads", shape.kv_heads, {1, 1'024}, "heads",
                     {"heads of keys and values in a layer", kOfPreset});
  parameters.integer("head_size", shape.head_size, {1, 1'024}, "elements",
                     {"elements of a head", kOfPreset});
  parameters.integer(
      "feed_forward", shape.feed_forward, {1, 1'048'576}, "elements",
      {"hidden elements of the feed-forward network, which has three matrices", kOfPreset});
  parameters.integer("vocabulary", shape.vocabulary, {1, 4'194'304}, "words",
                     {"rows of the embedding table and of the output head", kOfPreset});
  parameters.integer("weight_bytes", weight_bytes, {1, 8}, "bytes",
                     {"bytes of a weight", "bfloat16"});
  parameters.integer("kv_bytes", kv_bytes, {1, 8}, "bytes",
                     {"bytes of an element of a key or a value", "bfloat16"});
}

std::vector<ParameterError> Model::check() const {
  std::vector<ParameterError> errors;
  if (row_bytes() % kLineSize != 0) {
    errors.push_back({"width", std::to_string(row_bytes()) +
                                   " bytes of a hidden state are not a multiple of 64; nearest: " +
                                   std::to_string((shape.width + 63) / 64 * 64)});
  }
  if (half_bytes() % kLineSize != 0) {
    errors.push_back(
        {"head_size", "kv_heads x head_size x kv_bytes = " + std::to_string(half_bytes()) +
                          " is not a multiple of 64; nearest: " +
                          std::to_string((shape.head_size + 63) / 64 * 64)});
  }
  return errors;
}

}  // namespace hmsim
