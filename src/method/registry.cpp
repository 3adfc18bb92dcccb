#include "src/method/registry.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "src/method/methods.hpp"
#include "src/method/transfer.hpp"
#include "src/method/write_behind.hpp"
#include "src/os/message.hpp"
#include "src/os/queue.hpp"

namespace freshet::detail {
namespace {

constexpr std::size_t KiB = 1024;
constexpr std::size_t MiB = 1024 * KiB;

using enum os::call_family;
constexpr bool has_win32 = os::known_calls == win32;

std::string always(const os::file&) { return {}; }

// Calls `attempt`, which sets an error, unless it succeeded before in this process: what a filter of system calls
// refuses, it refuses for every file.
template <typename Attempt>
std::error_code try_until_it_works(std::atomic<bool>& worked, Attempt attempt) {
  std::error_code error;
  if (worked.load(std::memory_order_relaxed)) return error;
  uninterrupted(error, [&] { attempt(error); });
  worked.store(!error, std::memory_order_relaxed);
  return error;
}

constexpr std::uint64_t beyond_all_bytes = std::uint64_t{1} << 62;

std::string writebehind_why_not(const os::file& target) {
  return os::has_writeback_control() ? why_not_writing_behind(target)
                                     : "this system alone decides when the page cache is written";
}

// Sets the flag and clears it.
void try_direct(const os::file& target, std::error_code& error) {
  auto borrowed = os::file::wrap(target.descriptor(), false);
  borrowed.set_direct(true, error);
  if (!error) uninterrupted(error, [&] { borrowed.set_direct(false, error); });
}

std::string direct_why_not(const os::file& target) {
  const auto limits = target.direct_alignment();
  if (limits && limits->offset == 0) return "the file system does not support direct I/O";
  if (limits && std::max(limits->offset, limits->memory) > smallest_block)
    return "direct I/O here needs an alignment of " + std::to_string(std::max(limits->offset, limits->memory)) +
           " bytes";
  // Older kernels do not tell the alignment; they refuse the flag where it cannot work.
  static constinit std::atomic<bool> worked{false};
  std::error_code error;
  if (limits)
    error = try_until_it_works(worked, [&](std::error_code& refused) { try_direct(target, refused); });
  else
    uninterrupted(error, [&] { try_direct(target, error); });
  if (!error) return {};
  return (has_win32 ? "the file system refuses FILE_FLAG_NO_BUFFERING: " : "the file system refuses O_DIRECT: ") +
         os::message_of(error);
}

// The kernel checks the flag before it reads the bytes. The null pointer cannot be read, so nothing is written.
std::string dontcache_why_not(const os::file& target) {
  auto borrowed = os::file::wrap(target.descriptor(), false);
  const std::byte* const nowhere = nullptr;
  std::error_code error;
  borrowed.write_dontcache({nowhere, 1}, 0, error);
  if (error == std::errc::operation_not_supported || error == std::errc::function_not_supported)
    return "the kernel or the file system does not support RWF_DONTCACHE without damage (Linux 6.16)";
  const bool is_refused = is_refusal(error) && error != std::errc::invalid_seek;
  return is_refused ? "the system refuses to write with RWF_DONTCACHE: " + os::message_of(error) : "";
}

std::string mmap_why_not(const os::file& target) {
  std::error_code error;
  const std::uint64_t size = target.status(error).size;
  // Windows maps nothing beyond the end of a file.
  const std::size_t length = size == 0 ? os::page_size() : std::min<std::uint64_t>(size, os::page_size());
  uninterrupted(error, [&] { static_cast<void>(os::mapping::map_to_read(target, 0, length, error)); });
  const bool is_refused = is_refusal(error) || error == std::errc::not_enough_memory;
  return is_refused ? "the system refuses to map the file into memory: " + os::message_of(error) : "";
}

std::error_code try_queue(os::queue_kind kind) noexcept {
  std::error_code error;
  static_cast<void>(os::queue_lease::take(kind, 1, error));
  return error;
}

std::string explain(os::queue_kind kind, std::error_code error) {
  return error ? os::explain_missing_queue(kind, error) : std::string{};
}

// Remembered, because trying costs some system calls and the result does not change while a process runs; only what
// the system lacks at the moment it may have again.
template <os::queue_kind Kind>
std::string queue_why_not(const os::file&) {
  constexpr int untried = -1;
  static constinit std::atomic<int> known{untried};  // 0: it works
  if (const int number = known.load(std::memory_order_relaxed); number != untried)
    return explain(Kind, {number, std::generic_category()});
  const std::error_code error = try_queue(Kind);
  if (!may_be_repeated(error)) known.store(error.default_error_condition().value(), std::memory_order_relaxed);
  return explain(Kind, error);
}

// Not remembered: trying costs no system call, and a fork changes the result.
std::string aio_why_not(const os::file&) {
  return explain(os::queue_kind::posix_aio, try_queue(os::queue_kind::posix_aio));
}

template <os::queue_kind Kind>
std::string direct_queue_why_not(const os::file& target) {
  auto reason = queue_why_not<Kind>(target);
  return reason.empty() ? direct_why_not(target) : reason;
}

constexpr std::array all_entries{
    method_entry{.name = "buffered",
                 .summary = has_win32 ? "WriteFile() through the cache" : "write() through the page cache",
                 .good_block = 256 * KiB,
                 .fio_engine = "psync",
                 .why_not = always,
                 .make = make_buffered,
                 .make_reading = make_buffered_reading},
    method_entry{.name = "writebehind",
                 .summary = "page cache, written out and dropped behind the cursor (sync_file_range, fadvise)",
                 .good_block = 256 * KiB,
                 .gives_back = true,
                 .writeback_window = write_behind::range,
                 .fio_engine = "psync",
                 .why_not = writebehind_why_not,
                 .make = make_writebehind},
    method_entry{.name = "dontcache",
                 .summary = "page cache, written out and dropped by the kernel (RWF_DONTCACHE)",
                 .good_block = 1 * MiB,
                 .gives_back = true,
                 .needed_calls = posix,
                 .fio_engine = "psync",
                 .why_not = dontcache_why_not,
                 .make = make_dontcache},
    method_entry{.name = "direct",
                 .summary = has_win32 ? "FILE_FLAG_NO_BUFFERING, a block at a time" : "O_DIRECT, a block at a time",
                 .direct = true,
                 .direct_preference = 3,
                 .good_block = 4 * MiB,
                 .fio_engine = "psync",
                 .why_not = direct_why_not,
                 .make = make_direct,
                 .make_reading = make_direct_reading},
    method_entry{.name = "libaio",
                 .summary = "O_DIRECT by the kernel's own aio (io_submit)",
                 .asynchronous = true,
                 .direct = true,
                 .direct_preference = 2,
                 .good_block = 4 * MiB,
                 .good_depth = 2,
                 .needed_calls = posix,
                 .fio_engine = "libaio",
                 .why_not = direct_queue_why_not<os::queue_kind::libaio>,
                 .make = make_libaio},
    method_entry{.name = "uring",
                 .summary = "O_DIRECT by io_uring",
                 .asynchronous = true,
                 .direct = true,
                 .direct_preference = 1,
                 .good_block = 4 * MiB,
                 .good_depth = 2,
                 .needed_calls = posix,
                 .fio_engine = "io_uring",
                 .why_not = direct_queue_why_not<os::queue_kind::uring>,
                 .make = make_uring,
                 .make_reading = make_uring_reading},
    method_entry{.name = "uring-buffered",
                 .summary = "page cache by io_uring",
                 .asynchronous = true,
                 .good_block = 1 * MiB,
                 .good_depth = 2,
                 .needed_calls = posix,
                 .fio_engine = "io_uring",
                 .why_not = queue_why_not<os::queue_kind::uring>,
                 .make = make_uring_buffered},
    method_entry{.name = "overlapped",
                 .summary = "FILE_FLAG_NO_BUFFERING by overlapped transfers and a completion port",
                 .asynchronous = true,
                 .direct = true,
                 .direct_preference = 1,
                 .good_block = 4 * MiB,
                 .good_depth = 2,
                 .needed_calls = win32,
                 .fio_engine = "windowsaio",
                 .why_not = direct_queue_why_not<os::queue_kind::overlapped>,
                 .make = make_overlapped,
                 .make_reading = make_overlapped_reading},
    method_entry{.name = "aio",
                 .summary = "page cache by POSIX aio (threads of the C library)",
                 .asynchronous = true,
                 .good_block = 1 * MiB,
                 .good_depth = 2,
                 .needed_calls = posix,
                 .fio_engine = "posixaio",
                 .why_not = aio_why_not,
                 .make = make_aio},
    method_entry{.name = "adaptive",
                 .summary = "page cache; gives its pages back, or reads past it, while that is faster",
                 .good_block = 256 * KiB,
                 .fio_engine = "psync",
                 .why_not = always,
                 .make = make_adaptive,
                 .changes = true,
                 .make_reading = make_adaptive_reading},
    method_entry{.name = "mmap",
                 .summary = "into a mapping of the file; not in order",
                 .keeps_order = false,
                 .needs_read = true,
                 .good_block = 256 * KiB,
                 .fio_engine = "mmap",
                 .why_not = mmap_why_not,
                 .make = make_mmap,
                 .reads_unasked = false,
                 .reads_by_size = true,
                 .make_reading = make_mmap_reading},
    method_entry{.name = "null",
                 .summary = "nowhere: the ceiling of what fills the blocks",
                 .needs_file = false,
                 .good_block = 256 * KiB,
                 .fio_engine = "null",
                 .why_not = always,
                 .make = make_null},
};

constexpr bool is_here(const method_entry& entry) noexcept {
  return entry.needed_calls.value_or(os::known_calls) == os::known_calls;
}

// Only those that there can be on this system.
constexpr auto entries_here = [] {
  std::array<method_entry, static_cast<std::size_t>(std::ranges::count_if(all_entries, is_here))> here{};
  std::ranges::copy_if(all_entries, here.begin(), is_here);
  return here;
}();

// Does not compile where no entry has the name.
consteval const method_entry& entry_named(std::string_view name) {
  const auto* const entry = std::ranges::find(entries_here, name, &method_entry::name);
  if (entry == entries_here.end()) throw "no such method";
  return *entry;
}

constexpr auto direct_by_preference = [] {
  std::array<const method_entry*, std::ranges::count(entries_here, true, &method_entry::direct)> direct{};
  std::size_t count = 0;
  for (const method_entry& each : entries_here)
    if (each.direct) direct[count++] = &each;
  std::ranges::sort(direct, {}, &method_entry::direct_preference);
  return direct;
}();

template <typename Predicate>
const method_entry& first_usable(const method_entry& wanted, const os::file& target, Predicate is_candidate) {
  if (wanted.why_not(target).empty()) return wanted;
  if (wanted.direct)
    for (const method_entry* const each : direct_by_preference)
      if (is_candidate(*each) && each->why_not(target).empty()) return *each;
  return buffered_method;
}

template <typename Predicate>
std::string names_where(Predicate wanted) {
  std::string names;
  for (const auto& each : entries_here)
    if (wanted(each)) names.append(names.empty() ? "" : ", ").append(each.name);
  return names;
}

}  // namespace

constinit const method_entry& buffered_method = entry_named("buffered");
constinit const method_entry& writebehind_method = entry_named("writebehind");
constinit const method_entry& direct_method = entry_named("direct");
constinit const method_entry& adaptive_method = entry_named("adaptive");

std::span<const method_entry> method_entries() noexcept { return entries_here; }

const method_entry* find_method(std::string_view name) noexcept {
  const auto* entry = std::ranges::find(entries_here, name, &method_entry::name);
  return entry == entries_here.end() ? nullptr : entry;
}

std::span<const method_entry* const> direct_methods() noexcept { return direct_by_preference; }

const method_entry* usable_direct_method(const os::file& target) {
  const auto usable = [&](const method_entry* each) { return each->why_not(target).empty(); };
  const auto* const found = std::ranges::find_if(direct_by_preference, usable);
  return found == direct_by_preference.end() ? nullptr : *found;
}

const method_entry& usable_method(const method_entry& wanted, const os::file& target) {
  return first_usable(wanted, target, [](const method_entry&) { return true; });
}

const method_entry& usable_reading_method(const method_entry& wanted, const os::file& target) {
  return first_usable(wanted, target, [](const method_entry& each) { return each.make_reading != nullptr; });
}

std::string why_not_writing_behind(const os::file& target) {
  static constinit std::atomic<bool> worked{false};
  if (!os::has_writeback_control()) return why_not_dropping(target);
  const std::error_code error = try_until_it_works(worked, [&](std::error_code& refused) {
    auto borrowed = os::file::wrap(target.descriptor(), false);
    borrowed.start_writeback(beyond_all_bytes, 1, refused);
  });
  // Files without positions have no pages that could be written.
  if (is_refusal(error) && error != std::errc::invalid_seek)
    return "the system refuses to write a part of the page cache (sync_file_range): " + os::message_of(error);
  return why_not_dropping(target);
}

std::string why_not_dropping(const os::file& target) {
  static constinit std::atomic<bool> worked{false};
  const std::error_code error = try_until_it_works(worked, [&](std::error_code& refused) {
    auto borrowed = os::file::wrap(target.descriptor(), false);
    borrowed.advise(os::advice::dont_need, beyond_all_bytes, 1, refused);
  });
  return is_refusal(error) && error != std::errc::invalid_seek
             ? "the system refuses to drop pages of the page cache (posix_fadvise): " + os::message_of(error)
             : "";
}

std::string why_not_reading(const method_entry& wanted, const os::file& source) {
  if (auto reason = wanted.why_not(source); !reason.empty() || !wanted.reads_by_size) return reason;
  auto borrowed = os::file::wrap(source.descriptor(), false);
  std::error_code error;
  const bool says_empty = borrowed.status(error).size == 0 && !error;
  return says_empty && has_byte_at(borrowed, 0)
             ? "the file says that it is empty and is not, as files below /proc; read it with 'buffered'"
             : "";
}

std::string method_names() {
  return names_where([](const method_entry&) { return true; });
}

std::string reading_method_names() {
  return names_where([](const method_entry& each) { return each.make_reading != nullptr; });
}

}  // namespace freshet::detail
