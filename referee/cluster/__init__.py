"""Playing a tournament on many machines by Dask: orders go to the hosts and reports come back.

Knows how a run's dispatcher hands out jobs and stores reports; it writes only the rows of hosts itself. Dask is
imported only when it is asked for, and only by `host_link.py`, `session.py`, `local.py`, `plugin.py` and `probe.py`.
"""
