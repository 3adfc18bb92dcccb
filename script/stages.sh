# The stages of ./test and ./soak, which read this file. The log of each is build/log/STAGE.log.
# shellcheck shell=bash
readonly logs=$here/build/log skipped=77 nobody=65534 llvm=14
# shellcheck source=script/stages_of_systems.sh
source "$here/script/stages_of_systems.sh"
jobs=$(nproc)
summary='' failed=()

if command -v ccache >/dev/null; then
  # What one checkout compiled serves the next, wherever it lies. Precompiled headers need the sloppiness.
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$here CCACHE_NOHASHDIR=1
  export CCACHE_SLOPPINESS=pch_defines,time_macros
fi

configure() { cmake -S "$here" --preset "$1" -D "FRESHET_WITHOUT=${without_abilities:-}"; }
build() { configure "$1" && cmake --build "build/$1" "${@:2}"; }

# What ctest prints appears at once and in the stage's log.
show() { "$@" 2>&1 | tee -a "$log" >&3; }

# run_tests BUILD LABELS: the tests without these labels, started by the command in `as`. Tests that measure run first and
# alone, and up to twice more where they fail: other work on the machine makes trials invalid, as it should. No other test
# has a second attempt. Most of them wait for files and processes most of their time. No profile of the user chooses their methods.
# `sample` has the options of ctest that choose some of them. A test that hangs fails.
as=()
sample=()
longest=900
[[ -z ${FRESHET_TEST_COMPLETE:-} ]] || longest=14400
measured_attempts=3
run_tests() {
  local status=0 test=("${as[@]}" env FRESHET_PROFILE=none ctest --test-dir "$1" --output-on-failure
    --timeout "$longest" "${sample[@]}")
  rm -f "$1"/{measures,others}.xml
  show "${test[@]}" --output-junit measures.xml --repeat "until-pass:$measured_attempts" -L measures -LE "$2" || status=$?
  show "${test[@]}" --output-junit others.xml -j $((2 * jobs)) -LE "measures|$2" || status=$?
  name_skips "$1"/{measures,others}.xml || status=$?
  return $status
}

# take_one_in N: makes run_tests() take every Nth test, from one that FRESHET_TEST_SEED chooses; all of them for ./soak.
take_one_in() { [[ -n ${FRESHET_TEST_COMPLETE:-} ]] || sample+=(-I "$((1 + FRESHET_TEST_SEED % $1)),,$1"); }

# draw COUNT WORD…: so many of the words, chosen by FRESHET_TEST_SEED.
draw() {
  python3 -c 'import random, sys
words = sys.argv[3:]
print(*random.Random(sys.argv[1]).sample(words, min(int(sys.argv[2]), len(words))), sep="\n")' "$FRESHET_TEST_SEED" "$@"
}

# has_passed MINUTES: where a machine is slow, less is tried, so that ./test --all ends within 75 minutes; never in ./soak.
has_passed() { ((SECONDS > $1 * 60)) && [[ -z ${FRESHET_TEST_COMPLETE:-} ]]; }

