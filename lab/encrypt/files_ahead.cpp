#include "lab/encrypt/files_ahead.hpp"

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
  if (current_ != nullptr) {
    current_->file = {};
    free_.push_back(std::exchange(current_, nullptr));
  }
  while (!free_.empty() && start(*free_.back())) {
  }
  if (in_flight_ == 0) return {};
  slot& complete = wait();
  current_ = &complete;
  return {complete.info, {reinterpret_cast<const char*>(complete.memory.data()), complete.bytes_read}};
}

// Opens the next file in the last free slot, which must be `target`, and starts to read it; false if there are no more
// files.
bool files_ahead::start(slot& target) {
  const input_file* const info = source_();
  if (info == nullptr) return false;
  free_.pop_back();
  target.info = info;
  target.bytes_read = 0;
  std::error_code failure;
  target.file = detail::os::file::open_existing(directory_ / info->name, failure);
  if (failure) fail("open", target, failure);
  // One byte more than the file had, so that a read shows whether it has grown.
  if (target.memory.size() <= info->size) target.memory.resize(static_cast<std::size_t>(info->size) + 1);
  submit_read(target);
  return true;
}

void files_ahead::submit_read(slot& target) {
  std::error_code failure;
  const auto tag = static_cast<unsigned>(&target - slots_.data());
  const auto left =
      std::span{target.memory}.first(static_cast<std::size_t>(target.info->size) + 1).subspan(target.bytes_read);
  queue_->attach(target.file);
  detail::uninterrupted(failure, [&] { queue_->submit_read(tag, left, target.bytes_read, failure); });
  if (failure) fail("read", target, failure);
  ++in_flight_;
}

// Waits for a file that has been read completely.
files_ahead::slot& files_ahead::wait() {
  while (true) {
    std::error_code failure;
    detail::os::completion done;
    detail::uninterrupted(failure, [&] { done = queue_->wait(failure); });
    if (failure) throw error{failure, "wait for files of", directory_};
    --in_flight_;
    slot& target = slots_[done.tag];
    if (done.error && !detail::may_be_repeated(done.error)) fail("read", target, done.error);
    target.bytes_read += done.transferred;
    if (target.bytes_read == target.info->size) return target;
    if (target.bytes_read > target.info->size || (!done.error && done.transferred == 0))
      throw_changed(directory_, *target.info);
    submit_read(target);
  }
}

void files_ahead::fail(std::string_view operation, const slot& target, std::error_code why) const {
  throw error{why, operation, directory_ / target.info->name, target.bytes_read};
}

}  // namespace freshet::tool
