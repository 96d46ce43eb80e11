"""Writes into every folder that it can, file after file, and says how many megabytes went where; then plays."""

from filler import play, start
from wire import name_of, only_in_a_cell, report

MB = 1 << 20


def fill(folder):
    """Megabytes written, and why it ended."""
    for number in range(200):
        try:
            with open(f"{folder}/fill{number}", "wb", buffering=0) as file:
                file.write(b"x" * MB)
        except OSError as error:
            return f"{number} MB, {name_of(error)}"
    return "200 MB"


only_in_a_cell()
start()
for folder in ("/tmp", "/dev/shm", "/bot", "/", "/dev", "/usr", "/etc", "/proc"):
    report(folder, fill(folder))
play()
