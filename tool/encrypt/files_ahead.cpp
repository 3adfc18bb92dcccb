#include "tool/encrypt/files_ahead.hpp"

#include <utility>

#include <freshet/error.hpp>

#include "src/method/transfer.hpp"

namespace freshet::tool {

files_ahead::files_ahead(std::filesystem::path directory, source next, unsigned depth)
    : directory_{std::move(directory)}, source_{std::move(next)}, slots_(depth) {
  for (slot& each : slots_) free_.push_back(&each);
  std::error_code failure;
  detail::uninterrupted(failure,
                        [&] { queue_ = detail::os::queue_lease::take(detail::os::queue_kind::uring, depth, failure); });
  if (failure)
    throw error{failure, "read by io_uring in", directory_, error::no_offset,
                detail::os::explain_missing_queue(detail::os::queue_kind::uring, failure)};
}

files_ahead::~files_ahead() {
  if (in_flight_ > 0)
    queue_.discard();
  else
    queue_->detach();
}

files_ahead::whole_file files_ahead::next() {
  if (given_out_ != nullptr) {
    given_out_->file = {};
    free_.push_back(std::exchange(given_out_, nullptr));
  }
  while (!free_.empty() && start(*free_.back())) {
  }
  if (in_flight_ == 0) return {};
  slot& here = wait();
  given_out_ = &here;
  return {here.found, {reinterpret_cast<const char*>(here.memory.data()), here.got}};
}

// Takes the last of the free slots; false when there are no more files.
bool files_ahead::start(slot& here) {
  const input_file* const found = source_();
  if (found == nullptr) return false;
  free_.pop_back();
  here.found = found;
  here.got = 0;
  std::error_code failure;
  here.file = detail::os::file::open(
      directory_ / found->name, {.what = detail::os::open_request::disposition::existing, .read = true, .write = false},
      failure);
  if (failure) fail("open", here, failure);
  // A byte more than it had: one that grew is noticed, and one that did not shows its end.
  if (here.memory.size() <= found->size) here.memory.resize(static_cast<std::size_t>(found->size) + 1);
  read_on(here);
  return true;
}

void files_ahead::read_on(slot& here) {
  std::error_code failure;
  const auto tag = static_cast<unsigned>(&here - slots_.data());
  const auto left = std::span{here.memory}.first(static_cast<std::size_t>(here.found->size) + 1).subspan(here.got);
  queue_->attach(here.file);
  detail::uninterrupted(failure, [&] { queue_->submit_read(tag, left, here.got, failure); });
  if (failure) fail("read", here, failure);
  ++in_flight_;
}

// For a file that is there as a whole.
files_ahead::slot& files_ahead::wait() {
  while (true) {
    std::error_code failure;
    detail::os::completion done;
    detail::uninterrupted(failure, [&] { done = queue_->wait(failure); });
    if (failure) throw error{failure, "wait for files of", directory_};
    --in_flight_;
    slot& here = slots_[done.tag];
    if (done.error && !detail::may_be_repeated(done.error)) fail("read", here, done.error);
    here.got += done.transferred;
    if (here.got == here.found->size) return here;
    if (here.got > here.found->size || (!done.error && done.transferred == 0)) fail_as_changed(directory_, *here.found);
    read_on(here);
  }
}

void files_ahead::fail(std::string_view operation, const slot& here, std::error_code why) const {
  throw error{why, operation, directory_ / here.found->name, here.got};
}

}  // namespace freshet::tool
