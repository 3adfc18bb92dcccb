#!/usr/bin/env bash
# Uses freshet as another project would: consume.sh WAY SOURCE BUILD SCRATCH [CMAKE-OPTION…]
# WAY: find-package, pkg-config, subdirectory (and a plugin with the library in it, which is loaded and unloaded),
# without-optional (liburing, libaio, libzstd, libxxhash and oneTBB), shared, without-exceptions (-fno-exceptions).
# BUILD: freshet, built; SCRATCH: a directory for this alone. Takes up to a minute: freshet is built once more.
set -euo pipefail
way=$1 source=$2 build=$3 scratch=$4
shift 4
# One source for each folder, in a quarter of the time; ./soak compiles each source alone, as other projects do.
[[ -n ${FRESHET_TEST_COMPLETE:-} ]] || set -- -DCMAKE_UNITY_BUILD=ON "$@"
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"

configure_and_build() {
  cmake -S "$1" -B consumer-build -G Ninja "${@:2}"
  cmake --build consumer-build
}

load_and_unload_plugins() {
  mkdir files
  for library in standard_plugin plugin; do consumer-build/host "$PWD/consumer-build/lib$library.so" files; done
}

case $way in
  find-package)
    cmake --install "$build" --prefix "$scratch/prefix"
    if [[ -d $build/usage ]]; then
      cd "$scratch/prefix/share"
      [[ -s man/man1/freshet.1 && -s man/man1/freshet-tune.1 && -s bash-completion/completions/freshet &&
        -s zsh/site-functions/_freshet && -s fish/vendor_completions.d/freshet.fish ]]
      diff <(ls "$build/usage/man1") <(ls man/man1)
      cd "$scratch"
    fi
    if [[ -x $build/tool/freshet-lab ]]; then
      [[ -x prefix/libexec/freshet/freshet-lab && ! -e prefix/bin/freshet-lab ]]
      prefix/bin/freshet peers --list
    fi
    configure_and_build "$source/tests/consumer/installed" -DCMAKE_PREFIX_PATH="$scratch/prefix" "$@"
    consumer-build/consumer
    consumer-build/each_line_consumer
    consumer-build/older_standard_consumer
    ;;
  pkg-config)
    cmake --install "$build" --prefix "$scratch/prefix"
    PKG_CONFIG_PATH=$(dirname -- "$(find "$scratch/prefix" -name freshet.pc)")
    export PKG_CONFIG_PATH
    read -ra flags <<<"$(pkg-config --cflags --libs --static freshet)"
    "${CXX:-g++}" -std=c++20 "$source/tests/consumer/consumer.cpp" "${flags[@]}" -o consumer
    ./consumer
    read -ra flags <<<"$(pkg-config --cflags --libs --static freshet-each-line)"
    "${CXX:-g++}" -std=c++20 "$source/tests/consumer/each_line_consumer.cpp" "${flags[@]}" -o each_line_consumer
    ./each_line_consumer
    ;;
  subdirectory)
    configure_and_build "$source/tests/consumer/subdirectory" -DWITH_PLUGIN=ON "$@"
    consumer-build/consumer
    consumer-build/each_line_consumer
    load_and_unload_plugins
    ;;
  without-optional)
    configure_and_build "$source/tests/consumer/subdirectory" \
      -DFRESHET_WITH_URING=OFF -DFRESHET_WITH_LIBAIO=OFF -DFRESHET_WITH_OPENSSL=OFF -DFRESHET_WITH_ZSTD=OFF \
      -DFRESHET_WITH_XXHASH=OFF \
      -DFRESHET_WITH_TBB=OFF "$@"
    consumer-build/consumer uring uring-buffered libaio
    [[ ! -e consumer-build/each_line_consumer ]]
    ;;
  shared)
    cmake -S "$source" -B freshet-build -G Ninja -DBUILD_SHARED_LIBS=ON \
      -DFRESHET_BUILD_TOOL=OFF -DFRESHET_BUILD_TESTS=OFF -DFRESHET_BUILD_BENCHMARKS=OFF "$@"
    cmake --build freshet-build
    "$source/tests/consumer/exported_symbols.sh" "$source" freshet-build/src/*.so
    cmake --install freshet-build --prefix "$scratch/prefix"
    configure_and_build "$source/tests/consumer/installed" -DCMAKE_PREFIX_PATH="$scratch/prefix" "$@"
    consumer-build/consumer
    consumer-build/each_line_consumer
    readelf -d consumer-build/consumer | grep -F libfreshet.so
    if readelf -d consumer-build/consumer | grep -F libtbb; then exit 1; fi
    readelf -d consumer-build/each_line_consumer | grep -F libfreshet_each_line.so
    ;;
  without-exceptions)
    cmake --install "$build" --prefix "$scratch/prefix"
    PKG_CONFIG_PATH=$(dirname -- "$(find "$scratch/prefix" -name freshet.pc)")
    export PKG_CONFIG_PATH
    compilers=("${CXX:-g++}")
    if [[ $(command -v clang++ || true) && $compilers != *clang* ]]; then compilers+=(clang++); fi
    "$source/tests/consumer/without_exceptions/check.sh" "$source" \
      "$(pkg-config --cflags --libs --static freshet)" "${compilers[@]}"
    ;;
  *) echo "consume.sh: no way '$way'" >&2; exit 2 ;;
esac
cd /
rm -rf "$scratch"
