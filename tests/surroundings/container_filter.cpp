#include "tests/surroundings/container_filter.hpp"

#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "tests/support/refused_call.hpp"

namespace freshet::test {
namespace {

using nlohmann::json;
using refused_calls::jump;
using refused_calls::statement;

constexpr unsigned load = BPF_LD | BPF_W | BPF_ABS;
constexpr unsigned equal = BPF_JMP | BPF_JEQ | BPF_K;
constexpr unsigned give = BPF_RET | BPF_K;

const std::map<std::string, long, std::less<>> call_numbers{
#include "system_call_names.inc"
};

// What a container has of root's powers: what podman and Docker leave it.
constexpr std::array container_capabilities{CAP_CHOWN,   CAP_DAC_OVERRIDE,     CAP_FOWNER,    CAP_FSETID,
                                            CAP_KILL,    CAP_NET_BIND_SERVICE, CAP_SETFCAP,   CAP_SETGID,
                                            CAP_SETPCAP, CAP_SETUID,           CAP_SYS_CHROOT};
constexpr std::array container_capability_names{"CAP_CHOWN",   "CAP_DAC_OVERRIDE",     "CAP_FOWNER",    "CAP_FSETID",
                                                "CAP_KILL",    "CAP_NET_BIND_SERVICE", "CAP_SETFCAP",   "CAP_SETGID",
                                                "CAP_SETPCAP", "CAP_SETUID",           "CAP_SYS_CHROOT"};
constexpr std::string_view processor = SYS_read == 0 ? "amd64" : "arm64";

bool has_capability(const json& name) {
  return std::ranges::find(container_capability_names, name.get<std::string>()) != container_capability_names.end();
}

// Whether the rule is one of a container on this processor.
bool applies(const json& rule) {
  const json includes = rule.value("includes", json::object());
  const json excludes = rule.value("excludes", json::object());
  const json capabilities = includes.value("caps", json::array());
  const json without = excludes.value("caps", json::array());
  const json processors = includes.value("arches", json::array());
  return std::ranges::all_of(capabilities, has_capability) && std::ranges::none_of(without, has_capability) &&
         (processors.empty() || std::ranges::find(processors, processor) != processors.end());
}

// The statements that compare one argument; the last jumps over `rest` statements where the rule does not hold.
std::vector<sock_filter> comparison(const json& argument, std::size_t rest) {
  const auto number = argument.at("index").get<unsigned>();
  const auto value = argument.at("value").get<std::uint64_t>();
  const auto low = static_cast<std::uint32_t>(value), high = static_cast<std::uint32_t>(value >> 32);
  const std::uint32_t at_low = refused_calls::offset_of_argument(number);
  const std::uint32_t at_high = std::endian::native == std::endian::little ? at_low + 4 : at_low - 4;
  const std::string kind = argument.at("op");
  if (kind == "SCMP_CMP_EQ")
    return {statement(load, at_low), jump(equal, low, 0, rest + 2), statement(load, at_high),
            jump(equal, high, 0, rest)};
  if (kind == "SCMP_CMP_NE")
    return {statement(load, at_low), jump(equal, low, 0, 2), statement(load, at_high), jump(equal, high, rest, 0)};
  throw std::runtime_error{"unknown comparison " + kind};
}

void add_rule(const json& rule, long number, std::uint32_t result, std::vector<sock_filter>& program) {
  // From the last statement to the first: each jump needs to know how many follow it.
  const json arguments = rule.value("args", json{}).is_array() ? rule.at("args") : json::array();
  std::vector<sock_filter> all{statement(give, result)};
  for (const json& each : arguments) {
    const auto piece = comparison(each, all.size());
    all.insert(all.begin(), piece.begin(), piece.end());
  }
  program.push_back(statement(load, offsetof(seccomp_data, nr)));
  program.push_back(jump(equal, static_cast<std::uint32_t>(number), 0, all.size()));
  program.insert(program.end(), all.begin(), all.end());
}

}  // namespace

std::vector<sock_filter> container_filter(const std::filesystem::path& file, int error) {
  const json described = json::parse(std::ifstream{file});
  const std::uint32_t refusal = SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
  std::vector<sock_filter> program{statement(load, offsetof(seccomp_data, arch)),
                                   jump(equal, refused_calls::this_processor(), 1, 0), statement(give, refusal)};
  for (const json& rule : described.at("syscalls")) {
    if (!applies(rule)) continue;
    const bool allows = rule.at("action") == "SCMP_ACT_ALLOW";
    for (const json& name : rule.at("names"))
      if (const auto known = call_numbers.find(name.get<std::string>()); known != call_numbers.end())
        add_rule(rule, known->second, allows ? SECCOMP_RET_ALLOW : refusal, program);
  }
  program.push_back(statement(give, refusal));
  return program;
}

bool enter_container(std::vector<sock_filter> filter) {
  std::uint32_t left = 0;
  for (const int each : container_capabilities) left |= 1U << each;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> wanted{};
  if (::geteuid() == 0) wanted[0] = {left, left, 0};
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return ::syscall(SYS_capset, &header, wanted.data()) == 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace freshet::test
