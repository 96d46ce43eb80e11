"""`python -m referee.cli` is the command `golfref`."""

from referee.cli import main

if __name__ == "__main__":
    main()
