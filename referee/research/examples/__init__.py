"""Examples of programs that learn, to read and to copy: each module says what it learns and how it is started.

Nothing else imports them. They must not know how a game works inside: what they need comes from `referee.research`.
"""
