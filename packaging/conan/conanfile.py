"""The library of freshet for Conan 2, with the option with_command also the command: `conan create packaging/conan` in the
repository, or in the source archive."""
from pathlib import Path

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir

# Option: the CMake option, the package that it needs, and the library of it that programs link beside a static freshet.
PARTS = {
    "with_uring": ("FRESHET_WITH_URING", "liburing/2.11", "liburing::liburing"),
    "with_libaio": ("FRESHET_WITH_LIBAIO", "libaio/0.3.113", "libaio::libaio"),
    "with_openssl": ("FRESHET_WITH_OPENSSL", "openssl/[>=3 <4]", "openssl::crypto"),
    "with_zstd": ("FRESHET_WITH_ZSTD", "zstd/[>=1.5 <1.6]", "zstd::zstdlib"),
    "with_xxhash": ("FRESHET_WITH_XXHASH", "xxhash/0.8.3", "xxhash::libxxhash"),
    "with_each_line": ("FRESHET_WITH_TBB", "onetbb/[>=2021.10 <2022]", "onetbb::libtbb"),
}

# What with_command needs besides.
COMMAND_PARTS = ("with_openssl", "with_xxhash", "with_each_line")
COMMAND_PACKAGES = ("cli11/[>=2.1 <3]", "fmt/9.1.0", "nlohmann_json/[>=3.11 <4]", "sqlitecpp/[>=3.2 <4]")


class FreshetRecipe(ConanFile):
    name = "freshet"
    version = "0.2.0"
    description = "C++ file streams that write and read the fastest way that the machine has"
    license = "Apache-2.0"
    topics = ("io", "files", "streams", "io-uring")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "with_command": [True, False],
               **{part: [True, False] for part in PARTS}}
    default_options = {"shared": False, "fPIC": True, "with_command": False, **{part: True for part in PARTS}}

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("freshet is for Linux")
        check_min_cppstd(self, 20)
        lacking = [part for part in COMMAND_PARTS if not self.options.get_safe(part)]
        if self.options.with_command and lacking:
            raise ConanInvalidConfiguration(f"with_command needs {', '.join(lacking)}")

    def export_sources(self):
        root = Path(self.recipe_folder).parents[1]
        for each in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*", "tool/*", "lab/*", "peer/*"):
            copy(self, each, src=root, dst=self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("tomlplusplus/3.4.0", visible=False)
        for part, (_, package, _) in PARTS.items():
            if self.options.get_safe(part):
                self.requires(package)
        if self.options.with_command:
            for package in COMMAND_PACKAGES:
                self.requires(package, visible=False)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["FRESHET_BUILD_TOOL"] = bool(self.options.with_command)
        for part in ("BUILD_TESTS", "BUILD_BENCHMARKS", "WITH_MPI"):
            toolchain.cache_variables[f"FRESHET_{part}"] = False
        toolchain.cache_variables["FRESHET_INSTALLED_ONLY"] = True
        toolchain.cache_variables["FRESHET_INSTALL"] = True
        for part, (variable, _, _) in PARTS.items():
            toolchain.cache_variables[variable] = bool(self.options.get_safe(part))
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=Path(self.package_folder) / "licenses")
        # Conan writes its own, from package_info().
        rmdir(self, Path(self.package_folder) / "lib" / "cmake")
        rmdir(self, Path(self.package_folder) / "lib" / "pkgconfig")

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "freshet")
        library = self.cpp_info.components["freshet"]
        library.set_property("cmake_target_name", "freshet::freshet")
        library.set_property("pkg_config_name", "freshet")
        library.libs = ["freshet"]
        library.system_libs = ["pthread"]
        library.requires = ["tomlplusplus::tomlplusplus"]
        for part, (_, _, target) in PARTS.items():
            if part != "with_each_line" and self.options.get_safe(part):
                library.requires.append(target)
        if self.options.with_each_line:
            each_line = self.cpp_info.components["each_line"]
            each_line.set_property("cmake_target_name", "freshet::each_line")
            each_line.set_property("pkg_config_name", "freshet-each-line")
            each_line.libs = ["freshet_each_line"]
            each_line.requires = ["freshet", PARTS["with_each_line"][2]]
