"""What each command does; cli.py only declares their options. Each function returns the exit code."""
