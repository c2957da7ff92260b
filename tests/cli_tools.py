"""The scripts of the build: registry, embedding, checks."""
# SPDX-License-Identifier: MIT
import os
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.environ.get("NOETHER_SOURCE", os.path.join(os.path.dirname(__file__), ".."))


def script(name, *arguments, **keywords):
    path = os.path.join(SOURCE, "tools", name)
    return subprocess.run([path, *arguments], capture_output=True, text=True, **keywords)


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()


class Registry(Folder):
    def test_collects_by_file_name_and_symbol(self):
        files = [
            self.write("src/methods/one.c", "const struct method noe_methods_one[] = {{0}};\n"),
            self.write("src/methods/runge_kutta/tableau.c", "void tableau_gauss(void);\n"),
            self.write("src/spaces/vector.c", "const struct noe_space noe_space_vector = {0};\n"),
            self.write("src/output/csv.c", "const struct noe_format noe_format_csv = {0};\n"),
        ]
        done = script("registry.sh", self.path("registry.c"), *files)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = self.read("registry.c")
        for entry in ["    noe_methods_one,", "    &noe_space_vector,", "    &noe_format_csv,"]:
            self.assertIn(entry, text)
        self.assertNotIn("tableau", text)
        compiled = subprocess.run(["cc", "-fsyntax-only", "-Wall", "-Werror", "-x", "c", "-I",
                                   os.path.join(SOURCE, "include"), "-I", os.path.join(SOURCE, "src"),
                                   self.path("registry.c")], capture_output=True, text=True)
        self.assertEqual(compiled.returncode, 0, compiled.stderr)

    def test_removes_old_entries_and_keeps_current_ones(self):
        one = self.write("src/methods/one.c", "const struct method noe_methods_one[] = {{0}};\n")
        script("registry.sh", self.path("registry.c"), one)
        os.utime(self.path("registry.c"), (0, 0))
        script("registry.sh", self.path("registry.c"), one)
        self.assertEqual(os.path.getmtime(self.path("registry.c")), 0)
        script("registry.sh", self.path("registry.c"))
        self.assertNotIn("noe_methods_one", self.read("registry.c"))


class Embed(Folder):
    def test_text_comes_back(self):
        text = 'a "quoted" word\n\tand a back\\slash \\n\n'
        header = self.write("a.h", '#include "b.h"\n' + text)
        script("embed.sh", self.path("embedded.c"), "some_text", header)
        self.write("main.c", '#include <stdio.h>\nextern const char some_text[];\n'
                             'int main(void) { return fputs(some_text, stdout) < 0; }\n')
        subprocess.run(["cc", self.path("main.c"), self.path("embedded.c"), "-o", self.path("main")],
                       check=True)
        out = subprocess.run([self.path("main")], capture_output=True, text=True, check=True).stdout
        self.assertEqual(out, text)


