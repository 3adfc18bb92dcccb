/// @file
/// freshet::path_argument: the path that a function takes, without the cost of including `<filesystem>`.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include <freshet/detail/path_declaration.hpp>

namespace freshet {

namespace detail {

/// The text of a path as the system has it: std::string, and std::wstring on Windows, where wchar_t has two bytes.
using path_character = std::conditional_t<sizeof(wchar_t) == 2, wchar_t, char>;
using native_string = std::basic_string<path_character>;

[[nodiscard]] inline std::string_view narrow_view(const std::string& text) noexcept { return text; }
[[nodiscard]] inline std::string_view narrow_view(const std::wstring& /*text*/) noexcept { return {}; }

template <typename T>
concept path_text = std::is_convertible_v<const T&, std::string_view>;
template <typename T>
concept path_object = std::is_base_of_v<std::filesystem::path, T>;
// What else converts to a path, such as a std::wstring or a std::filesystem::directory_entry. The program must include
// <filesystem> for these.
template <typename T>
concept path_source = !path_text<T> && !path_object<T> && std::is_convertible_v<const T&, const std::filesystem::path&>;

}  // namespace detail

/// The type of parameters that take a path. It converts from everything that std::filesystem::path converts from and
/// refers to its argument, so use it for parameters only. On Windows, text of `char` is UTF-8.
class path_argument {
 public:
  /// An empty path.
  path_argument() = default;
  /// Refers to `text`: a string literal, std::string, std::string_view, …
  template <detail::path_text Text>
  path_argument(const Text& text) : text_{text} {}  // NOLINT(google-explicit-constructor)
  /// Refers to `path`.
  template <detail::path_object Path>
  path_argument(const Path& path) noexcept : path_{&path} {}  // NOLINT(google-explicit-constructor)
  /// Converts `source` to a path and keeps a copy of its text.
  template <detail::path_source Source, typename Path = std::filesystem::path>
  path_argument(const Source& source)  // NOLINT(google-explicit-constructor)
      : copy_{static_cast<const Path&>(source).native()}, text_{detail::narrow_view(copy_)} {}
  path_argument(const path_argument&) = delete;
  path_argument& operator=(const path_argument&) = delete;
  ~path_argument() = default;

  /// Returns the path object that the argument was, or null if it was something else: see text().
  [[nodiscard]] const std::filesystem::path* path() const noexcept { return path_; }
  /// Returns the path as text; empty if path() is not null, and for wide text.
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  /// Returns the text of an argument that had to be converted; empty for all others.
  [[nodiscard]] const detail::native_string& converted() const noexcept { return copy_; }

 private:
  const std::filesystem::path* path_ = nullptr;
  detail::native_string copy_;
  std::string_view text_;
};

}  // namespace freshet
