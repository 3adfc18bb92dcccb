#include "tool/analysis/answers.hpp"

namespace freshet::tool {

std::string format_answer(const report_group& /*group*/, const group_verdict& verdict) { return verdict.headline; }

}  // namespace freshet::tool
