"""How long a run waits for hosts while none plays. Must not know Dask."""

import time
from collections.abc import Callable
from enum import Enum, auto

HOSTS_PATIENCE_S = 300.0
"""How long a run waits for hosts when none is there that can play what is left, and for those that get ready."""

OTHERS_PATIENCE_S = 30.0
"""How long it waits for others when all that are there are left out: somebody may just be starting them."""


class Absence(Enum):
    """Why no host plays."""

    NOT_READY = auto()
    """Hosts are there, and get ready."""
    LEFT_OUT = auto()
    """All that are there are left out."""
    NOBODY = auto()
    """There is none, or those that played are lost and may come again."""


class Patience:
    """How long it is worth waiting, which depends on why no host plays. It begins when it is made."""

    def __init__(
        self, tell: Callable[[str], None], *, wait_s: float | None = None, can_others_come: bool = True
    ) -> None:
        """`tell` prints a line for the organiser. `wait_s` is for how long it waits for hosts; None for as usual."""
        self._tell = tell
        self._wait_s = HOSTS_PATIENCE_S if wait_s is None else wait_s
        self._others_s = (OTHERS_PATIENCE_S if wait_s is None else wait_s) if can_others_come else 0.0
        self._begun_at = time.monotonic()
        self._absence = Absence.NOT_READY
        self._absent_at = 0.0
        """Since when no host plays for this reason."""

    def left_s(self, absence: Absence) -> float:
        """For how many seconds more it is worth waiting; 0 where it is over. A new reason is printed at once."""
        now = time.monotonic()
        if absence is not self._absence:
            self._absence, self._absent_at = absence, now
            left_s = self._left_s(now)
            if absence is Absence.NOBODY:
                self._tell(f"no host is there; waiting for hosts for {left_s:.0f} s")
            elif absence is Absence.LEFT_OUT and left_s:
                self._tell(f"no host that is there can play; waiting for others for {left_s:.0f} s")
        return self._left_s(now)

    def _left_s(self, now: float) -> float:
        for_s = max(self._wait_s, HOSTS_PATIENCE_S) if self._absence is Absence.NOT_READY else self._wait_s
        end = self._begun_at + for_s
        if self._absence is Absence.LEFT_OUT:
            end = min(end, self._absent_at + self._others_s)
        return max(0.0, end - now)

    @property
    def why(self) -> str:
        """Why the run ends, once it has waited."""
        if self._absence is Absence.LEFT_OUT:
            others = f", and no other came within {self._others_s:g} s" if self._others_s else ""
            return f"all hosts that are there are left out{others}"
        if self._absence is Absence.NOBODY:
            return f"no host came within {self._wait_s:g} s"
        return f"no host was ready to play within {max(self._wait_s, HOSTS_PATIENCE_S):g} s"
