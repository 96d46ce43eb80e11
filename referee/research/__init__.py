"""The games as environments for programs that learn.

Nothing of the referee imports this room. It must not start processes, except those of vectors of environments.
"""

from referee.research.env import Env
from referee.research.vector import VectorEnv

__all__ = ["Env", "VectorEnv"]
