"""A file that is written whole or not at all."""

import os
from pathlib import Path

from referee.new_file import new_file


def test_what_a_killed_command_with_our_process_id_left_keeps_no_file_from_being_written(tmp_path: Path) -> None:
    """In a container a command has the same process id every time."""
    (tmp_path / f"table.csv.{os.getpid()}.part").write_text("half of ")
    with new_file(tmp_path / "table.csv") as file:
        file.write(b"all of it")
    assert (tmp_path / "table.csv").read_text() == "all of it"
