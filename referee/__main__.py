"""`python -m referee` is the command `golfref`."""

from referee.cli import main

if __name__ == "__main__":
    main()
