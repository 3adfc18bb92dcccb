import subprocess


def cmake_layout(_recipe):
    pass


class CMakeDeps:
    def __init__(self, recipe):
        pass

    def generate(self):
        pass


class CMakeToolchain:
    def __init__(self, recipe):
        self._recipe, self.cache_variables = recipe, {}

    def generate(self):
        self._recipe.cache_variables = self.cache_variables


class CMake:
    def __init__(self, recipe):
        self._recipe = recipe

    def configure(self):
        recipe = self._recipe
        variables = {"CMAKE_BUILD_TYPE": "Release", "CMAKE_INSTALL_LIBDIR": "lib", "CMAKE_UNITY_BUILD": True,
                     "BUILD_SHARED_LIBS": recipe.options.shared, "CMAKE_INSTALL_PREFIX": recipe.package_folder,
                     **recipe.cache_variables}
        words = ["cmake", "-S", recipe.source_folder, "-B", recipe.build_folder, "-G", "Ninja",
                 *(f"-D{name}={'ON' if value is True else 'OFF' if value is False else value}" for name, value in variables.items())]
        done = subprocess.run(words, check=True, stderr=subprocess.PIPE, text=True)
        assert "not used by the project" not in done.stderr, done.stderr

    def build(self):
        subprocess.run(["cmake", "--build", self._recipe.build_folder], check=True)

    def install(self):
        subprocess.run(["cmake", "--install", self._recipe.build_folder], check=True)