class Checks(Folder):
    def copy_tool(self, name):
        os.makedirs(self.path("tools"), exist_ok=True)
        return shutil.copy(os.path.join(SOURCE, "tools", name), self.path("tools"))

    def test_layers_refuse_an_include_upwards(self):
        tool = self.copy_tool("check_layers.sh")
        self.write("src/base/real.c", '#include "base/real.h"\n')
        self.write("src/methods/gauss.c", '#include "spaces/product.h"\n')
        self.assertEqual(subprocess.run([tool], capture_output=True).returncode, 0)
        self.write("src/base/status.c", '#include "engine/work.h"\n')
        done = subprocess.run([tool], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn('src/base/status.c includes "engine/work.h"', done.stdout)

    def test_prose_refuses_fragments_and_questions(self):
        tool = self.copy_tool("check_prose.sh")
        self.write("src/base/real.c", "/* True if x is finite, whatever its sign. */\nint x; /* an offset */\n")
        self.assertEqual(subprocess.run([tool, "src"], capture_output=True).returncode, 0)
        self.assertGreater(subprocess.run([tool, "missing"], capture_output=True).returncode, 1)
        for line, comment in enumerate(["What is left.", "Where it pays.", "Is x finite?", "--- The same for y.",
                                        "of each lane", "nobody reads it", "x, or y?"], 1):
            self.write("src/base/bad.c", "\n" * (line - 1) + f"int x; /* {comment} */\n")
            done = subprocess.run([tool, "src"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stdout.count("\n"), 1)
            self.assertIn(f"src/base/bad.c:{line}:", done.stdout)

    def test_symbols_refuse_a_name_without_prefix(self):
        folder = "CMakeFiles/noether-objects.dir/src/base"
        source = self.write(folder + "/status.c", "int status_good(void) { return 0; }\n")
        target = self.path(folder + "/status.c.o")
        subprocess.run(["cc", "-c", source, "-o", target], check=True)
        self.assertEqual(script("check_symbols.sh", self.folder).returncode, 0)
        self.write(folder + "/status.c", "int stray(void) { return 0; }\n")
        subprocess.run(["cc", "-c", source, "-o", target], check=True)
        done = script("check_symbols.sh", self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("stray", done.stdout)


@unittest.skipUnless(shutil.which("readelf"), "readelf is not installed")
class Binaries(unittest.TestCase):
    """The commands and libraries of the build: search paths of libraries, and hardening."""

    def files(self):
        build = os.environ["NOETHER_BUILD"]
        names = ["noether", "noether-quad", "noether-mpi", "libnoether.so", "libnoether-quad.so"]
        return [path for path in (os.path.join(build, name) for name in names) if os.path.exists(path)]

    def read(self, option, path):
        return subprocess.run(["readelf", "-W", option, path], capture_output=True, text=True,
                              check=True).stdout

    def test_libraries_load_from_absolute_directories_only(self):
        for path in self.files():
            for line in self.read("-d", path).splitlines():
                if "RUNPATH" not in line and "RPATH" not in line:
                    continue
                for element in line[line.index("[") + 1:line.rindex("]")].split(":"):
                    self.assertTrue(element.startswith("/"), f"{path}: {line.strip()}")

    @unittest.skipIf("NOETHER_SANITIZE" in os.environ, "a sanitizer has checks of its own")
    def test_release_builds_are_hardened(self):
        self.assertGreaterEqual(len(self.files()), 2)
        for path in self.files():
            self.assertIn("DYN", self.read("-h", path), path)
            self.assertIn("GNU_RELRO", self.read("-l", path), path)
            self.assertRegex(self.read("-d", path), r"\(FLAGS_1\).*NOW", path)
            self.assertRegex(self.read("-l", path), r"GNU_STACK.* RW ", path)
            symbols = self.read("-s", path)
            self.assertIn("__stack_chk_fail", symbols, path)
            self.assertRegex(symbols, "__[a-z]+_chk@GLIBC", path)


class SetUp(Folder):
    def fake(self, name, text):
        os.chmod(self.write("bin/" + name, "#!/bin/sh\n" + text), 0o755)

    def environment(self):
        return {"PATH": self.path("bin") + ":/usr/bin:/bin"}

    def test_does_nothing_when_all_is_there(self):
        self.fake("dpkg-query", "echo -n 'install ok installed'\n")
        self.fake("apt-get", "echo called\n")
        self.fake("sudo", "echo called\n")
        done = script("setup.sh", env=self.environment())
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_installs_what_is_missing_and_says_so(self):
        self.fake("dpkg-query", 'case "$*" in *cmocka*) exit 1 ;; esac\necho -n "install ok installed"\n')
        self.fake("apt-get", f'echo "apt-get $*" >>"{self.path("log")}"\n')
        self.fake("sudo", '"$@"\n')
        done = script("setup.sh", env=self.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("setup: installing libcmocka-dev\n", done.stdout)
        self.assertRegex(self.read("log"), r"apt-get update.*\napt-get install .* libcmocka-dev\n")

    def test_says_why_packages_could_not_be_installed(self):
        self.fake("dpkg-query", "exit 1\n")
        self.fake("apt-get", "echo no network; exit 100\n")
        self.fake("sudo", '"$@"\n')
        done = script("setup.sh", env=self.environment())
        self.assertEqual(done.returncode, 3)
        self.assertIn("no network", done.stderr)


if __name__ == "__main__":
    unittest.main()
