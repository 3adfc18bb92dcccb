// Writes files and trials until the power is cut, and logs each promise as soon as it holds, on the same device and
// past the page cache. All lies in `files` and `store` of a directory; at OFFSET of DEVICE one
// block is for the promises.
//
//   write_until_cut write DIRECTORY DEVICE OFFSET RUN [FILES]   by every method and class, in every stored form
//   write_until_cut grow DIRECTORY DEVICE OFFSET FIRST FILES    by buffered and adaptive in turns, and makes none
//   durable write_until_cut trials DIRECTORY DEVICE OFFSET              adds trials to the store write_until_cut log
//   DEVICE OFFSET LINE                      logs one line write_until_cut check DIRECTORY <PROMISES prints what does
//   not hold, and fails then; and what growing
//                                                               files are like
#include <fcntl.h>
#include <unistd.h>
#include <freshet/methods.hpp>
#include <freshet/writer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "src/method/registry.hpp"
#include "tests/power_cuts/promises.hpp"
#include "tests/support/forced_changes.hpp"
#include "tests/tool/store/store_sample.hpp"
#include "tool/store/store.hpp"

namespace {

using freshet::durability;
using freshet::writer;
using freshet::writer_options;
using freshet::test::stored_form;
namespace fs = std::filesystem;

constexpr std::size_t log_block = 4096;
constexpr std::uint64_t files_per_run = 100'000;

/// A block on the device itself, whose write log then has all promises in order.
class promise_log {
 public:
  promise_log(const char* device, const char* offset)
      : descriptor_{::open(device, O_WRONLY | O_DIRECT | O_CLOEXEC)}, offset_{std::stoll(offset)} {
    if (descriptor_ < 0) throw std::system_error{errno, std::generic_category(), device};
  }
  promise_log(const promise_log&) = delete;
  promise_log& operator=(const promise_log&) = delete;
  ~promise_log() { ::close(descriptor_); }

  void add(std::string_view line) {
    block_.bytes.fill('\0');
    std::ranges::copy(line.substr(0, log_block - 1), block_.bytes.begin());
    if (::pwrite(descriptor_, block_.bytes.data(), log_block, offset_) != log_block)
      throw std::system_error{errno, std::generic_category(), "write to the log of promises"};
  }

 private:
  struct alignas(log_block) aligned_block {
    std::array<char, log_block> bytes;
  };
  int descriptor_;
  ::off_t offset_;
  aligned_block block_{};
};

/// Files are named after what they show: number, method, durability.
class file_writer {
 public:
  file_writer(fs::path directory, promise_log& log, std::uint64_t run)
      : directory_{std::move(directory)}, log_{log}, next_{run * files_per_run}, random_{run} {
    for (const freshet::method_info& each : freshet::methods(directory_)) {
      if (!freshet::detail::find_method(each.name)->needs_file) continue;
      std::cout << fmt::format("method {}: {}\n", each.name, each.available() ? "used" : each.why_not);
      if (!each.available()) continue;
      if (each.keeps_order) ways_.push_back({each.name, true});
      if (each.asynchronous || !each.keeps_order) ways_.push_back({each.name, false});
    }
    std::cout.flush();
  }

  void write_next() {
    constexpr std::array classes{durability::none, durability::at_close, durability::each_write};
    const way& chosen = ways_[next_ % ways_.size()];
    const writer_options options{.method = chosen.method,
                                 .block = std::size_t{16} << 10,
                                 .depth = 3,
                                 .ordered = chosen.ordered,
                                 .durability = classes.at(random_() % classes.size())};
    switch (random_() % 4) {
      case 0:
        return replace(options);
      case 1:
        return append(options);
      default:
        return write_new(options);
    }
  }

 private:
  struct way {
    std::string method;
    bool ordered;
  };

  [[nodiscard]] stored_form some_form() { return {.compressed = random_() % 4 == 0, .sealed = random_() % 4 == 0}; }

  static void set_form(writer_options& options, const stored_form& form) {
    if (form.compressed) options.compression.format = freshet::compression_format::zstd;
    if (form.sealed) options.key = &freshet::test::key_of_files();
  }

