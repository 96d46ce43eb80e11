"""The viewer's modules in one classic script: what is joined, and what is refused."""

import pytest

from referee.site.bundle import NotJoined, joined, viewer_script

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
