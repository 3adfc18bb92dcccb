// std::optional in JSON: null stands for no value.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

template <typename Value>
struct nlohmann::adl_serializer<std::optional<Value>> {
  template <typename Json>
  static void to_json(Json& out, const std::optional<Value>& value) {
    out = nullptr;
    if (value) out = *value;
  }
  template <typename Json>
  static void from_json(const Json& in, std::optional<Value>& value) {
    value = in.is_null() ? std::nullopt : std::optional{in.template get<Value>()};
  }
};
