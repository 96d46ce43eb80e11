"""Why a site cannot be written into a folder."""

from referee.errors import HOST_FAILED, GolfrefError


class SiteRefused(GolfrefError):
    """This folder cannot have the site. The text says why and what to do."""


class SiteNotWritten(SiteRefused):
    """The host did not let us write something."""

    exit_code = HOST_FAILED
