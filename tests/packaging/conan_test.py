#!/usr/bin/env python3
"""Runs the Conan recipe without Conan, with this system's packages, and compiles programs with what it says of its package; with
the command in the complete test alone: conan_test.py DIRECTORY"""
import ast
import importlib.util
import os
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent
recipes = root / "packaging" / "conan"
sys.dont_write_bytecode = True
sys.path.insert(0, str(here / "conan_stand_in"))

# The libraries of other projects by their names in Conan, as this system has them.
SYSTEM_LIBRARIES = {"liburing::liburing": "uring", "libaio::libaio": "aio", "openssl::crypto": "crypto", "zstd::zstdlib": "zstd",
                    "xxhash::libxxhash": "xxhash", "onetbb::libtbb": "tbb"}


def load_recipe():
    module = importlib.util.module_from_spec(spec := importlib.util.spec_from_file_location("recipe", recipes / "conanfile.py"))
    spec.loader.exec_module(module)
    return module


def flags_of(info, name):
    """What a program links for a component, in order."""
    component = info.components[name]
    flags = [f"-l{each}" for each in component.libs]
    for each in component.requires:
        if "::" not in each:
            flags += flags_of(info, each)
        elif each in SYSTEM_LIBRARIES:
            flags.append(f"-l{SYSTEM_LIBRARIES[each]}")
        else:
            assert each == "tomlplusplus::tomlplusplus", f"{each} is no library that is known here"
    return flags + [f"-l{each}" for each in component.system_libs]


def check_references(recipe, of_command):
    """Each package that a component needs is required, and the other way round; programs need none of the command's."""
    required = {reference.split("/")[0] for reference in recipe.required if reference not in of_command}
    used = {each.split("::")[0] for component in recipe.cpp_info.components.values() for each in component.requires if "::" in each}
    assert required == used, f"required {sorted(required)}, but used {sorted(used)}"


def compile_and_run(recipe, component, source, work):
    program = work / source.stem
    subprocess.run(["g++", "-std=c++20", source, f"-I{recipe.package_folder}/include", f"-L{recipe.package_folder}/lib",
                    *flags_of(recipe.cpp_info, component), "-o", program], check=True)
    subprocess.run([program], cwd=work, check=True)


def main():
    work = pathlib.Path(sys.argv[1]).absolute()
    work.mkdir(parents=True)
    os.environ["CCACHE_BASEDIR"] = str(work)
    module = load_recipe()
    recipe = module.FreshetRecipe(recipes, work)
    recipe.options["with_command"] = bool(os.environ.get("FRESHET_TEST_COMPLETE"))
    recipe.configure()
    recipe.validate()
    recipe.export_sources()
    recipe.layout()
    recipe.requirements()
    recipe.generate()
    recipe.build()
    recipe.package()
    recipe.package_info()
    assert (work / "package" / "licenses" / "LICENSE").exists()
    check_references(recipe, module.COMMAND_PACKAGES)
    if recipe.options.with_command:
        subprocess.run([work / "package" / "bin" / "freshet", "peers", "--list"], check=True)
    compile_and_run(recipe, "freshet", root / "tests" / "consumer" / "consumer.cpp", work)
    compile_and_run(recipe, "each_line", root / "tests" / "consumer" / "each_line_consumer.cpp", work)
    # Its own test needs Conan; that its program compiles does not.
    ast.parse((recipes / "test_package" / "conanfile.py").read_text())
    compile_and_run(recipe, "freshet", recipes / "test_package" / "lines.cpp", work)


if __name__ == "__main__":
    main()