  [[nodiscard]] std::string name_of(const writer_options& options, std::string_view kind) const {
    constexpr std::array classes{"none", "at-close", "each-write"};
    return fmt::format("{}-{}-{}{}-{}", next_, kind, options.method, options.ordered ? "" : "-unordered",
                       classes.at(static_cast<std::size_t>(options.durability)));
  }

  void begin(const std::string& name, std::uint64_t number, const stored_form& form) {
    log_.add(fmt::format("file {} {} {}", name, number, form.name()));
  }

  void write_new(writer_options options) {
    const stored_form form = some_form();
    set_form(options, form);
    options.hidden_until_closed = random_() % 4 == 0;
    const std::string name = name_of(options, options.hidden_until_closed ? "hidden" : form.name());
    const std::uint64_t number = next_++;
    begin(name, number, form);
    writer out{directory_ / name, options};
    write_pieces(out, number, 0, name, options);
    const std::uint64_t length = out.tell();
    out.close();
    if (options.durability != durability::none) log_.add(fmt::format("complete {} {}", name, length));
  }

  void append(writer_options options) {
    options.durability = std::max(options.durability, durability::at_close);
    options.mode = freshet::open_mode::append;
    options.method = "auto";
    const std::string name = name_of(options, "appended");
    const std::uint64_t number = next_++;
    begin(name, number, {});
    std::uint64_t length = 0;
    for (unsigned times = 1 + random_() % 4; times > 0; --times) {
      writer out{directory_ / name, options};
      length = write_pieces(out, number, length, name, options);
      out.close();
      log_.add(fmt::format("durable {} {}", name, length));
    }
  }

  void replace(writer_options options) {
    const stored_form form = some_form();
    set_form(options, form);
    options.atomic = true;
    const std::uint64_t number = next_++;
    const std::string name = fmt::format("replaced-{}", number % 5);
    const std::size_t length = random_() % (std::size_t{200} << 10);
    log_.add(fmt::format("version {} {} {} {}", name, number, form.name(), length));
    writer out{directory_ / name, options};
    out.write(freshet::test::bytes_of_file(number, 0, length));
    out.close();
    log_.add(fmt::format("replaced {} {}", name, number));
  }

  // `length`: of the file before. Returns its length afterwards.
  std::uint64_t write_pieces(writer& out, std::uint64_t number, std::uint64_t length, const std::string& name,
                             const writer_options& options) {
    const bool stores_what_it_takes =
        options.key == nullptr && options.compression.format == freshet::compression_format::none;
    for (unsigned pieces = 1 + random_() % 8; pieces > 0; --pieces) {
      const std::size_t size = 1 + random_() % (std::size_t{48} << 10);
      out.write(freshet::test::bytes_of_file(number, length, size));
      length += size;
      const bool flushes = random_() % 3 == 0, syncs = random_() % 4 == 0;
      if (flushes) out.flush();
      if (syncs) out.sync();
      if (options.hidden_until_closed) continue;
      if (syncs || (flushes && options.durability == durability::each_write))
        log_.add(fmt::format("durable {} {}", name, length));
      else if (stores_what_it_takes && options.mode != freshet::open_mode::append)
        log_.add(fmt::format("durable {} {}", name, out.durable_bytes()));
    }
    return length;
  }

