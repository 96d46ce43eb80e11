"""The games as environments for programs that learn.

Nothing of the referee imports this room. It must not start processes.
"""

from referee.research.codec import Codec
from referee.research.env import Env
from referee.research.vector import VectorEnv

__all__ = ["Codec", "Env", "VectorEnv"]
