"""Makes empty files and folders without number: they take no room in a file system, but memory of the kernel."""

import os

from filler import requests, right, say, start
from wire import name_of, only_in_a_cell, report

only_in_a_cell()
start()
number = 0
for request in requests():
    try:
        for _ in range(1000):
            number += 1
            os.close(os.open(f"/tmp/{number}", os.O_CREAT | os.O_WRONLY))
    except OSError as error:
        report("refused", name_of(error))
    report("files", number)
    say(right(request))