# has_time_for MINUTES STAGE…: whether the stage that calls this has time. After so many minutes, only the one of these that the seed
# draws has; eight minutes later, none.
has_time_for() {
  local drawn=("${@:2}")
  has_passed "$1" || return 0
  ! has_passed $(($1 + 8)) && [[ ${drawn[FRESHET_TEST_SEED % ${#drawn[@]}]} == "${FUNCNAME[1]}" ]] && return
  echo "skipped: $((SECONDS / 60)) minutes have passed"
  return "$skipped"
}

# Names what was skipped in these reports of ctest. Where root has all that tests need, nothing may be skipped but what the
# kernel and the machine lack.
may_skip=(--strict)
name_skips() {
  local how=("${may_skip[@]}")
  if [[ $EUID -ne 0 || ! -e /dev/loop-control ]] || ! grep -q '^ID=debian' /etc/os-release || ! unshare -m true 2>/dev/null; then
    how=()
  fi
  tests/skips.py "${how[@]}" "$@"
}

# Formatting and diagnoses change with each version of the LLVM tools; those of other versions mean nothing here.
written_for() {
  "$1" --version | grep -q "version $llvm\." && return
  echo "skipped: the rules are written for $1 $llvm"
  return $skipped
}

format() {
  written_for clang-format || return
  find include src tool lab peer tests bench example packaging \( -name '*.[ch]' -o -name '*.[ch]pp' \) -print0 |
    xargs -0 clang-format --dry-run --Werror
}

# Without what has a stage of its own.
readonly staged='peers|power|refusals|surroundings'
readonly last_stages=(recipes power refusals surroundings) other_systems=(processors windows macos consumers)
release() { build release && run_tests build/release "$staged"; }

# A family takes up to a minute of other languages' compilers.
peers() {
  local families=() count=2 status=0
  ! has_passed 60 || count=1
  [[ -z ${FRESHET_TEST_COMPLETE:-} ]] || count=1000
  build release || return
  mapfile -t families < <(ctest --test-dir build/release -N -L peers | sed -n 's/.*Test *#[0-9]*: //p')
  mapfile -t families < <(draw "$count" "${families[@]}")
  echo "the sample: ${families[*]}"
  show ctest --test-dir build/release --output-on-failure -R "^($(IFS='|' && echo "${families[*]//+/\\+}"))$" \
    --no-tests=error --output-junit peers.xml || status=$?
  name_skips build/release/peers.xml || status=$?
  return $status
}

# run_labelled LABEL JOBS: the tests of the stage release that have this label. What they tried is in the log.
run_labelled() {
  local status=0
  show ctest --test-dir build/release -V -j "$2" --timeout "$longest" -L "^$1\$" --no-tests=error --output-junit "$1.xml" || status=$?
  name_skips "build/release/$1.xml" || status=$?
  return $status
}

# Virtual machines that lose their power, one on each core.
power() {
  has_time_for 64 "${last_stages[@]}" || return
  build release --target write_until_cut freshet_command freshet_lab && run_labelled power "$jobs"
}

# The library and the command where the system refuses one call after another.
refusals() {
  has_time_for 64 "${last_stages[@]}" || return
  build release --target {src,src_optimized,os,each_line,allocation,refusals}_test && run_labelled refusals 1
}

# The library and the command in chroots, containers, file systems and limits that lack something.
surroundings() {
  has_time_for 64 "${last_stages[@]}" || return
  build release --target surroundings_test && run_labelled surroundings "$jobs"
}

benchmarks() { build release --target benchmarks; }

list_abilities() { sed -nE 's/^ability\(([a-z0-9]+) .*/\1/p' lab/abilities.cmake; }

# The laboratory's abilities that this run looks at closely: a third, chosen by the seed, with those that they rest on; all of
# them for ./soak.
sampled_abilities() {
  local abilities name
  mapfile -t abilities < <(list_abilities)
  if [[ -n ${FRESHET_TEST_COMPLETE:-} ]]; then
    printf '%s\n' "${abilities[@]}"
    return
  fi
  draw $(((${#abilities[@]} + 2) / 3)) "${abilities[@]}" | while IFS= read -r name; do
    printf '%s\n' "$name"
    sed -nE "s/^ability\\($name \"[^\"]*\" (.*)\\)/\\1/p" lab/abilities.cmake | tr ' ' '\n'
  done | sort -u
}

# all_abilities_but NAME…: as CMake wants them for FRESHET_WITHOUT.
all_abilities_but() { list_abilities | grep -vxF -f <(printf '%s\n' "$@") | paste -sd ';' || true; }

# The abilities that this run leaves out, as CMake wants them for FRESHET_WITHOUT.
other_abilities() {
  local sampled
  mapfile -t sampled < <(sampled_abilities)
  all_abilities_but "${sampled[@]}"
}

# Each source alone, with no precompiled header: includes that are missing show here.
clang() {
  local without_abilities
  without_abilities=$(other_abilities)
  echo "left out of the laboratory: ${without_abilities:-nothing}"
  build clang && cmake --build build/clang --target benchmarks
}

lint() {
  local folders=(src tool lab/CMakeFiles/freshet_{lab,laboratory,lab_ranks,alone,together}.dir) name
  written_for clang-tidy || return
  configure lint || return
  for name in $(sampled_abilities); do folders+=("lab/$name" "lab/CMakeFiles/freshet_lab_$name.dir"); done
  echo "the sample: ${folders[*]}"
  script/lint build/lint "${folders[@]}"
}

document() {
  mkdir -p build/doc
  doxygen doc/Doxyfile
}

# Every command of the README, and those of half the guide's pages; on a slow machine, of a quarter.
readme() {
  local pages=() share=2
  mapfile -t pages < <(grep -l '^## Exit codes' doc/guide/*.md | xargs -n 1 basename -s .md)
  ! has_passed 60 || share=4
  [[ -n ${FRESHET_TEST_COMPLETE:-} ]] || mapfile -t pages < <(draw $(((${#pages[@]} + share - 1) / share)) "${pages[@]}")
  tests/readme_test.sh && tests/guide_test.sh build/release/tool "${pages[@]}"
}

# Random calls of every command in random places for FRESHET_RANDOM_SECONDS (30).
random() {
  build release --target freshet_command_for_tests freshet_lab_for_tests &&
    tests/tool/command/random_commands_test.py build/release/tests/tool/freshet "${FRESHET_RANDOM_SECONDS:-30}"
}

# A made-up method, gate and workload, added as CONTRIBUTING.md says.
recipes() {
  has_time_for 64 "${last_stages[@]}" || return
  tests/recipes_test.sh
}

# Debian packages, installed, used, upgraded and removed in a clean root; the binary interface; ports; the source archive.
packages() { tests/packaging/packages_test.sh build/packages; }

as_nobody() { setpriv --reuid=$nobody --regid=$nobody --clear-groups --no-new-privs "$@"; }

# What the release stage built, without root's powers: all that is about the library, and each command once; a sample of it.
# ctest writes where it runs, hence the folder of its own.
user() {
  if [[ $EUID -ne 0 ]]; then
    echo "skipped: not root, so the other stages have shown it"
    return $skipped
  fi
  local as=(as_nobody) may_skip=() sample=() scratch tests=$here/build/release/tests status=0 without="slow|packaging|repository|$staged|commands"
  # Some thousand of the commands' faults: the stage release tries all.
  [[ -z ${FRESHET_TEST_COMPLETE:-} ]] || { without="packaging|repository|$staged" && export FRESHET_FAULTS=2000; }
  if has_passed 25; then take_one_in 4; else take_one_in 2; fi
  build release || return
  scratch=$(mktemp -d /var/tmp/freshet-test.XXXXXX) || return
  mkdir "$scratch/files" && chown -R $nobody:$nobody "$scratch"
  if ! as_nobody test -r "$tests/CTestTestfile.cmake"; then
    echo "the checkout is closed to other users; the tests are built once more in $scratch"
    cp -r --no-preserve=ownership CMakeLists.txt CMakePresets.json LICENSE README.md cmake src include tool lab peer tests bench example packaging "$scratch" &&
      export CCACHE_BASEDIR=$scratch && cmake -S "$scratch" --preset release && cmake --build "$scratch/build/release" && chmod -R go+rX "$scratch" || status=$?
    tests=$scratch/build/release/tests
  fi
  echo "subdirs(\"$tests\")" >"$scratch/CTestTestfile.cmake"
  if [[ $status -eq 0 ]]; then
    HOME=$scratch TMPDIR=$scratch FRESHET_TEST_DIR=$scratch/files run_tests "$scratch" "$without" || status=$?
  fi
  rm -rf "$scratch"
  return "$status"
}

# The library, its faults, all that reads other people's bytes, and each command once, of the laboratory a third; a sample of these. A sanitizer finds
# what it finds at the first attempt, and an access out of place in fewer inputs than a wrong result takes. On a slow machine
# the library's tests alone, and fewer of them where compiling took long, which the summary says.
asan-ubsan() {
  local without='packaging|repository|commands|unwatched' measured_attempts=1 may_skip=() sample=() targets=() one_in=2
  if has_passed 30; then
    targets=(--target {src,src_optimized,os,each_line,allocation}_test)
    sample=(-R '^(src|src_optimized|os|each_line|allocation)\.')
  fi
  [[ -z ${FRESHET_TEST_COMPLETE:-} ]] || { without='packaging|repository' && export FRESHET_FAULTS=2000; }
  [[ -z ${RC_PARAMS:-} ]] || export RC_PARAMS=${RC_PARAMS/max_success=25/max_success=10}
  local without_abilities
  without_abilities=$(other_abilities)
  echo "left out of the laboratory: ${without_abilities:-nothing}"
  build asan-ubsan "${targets[@]}" || return
  ! has_passed 45 || one_in=10
  [[ -z ${targets[*]} ]] || echo "after $((SECONDS / 60)) minutes: the library's tests only, one in $one_in"
  take_one_in "$one_in"
  run_tests build/asan-ubsan "$without"
}

# The thread sanitizer of gcc 12 does not start where the kernel spreads addresses widely (vm.mmap_rnd_bits above 28). It
# does not see the threads of glibc's aio, and crashes when one of them starts another (llvm-project issue 109742), as
# several files at once make it do.
tsan() {
  local unspread=() status=0 without_abilities
  without_abilities=$(all_abilities_but encrypt)  # the one that has threads
  if setarch -R true 2>/dev/null; then unspread=(setarch -R); fi
  configure tsan && "${unspread[@]}" cmake --build build/tsan --target thread_tests || return
  # Children of threaded processes start threads of their own here, which the sanitizer would end.
  TSAN_OPTIONS="die_after_fork=0 suppressions=$here/tests/support/thread_sanitizer.supp" show "${unspread[@]}" ctest \
    --test-dir build/tsan -L threads -E 'different_writers_in_different_threads/aio' --no-tests=error \
    --output-on-failure --output-junit threads.xml -j "$jobs" || status=$?
  name_skips build/tsan/threads.xml || status=$?
  return $status
}

fuzz_target() {
  local name=$1 status=0
  mkdir -p "corpus/$name"
  "tests/fuzz/$name" -max_total_time="${FRESHET_FUZZ_SECONDS:-10}" -print_final_stats=1 "corpus/$name" \
    "$here/tests/fuzz/corpus/$name" >"$name.log" 2>&1 || status=$?
  echo "== $name"
  if [[ $status -ne 0 ]]; then tail -n 40 "$name.log"; return 1; fi
  grep -E '^stat::(number_of_executed_units|peak_rss_mb)|^Done' "$name.log"
}

# Each fuzz target for FRESHET_FUZZ_SECONDS (10), from the inputs that the repository keeps, one on each core. libFuzzer adds
# inputs of its own to build/fuzz/corpus, and leaves what fails in build/fuzz.
fuzz() {
  local without_abilities tried
  mapfile -t tried < <(sed -nE 's,^#include "lab/([a-z0-9]+)/.*,\1,p' tests/fuzz/*.cpp)
  without_abilities=$(all_abilities_but "${tried[@]}")
  build fuzz --target fuzz_targets || return
  cd build/fuzz || return
  if has_passed 45; then export FRESHET_FUZZ_SECONDS=${FRESHET_FUZZ_SECONDS:-3}; fi
  export here
  export -f fuzz_target
  printf '%s\n' tests/fuzz/*_fuzz | xargs -P "$jobs" -I '{}' bash -c 'fuzz_target "${1##*/}"' fuzz_target '{}'
}

# The files of tests: in memory, but for those that need a disk, which go to $FRESHET_TEST_DISK (else /var/tmp).
use_scratch() {
  local below=/var/tmp
  if [[ -w /dev/shm && $(df --output=avail -B1G /dev/shm | tail -n 1) -ge 4 ]]; then below=/dev/shm; fi
  FRESHET_TEST_DIR=$(mktemp -d "$below/freshet-tests.XXXXXX")
  chmod 1777 "$FRESHET_TEST_DIR"  # some tests act as an ordinary user
  export FRESHET_TEST_DIR FRESHET_TEST_DISK=${FRESHET_TEST_DISK:-/var/tmp}
  trap 'stop_packages; rm -rf "$FRESHET_TEST_DIR"' EXIT
}

# Lines of a log that name a sample, what was skipped, by reason, and what passed at a later attempt only.
remarks() {
  local names
  sed -nE 's/^after [0-9]+ minutes: /           &/p' "$1"
  sed -nE 's/^skipped ([^ ]+): (.*)/\2\t\1/p' "$1" | sort | awk -F '\t' '
    $1 != last { if (last) print names; last = $1; names = "           skipped, " $1 ":" }
    { names = names " " $2 }
    END { if (last) print names }'
  names=$(sed -nE 's/^.*Test +#[0-9]+: ([^ ]+).*(\*\*\*Failed|\*\*\*Timeout|\*\*\*Exception).*/\1/p' "$1" | sort | uniq -c |
    awk '{ print $2 "(" $1 ")" }' | paste -sd ' ')
  [[ -z $names ]] || printf '%11s%s %s\n' '' 'failed attempts:' "$names"
}

# The errors of a log: its compiler's, its tests' names and the lines that ctest prints of why they failed; the end of a log that
# has none of these.
errors() {
  local found
  found=$(grep -E "(error|Error|undefined reference)\b.*[:']|: Failure$|^FAILED:|^\[  FAILED  \]|\*\*\*(Failed|Timeout|Exception)|^ *(Expected|Which is|Actual|Value of):?" "$1" |
    awk '!seen[$0]++ && ++shown <= 25') || true
  { if [[ -n $found ]]; then printf '%s\n' "$found"; else tail -n 25 "$1"; fi; } | cut -c 1-300
}

# Runs one stage, where none changes the directory or the variables of the next. What the summary says of it goes to
# build/log/STAGE.result. Fails where the stage does.
run_stage() {
  local stage=$1 log=$logs/$1.log start=$SECONDS status=0 result=passed remark
  printf '\n== %s, after %d minutes\n' "$stage" $((SECONDS / 60))
  : >"$log"
  ("$stage") >>"$log" 2>&1 || status=$?
  remark=$(grep -E '^(skipped:|[0-9]+% tests passed)' "$log" | tail -n 1) || true
  if [[ $status -eq $skipped ]]; then
    result=skipped
  elif [[ $status -ne 0 ]]; then
    result=FAILED
    tail -n 60 "$log"
  fi
  { printf '%-10s %-7s %4d s  %s\n' "$stage" "$result" $((SECONDS - start)) "$remark" && remarks "$log"; } >"$logs/$stage.result"
  [[ $result != FAILED ]]
}

# The stage `packages` waits for downloads, and nothing depends on what it measures: compilers may work beside it.
beside_packages='clang|lint' packages_process=''
start_packages() {
  set -m  # a process group, which stop_packages ends
  run_stage packages </dev/null &
  packages_process=$!
  set +m
}
finish_packages() {
  if [[ -n $packages_process ]]; then wait "$packages_process" || failed+=(packages); fi
  packages_process=''
}
stop_packages() { [[ -z $packages_process ]] || kill -- "-$packages_process" 2>/dev/null || true; }

# run_stages STAGE…: all, then the summary. Fails where one does.
run_stages() {
  local stage
  mkdir -p "$logs"
  exec 3>&1
  for stage in "$@"; do
    if [[ $stage == packages ]]; then
      start_packages
    else
      [[ $stage =~ ^($beside_packages)$ ]] || finish_packages
      run_stage "$stage" || failed+=("$stage")
    fi
  done
  finish_packages
  for stage in "$@"; do summary+=$(<"$logs/$stage.result")$'\n'; done
  printf '\n%ssamples: FRESHET_TEST_SEED=%s\n' "$summary" "$FRESHET_TEST_SEED"
  if [[ ${#failed[@]} -gt 0 ]]; then
    printf '\nFAILED: %s (their output: %s)\n' "${failed[*]}" "$logs"
    for stage in "${failed[@]}"; do
      printf '\n-- %s\n' "$stage"
      errors "$logs/$stage.log"
    done
    return 1
  fi
}
