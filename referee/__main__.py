"""`python -m referee` is the command `golfref`."""

from referee.commands import main

if __name__ == "__main__":
    main()