  fs::path directory_;
  promise_log& log_;
  std::uint64_t next_;
  std::mt19937_64 random_;
  std::vector<way> ways_;
};

fs::path store_in(const fs::path& directory) { return directory / "store" / "trials.sqlite"; }

std::uint64_t trials_in(const fs::path& store) {
  std::uint64_t count = 0;
  freshet::tool::store{store}.each({}, [&](auto&&) { ++count; });
  return count;
}

int write(std::span<char*> words) {
  const freshet::test::forced_changes often{freshet::test::at_random};
  promise_log log{words[1], words[2]};
  file_writer files{fs::path{words[0]} / "files", log, std::stoull(words[3])};
  const fs::space_info all = fs::space(words[0]);
  std::uint64_t left = words.size() > 4 ? std::stoull(words[4]) : files_per_run;
  for (; left > 0 && fs::space(words[0]).available > all.capacity / 3; --left) files.write_next();
  return 0;
}

// Has the file system write all its metadata, and whatever must be on the device before.
void commit(const fs::path& directory) {
  writer out{directory / "commit", {.method = "buffered", .durability = durability::each_write}};
  out.write(std::string_view{"x"});
}

// No file has a size or a block that the program chose, so adaptive ones go past the page cache, too.
int grow(std::span<char*> words) {
  constexpr std::uint64_t least = std::uint64_t{2} << 20, more = std::uint64_t{5} << 20;
  const freshet::test::forced_changes often{freshet::test::at_random};
  const fs::path files = fs::path{words[0]} / "files";
  promise_log log{words[1], words[2]};
  std::minstd_rand random{static_cast<unsigned>(freshet::test::sample_seed())};
  const std::uint64_t first = std::stoull(words[3]);
  for (std::uint64_t number = first; number < first + std::stoull(words[4]); ++number) {
    const std::string method = number % 2 == 0 ? "buffered" : "adaptive";
    const std::string name = fmt::format("{}-growing-{}", number, method);
    log.add(fmt::format("file {} {} plain", name, number));
    writer out{files / name, {.method = method}};
    for (const std::uint64_t end = least + random() % more; out.tell() < end;) {
      out.write(freshet::test::bytes_of_file(number, out.tell(), 1 + random() % (std::size_t{48} << 10)));
      if (freshet::detail::find_method(out.method())->direct)
        log.add(fmt::format("ordered {} {}", name, out.statistics().changes.back().offset));
      if (random() % 16 == 0) commit(files);
    }
  }
  return 0;
}

int keep_trials(std::span<char*> words) {
  const fs::path file = store_in(words[0]);
  promise_log log{words[1], words[2]};
  freshet::tool::store kept{file, freshet::tool::store::access::write};
  std::uint64_t count = trials_in(file);
  const std::int64_t run = kept.begin(freshet::test::sample_run());
  while (true) {
    freshet::tool::record trial = freshet::test::sample_record(run);
    kept.add(trial);
    log.add(fmt::format("trials {}", ++count));
  }
}

int check(const fs::path& directory) {
  const auto promised = freshet::test::read_promises(std::cin);
  auto broken = freshet::test::check_files(promised, directory / "files");
  const std::uint64_t trials = promised.trials > 0 ? trials_in(store_in(directory)) : 0;
  if (trials < promised.trials) broken.push_back(fmt::format("the store has {} of {} trials", trials, promised.trials));
  for (const auto& [method, growing] : freshet::test::look_at_growing(promised, directory / "files"))
    std::cout << fmt::format("growing {} {} {}\n", method, growing.count, growing.with_zeros);
  for (const std::string& each : broken) std::cout << each << '\n';
  std::cout << fmt::format("{} promises about {} files and {} trials, {} broken\n", promised.count,
                           promised.files.size() + promised.versions.size(), promised.trials, broken.size());
  return broken.empty() ? 0 : 1;
}

}  // namespace

int main(int count, char** words) try {
  const std::span<char*> all{words, static_cast<std::size_t>(count)};
  const std::string_view verb = count > 1 ? words[1] : "";
  if (verb == "write" && (count == 6 || count == 7)) return write(all.subspan(2));
  if (verb == "grow" && count == 7) return grow(all.subspan(2));
  if (verb == "trials" && count == 5) return keep_trials(all.subspan(2));
  if (verb == "check" && count == 3) return check(words[2]);
  if (verb == "log" && count == 5) {
    promise_log{words[2], words[3]}.add(words[4]);
    return 0;
  }
  std::cerr << "usage: write_until_cut write DIRECTORY DEVICE OFFSET RUN [FILES] | grow DIRECTORY DEVICE OFFSET FIRST "
               "FILES | "
               "trials DIRECTORY DEVICE OFFSET | "
               "log DEVICE OFFSET LINE | check DIRECTORY\n";
  return 2;
} catch (const std::exception& caught) {
  std::cerr << "write_until_cut: " << caught.what() << '\n';
  return 2;
}
