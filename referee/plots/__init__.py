"""Pictures of a run as SVG files, drawn by matplotlib when a site is made or when `golfref plot` asks for them.

They show what tournament/summary.py and the accumulators in this folder computed. They must not know stores, pages or
commands, and they compute no claim of their own. `data.py` and `times.py` do without matplotlib; the others import it,
so a command that draws nothing must not import them.
"""

import logging

logging.getLogger("matplotlib").setLevel(logging.ERROR)  # else it warns where it cannot keep its cache of fonts
