"""Why a site cannot be written into a folder."""


class SiteRefused(Exception):
    """This folder cannot have the site. The text says why and what to do."""


class SiteNotWritten(SiteRefused):
    """The host did not let us write something."""
