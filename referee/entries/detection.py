"""What the files of a folder say of the bot in it: its language, what builds it, and what runs it.

The table RULES says all of this; a language more is a line more. Nothing is run here.
"""

import json
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import PurePath

from msgspec import Struct
from msgspec.structs import replace

from referee.play.spec import script_of
from referee.toml.document import check_dots

_READ_BYTES = 64_000
"""How much of a file is read to find out more."""

Words = tuple[str, ...]


class Rule(Struct, frozen=True, kw_only=True):
    """What files mean."""

    files: Words
    """Names of files in the folder, all of which must be there; `*` stands for anything."""
    language: str = ""
    """As people write it. Empty where the files leave it open."""
    command: Words = ()
    """Empty where the files do not tell what is run."""
    build: Words = ()
    covers: Words = ()
    """Other files that mean nothing of their own beside these: they are sources, or have been built from them."""
    adds: Mapping[str, str] = {}
    """By a part of the text of the first of the files, the word that is added to the build for it."""
    asks: Callable[["Rule", str, frozenset[str]], "Rule"] | None = None
    """Looks for what the files that must be there do not tell, in the folder with files of these names."""
    example: Words = ()
    """Where the command is not told, one that could be."""


def _with_build_script(rule: Rule, _: str, names: frozenset[str]) -> Rule:
    """Where a build.sh lies beside the files, it is what builds."""
    return replace(rule, build=("sh", "build.sh")) if "build.sh" in names else rule


