"""All calls, each as often as its weight says."""

from hypothesis import strategies as st

from fuzz import calls_estimators, calls_front, calls_parts, calls_terms
from fuzz.pick import Pick

WEIGHTS = calls_front.CALLS | calls_terms.CALLS | calls_parts.CALLS | calls_estimators.CALLS
NAMES = {make.__name__: make for make in WEIGHTS}


@st.composite
def calls(draw, only=None):
    """One call, of any function or of those that one name makes."""
    makers = [make for make, weight in WEIGHTS.items() for _ in range(weight)] if only is None else [NAMES[only]]
    return draw(st.sampled_from(makers))(Pick(draw))
