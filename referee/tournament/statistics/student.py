"""Student's t distribution without scipy, for programs that must start quickly.

The tail is a regularised incomplete beta function, computed by its continued fraction with the method of Lentz
(Abramowitz and Stegun 26.5.8 and 26.7.1). Degrees of freedom need not be whole.
"""

from functools import lru_cache
from math import copysign, erfc, exp, inf, lgamma, log, log1p, sqrt
from statistics import NormalDist

MANY = 1e6
"""From so many degrees of freedom on the normal distribution is the same to six digits."""

_TINY = 1e-300


def two_sided_p(t: float, df: float) -> float:
    """How likely a value as far from 0 as `t` is, on either side."""
    if df > MANY:
        return erfc(abs(t) / sqrt(2))
    return _beta(df / (df + t * t), df / 2, 0.5) if t else 1.0


@lru_cache(maxsize=65536)
def quantile(probability: float, df: float) -> float:
    """The value that a variable with so many degrees of freedom does not exceed with this probability."""
    if not 0 < probability < 1 or not df > 0:
        raise ValueError(f"expected 0 < probability < 1 and df > 0, got {probability} and {df}")
    if probability == 0.5:
        return 0.0
    tail = 2 * min(probability, 1 - probability)
    if df > MANY:
        return NormalDist().inv_cdf(probability)
    t, low, high = _near(NormalDist().inv_cdf(1 - tail / 2), df), 0.0, inf
    for _ in range(200):
        excess = two_sided_p(t, df) - tail
        low, high = (t, high) if excess > 0 else (low, t)
        step = t + excess / (2 * _density(t, df))  # Newton's step, where it stays inside
        before, t = t, step if low < step < high else min((low + high) / 2, 2 * t)
        if abs(t - before) <= 1e-13 * t:
            break
    return copysign(t, probability - 0.5)


def _near(z: float, df: float) -> float:
    """About the quantile for that of the normal distribution (Abramowitz and Stegun 26.7.5); a start for Newton."""
    return z + (z**3 + z) / (4 * df) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df * df)


def _density(t: float, df: float) -> float:
    scale = lgamma((df + 1) / 2) - lgamma(df / 2) - 0.5 * log(df * 3.141592653589793)
    return exp(scale - (df + 1) / 2 * log1p(t * t / df)) or _TINY


def _beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    scale = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return scale * _fraction(x, a, b) / a
    return 1 - scale * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    above, below = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    value = below
    for step in range(1, 100_000):
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        # Both terms stand written out, without calls: tables of many bots spend much of their time here.
        below = 1 + even * below
        below = 1 / (below if below > _TINY or below < -_TINY else _TINY)
        above = 1 + even / above
        if -_TINY <= above <= _TINY:
            above = _TINY
        value *= above * below
        below = 1 + odd * below
        below = 1 / (below if below > _TINY or below < -_TINY else _TINY)
        above = 1 + odd / above
        if -_TINY <= above <= _TINY:
            above = _TINY
        change = above * below
        value *= change
        if -1e-15 < change - 1 < 1e-15:
            break
    return value


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
