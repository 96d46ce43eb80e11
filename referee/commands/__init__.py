"""What each command does, in a file of its name; cli/ only declares their options. Each returns the exit code."""