def _crate(rule: Rule, folder: str, names: frozenset[str]) -> Rule:
    """The program of a crate in Rust: that of its only [[bin]], else the one that bears the package's name."""
    rule = _with_build_script(rule, folder, names)
    try:
        text = _text(folder, "Cargo.toml")
        check_dots("Cargo.toml", text)
        manifest = tomllib.loads(text)
        programs = [one["name"] for one in manifest.get("bin", ())] or [manifest["package"]["name"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return rule
    if len(programs) != 1 or not isinstance(programs[0], str) or PurePath(programs[0]).name != programs[0]:
        return rule
    return replace(rule, command=(f"target/release/{programs[0]}",))


def _package(rule: Rule, folder: str, names: frozenset[str]) -> Rule:
    """What a package.json names as `main`, once its dependencies are installed and its script `build` has run."""
    try:
        package = json.loads(_text(folder, "package.json"))
        main, scripts, needs = (package.get(key) for key in ("main", "scripts", "dependencies"))
    except (ValueError, AttributeError, RecursionError):
        return rule
    usual = (name for name in ("bot.mjs", "bot.js", "index.mjs", "index.js") if name in names)
    started = main if isinstance(main, str) and main else next(usual, None)
    steps: list[Words] = []
    if needs and not os.path.isdir(os.path.join(folder, "node_modules")):
        steps.append(("npm", "ci" if "package-lock.json" in names else "install"))
    if isinstance(scripts, dict) and "build" in scripts:
        steps.append(("npm", "run", "build"))
    joined = " && ".join(" ".join(step) for step in steps)
    build = () if not steps else steps[0] if len(steps) == 1 else ("sh", "-c", joined)
    return replace(rule, build=build, command=() if started is None else ("node", started))


def _sources(rule: Rule, folder: str, names: frozenset[str]) -> Rule:
    """Each word of the build that stands for several files is replaced by them."""
    rule = _with_build_script(rule, folder, names)
    words = [sorted(name for name in names if fnmatchcase(name, word)) or [word] for word in rule.build]
    return replace(rule, build=tuple(word for some in words for word in some))


_GSON = "gson.jar:/usr/share/java/gson.jar"
_SCRIPTS = ("bot.py", "bot.pl", "bot.rb", "bot.lua", "bot.php", "bot.js", "bot.mjs", "bot.sh")
_JAVA_RUN = ("java", "@run.args")
_JAR = ("java", "-jar", "target/bot.jar")

RULES = (
    Rule(
        files=("Makefile",),
        command=("./bot",),
        build=("make",),
        covers=("makefile", "bot", "bot.c", "bot.cpp", "bot.rs", "bot.kt", "Bot.java", "build.sh"),
    ),
    Rule(
        files=("CMakeLists.txt",),
        command=("build/bot",),
        build=("sh", "-c", "cmake -S . -B build && cmake --build build"),
        covers=("bot", "bot.c", "bot.cpp", "build.sh"),
    ),
    Rule(
        files=("Cargo.toml",),
        language="Rust",
        build=("cargo", "build", "--release"),
        covers=("bot", "bot.rs", "build.sh"),
        asks=_crate,
        example=("target/release/bot",),
    ),
    Rule(
        files=("go.mod",),
        language="Go",
        command=("./bot",),
        build=("go", "build", "-o", "bot", "."),
        covers=("bot", "bot.go", "build.sh"),
        asks=_with_build_script,
    ),
    Rule(
        files=("package.json",),
        language="JavaScript",
        covers=("bot.js", "bot.mjs", "tsconfig.json", "bot.ts", "bot.mts"),
        asks=_package,
        example=("node", "bot.js"),
    ),
    Rule(
        files=("tsconfig.json", "bot.mts"),
        language="TypeScript",
        command=("node", "bot.mjs"),
        build=("tsc",),
        covers=("bot.mjs", "bot.js"),
    ),
    Rule(
        files=("tsconfig.json", "bot.ts"),
        language="TypeScript",
        command=("node", "bot.js"),
        build=("tsc",),
        covers=("bot.mjs", "bot.js"),
    ),
    Rule(
        files=("pom.xml",),
        language="Java",
        build=("mvn", "-q", "-B", "package"),
        covers=("Bot.java", "run.args"),
        example=_JAR,
    ),
    Rule(
        files=("build.gradle*",),
        language="Java",
        build=("gradle", "--no-daemon", "build"),
        covers=("Bot.java", "bot.kt", "run.args"),
        example=("java", "-jar", "build/libs/bot.jar"),
    ),
    Rule(
        files=("Bot.java", "run.args"),
        language="Java",
        command=_JAVA_RUN,
        build=("javac", "-d", "classes", "-cp", _GSON, "*.java"),
        covers=("build.sh", "bot"),
        asks=_sources,
    ),
    Rule(
        files=("Bot.java",),
        language="Java",
        command=("java", "-cp", f"classes:{_GSON}", "Bot"),
        build=("javac", "-d", "classes", "-cp", _GSON, "*.java"),
        covers=("build.sh", "bot"),
        asks=_sources,
    ),
    Rule(
        files=("bot.kt", "run.args"),
        language="Kotlin",
        command=_JAVA_RUN,
        build=("kotlinc", "*.kt", "-cp", _GSON, "-include-runtime", "-d", "bot.jar"),
        covers=("build.sh", "bot"),
        asks=_sources,
    ),
    Rule(
        files=("bot.kt",),
        language="Kotlin",
        command=("java", "-jar", "bot.jar"),
        build=("kotlinc", "*.kt", "-include-runtime", "-d", "bot.jar"),
        covers=("build.sh", "bot"),
        asks=_sources,
    ),
    Rule(
        files=("bot.c",),
        language="C",
        command=("./bot",),
        build=("cc", "-std=c11", "-O2", "-Wall", "-o", "bot", "*.c"),
        covers=("build.sh", "bot"),
        adds={"cjson/cJSON.h": "-lcjson", "<jansson.h>": "-ljansson", "<math.h>": "-lm", "<pthread.h>": "-pthread"},
        asks=_sources,
    ),
    Rule(
        files=("bot.cpp",),
        language="C++",
        command=("./bot",),
        build=("c++", "-std=c++17", "-O2", "-Wall", "-I", ".", "-o", "bot", "*.cpp"),
        covers=("build.sh", "bot"),
        adds={"<thread>": "-pthread"},
        asks=_sources,
    ),
    Rule(files=("bot.py",), language="Python", command=("python3", "bot.py"), covers=("bot",)),
    Rule(files=("bot.pl",), language="Perl", command=("perl", "bot.pl"), covers=("bot",)),
    Rule(files=("bot.rb",), language="Ruby", command=("ruby", "bot.rb"), covers=("bot",)),
    Rule(files=("bot.lua",), language="Lua", command=("lua", "bot.lua"), covers=("bot",)),
    Rule(files=("bot.php",), language="PHP", command=("php", "bot.php"), covers=("bot",)),
    Rule(files=("bot.js",), language="JavaScript", command=("node", "bot.js"), covers=("bot",)),
    Rule(files=("bot.mjs",), language="JavaScript", command=("node", "bot.mjs"), covers=("bot",)),
    Rule(files=("bot.sh",), language="Bash", command=("bash", "bot.sh"), covers=("bot",)),
    Rule(files=("bot",), command=("./bot",)),
)
"""What is known, in no order: where two of them fit, and neither covers the other, nothing is guessed."""


class Detected(Struct, frozen=True, kw_only=True):
    """What the files of a folder say."""

    command: Words = ()
    build: Words = ()
    language: str = ""
    unclear: str = ""
    """Why there is no command, in words, with what to write."""


def detect(folder: str, names: Iterable[str], command: Words | None = None) -> Detected:
    """What a folder with files of these names says. `command` is the one that its bot.toml has, if it has one.

    Where that runs a file that lies there already, nothing has to be built.
    """
    names = frozenset(names)
    fitting = [rule for rule in RULES if _fits(rule, names)]
    found = [rule for rule in fitting if not any(_covers(other, rule) for other in fitting if other is not rule)]
    if command is not None:
        program = script_of(command) or command[0]
        if os.path.isfile(os.path.join(folder, program)):
            return Detected(command=command, language=_language_of(program))
        if len(found) != 1:
            return Detected(command=command)
    if not found:
        return Detected(
            unclear='no file tells what runs it; write `command = ["PROGRAM", "FILE"]` into bot.toml, or give a file '
            "one of the names that are known, such as bot.py, Makefile or Cargo.toml (tournaments/ENTRIES.md has all)"
        )
    if len(found) > 1:
        choices = "; or ".join(f"`{_array(rule.command or rule.example)}` for {rule.files[0]}" for rule in found)
        return Detected(unclear=f"several files tell what runs it; write `command` into bot.toml: {choices}")
    rule = found[0]
    rule = rule.asks(rule, folder, names) if rule.asks is not None else rule
    text = _text(folder, rule.files[0]) if rule.adds else ""
    build = (*rule.build, *(word for part, word in rule.adds.items() if part in text))
    build = rule.build if rule.build[:1] == ("sh",) else build
    if command is None and not rule.command:
        how = f", which `{' '.join(build)}` builds" if build else ""
        return Detected(
            unclear=f"{rule.files[0]} does not tell what runs the bot{how}; write "
            f"`command = {_array(rule.example)}` or so into bot.toml"
        )
    languages = {one.language for one in fitting if one.language}
    language = rule.language or (languages.pop() if len(languages) == 1 else "")
    return Detected(command=command or rule.command, build=build, language=language)


def _fits(rule: Rule, names: frozenset[str]) -> bool:
    return all(any(fnmatchcase(name, file) for name in names) for file in rule.files)


def _covers(rule: Rule, other: Rule) -> bool:
    """Whether all files of the other rule belong to this one, which says more."""
    own = {*rule.files, *rule.covers}
    return own.issuperset(other.files) and not {*other.files, *other.covers}.issuperset(rule.files)


def _language_of(program: str) -> str:
    ending = PurePath(program).suffix
    named = (rule.language for rule in RULES if rule.files[0] in _SCRIPTS and PurePath(rule.files[0]).suffix == ending)
    return next(named, "")


def _array(words: Words) -> str:
    return json.dumps(words, ensure_ascii=False)


def _text(folder: str, name: str) -> str:
    """The beginning of a plain file. Empty where there is none."""
    try:
        path = os.path.join(folder, name)
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW), "rb") as file:
            return file.read(_READ_BYTES).decode(errors="replace")
    except OSError:
        return ""
