// Structures as JSON objects: `visit_members(object, visitor)` lists the members of a structure once, as
// visitor(name, member), and these visitors write and read them. A std::optional without a value is null.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace freshet::tool {

struct json_member_writer {
  nlohmann::json& out;

  template <typename Value>
  void operator()(const char* name, const Value& value) const {
    out[name] = value;
  }
  template <typename Value>
  void operator()(const char* name, const std::optional<Value>& value) const {
    out[name] = value ? nlohmann::json(*value) : nlohmann::json(nullptr);
  }
};

/// @throws nlohmann::json::exception  if a member is missing or has another type
struct json_member_reader {
  const nlohmann::json& in;

  template <typename Value>
  void operator()(const char* name, Value& value) const {
    in.at(name).get_to(value);
  }
  template <typename Value>
  void operator()(const char* name, std::optional<Value>& value) const {
    const nlohmann::json& member = in.at(name);
    value = member.is_null() ? std::nullopt : std::optional{member.get<Value>()};
  }
};

}  // namespace freshet::tool
