"""Examples of programs that learn, to read and to copy: each module says what it learns and how it is started.

Nothing else imports them. They must not know how a game works inside: what they need comes from `referee.research`.
"""

import sys


def missing(error: ModuleNotFoundError, module: str) -> Exception | SystemExit:
    """Return what a module raises that lacks a package; as a program it ends with a sentence alone."""
    text = f"{error.name} is not installed; `{sys.executable} -m pip install 'golfref[research,learn]'` brings it"
    return SystemExit(text) if module == "__main__" else ModuleNotFoundError(text, name=error.name)
