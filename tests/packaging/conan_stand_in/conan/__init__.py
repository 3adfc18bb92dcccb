"""What a recipe uses of Conan 2, with CMake and this system's packages behind it; the dependencies' versions are not looked
at, as this system has its own."""


class Options(dict):
    __getattr__ = dict.__getitem__

    def get_safe(self, name):
        return self.get(name)

    def rm_safe(self, name):
        self.pop(name, None)


class CppInfo:
    def __init__(self):
        self.components = Components()
        self.libs, self.system_libs, self.requires, self.properties = [], [], [], {}

    def set_property(self, name, value):
        self.properties[name] = value


class Components(dict):
    def __missing__(self, name):
        self[name] = CppInfo()
        return self[name]


class Settings:
    os, arch, build_type = "Linux", "x86_64", "Release"


class ConanFile:
    def __init__(self, recipe_folder, work):
        self.recipe_folder = str(recipe_folder)
        self.export_sources_folder = self.source_folder = str(work / "source")
        self.build_folder, self.package_folder = str(work / "build"), str(work / "package")
        self.settings, self.options = Settings(), Options(self.default_options)
        self.required, self.cpp_info, self.cache_variables = [], CppInfo(), None
        unknown = {name for name, value in self.options.items() if value not in self.__class__.options[name]}
        assert not unknown and set(self.options) == set(self.__class__.options), "options without a default, or with a wrong one"

    def requires(self, reference, **_):
        self.required.append(reference)
