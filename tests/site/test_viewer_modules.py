"""The viewer's modules: their types hold, and they are joined into one classic script."""

import subprocess
from pathlib import Path

import pytest
from needs import need_tools

from referee.bot_tools.starters import starters
from referee.site.bundle import NotJoined, joined, viewer_script

VIEWER = Path(__file__).parents[2] / "referee/site/assets/viewer"

MODULES = {
    "app.js": 'import { b } from "./b.js";\nimport { a } from "./a.js";\n\nb(a);\n',
    "a.js": "export const a = 1;\n",
    "b.js": 'import { a } from "./a.js";\n\nexport function b() {\n    return a;\n}\n',
}


def test_each_module_stands_once_and_behind_those_that_it_imports() -> None:
    script = joined("app.js", MODULES.__getitem__)

    assert "import" not in script
    assert "export" not in script
    assert script.index("const a = 1;") < script.index("function b()") < script.index("b(a);")
    assert script.count("const a") == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('import a from "./a.js";', "app.js:1: expected an import of names"),
        ('import { a as c } from "./a.js";', "app.js:1: expected an import of names"),
        ('import { a } from "elsewhere";', "app.js:1: expected an import of names"),
        ("export default 1;", "app.js:1: expected an import of names"),
        ("export { a };", "app.js:1: expected an import of names"),
        ('const other = "</script>";', "app.js:1: a script within a page must not hold"),
        ('import { a } from "./a.js";\nconst a = 2;', "app.js: a is also declared in a.js"),
        ('import { b } from "./app.js";', "app.js: imports itself"),
    ],
)
def test_what_one_script_cannot_hold_is_refused(text: str, problem: str) -> None:
    with pytest.raises(NotJoined, match=problem):
        joined("app.js", (MODULES | {"app.js": text}).__getitem__)


def test_the_viewer_is_one_script() -> None:
    assert b"golfref" in viewer_script()


@pytest.mark.toolchain
def test_the_types_in_the_comments_of_the_viewer_hold() -> None:
    """As tsconfig.json beside the modules says it: every module is checked, strictly."""
    need_tools(starters()["typescript"])

    done = subprocess.run(["tsc", "--project", VIEWER, "--listFiles"], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout
    assert {path.name for path in VIEWER.glob("*.js")} <= {line.rpartition("/")[2] for line in done.stdout.splitlines()}
