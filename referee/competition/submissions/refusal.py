"""Why a submission is not taken."""

from collections.abc import Sequence

from referee.competition.submissions.history import Outcome
from referee.kit.check.report import Verdict


class Refused(Exception):
    """A submission is not taken. The text is a sentence for its author; all of it can be shown."""

    def __init__(
        self, reason: str, *, lines: Sequence[str] = (), outcome: Outcome = "refused", verdict: Verdict | None = None
    ) -> None:
        """`lines` are what is wrong in detail."""
        super().__init__(reason)
        self.reason, self.lines, self.outcome, self.verdict = reason, tuple(lines), outcome, verdict
