"""Hypothesis profiles: a few deterministic examples, or many random ones.

`HAULIER_HYPOTHESIS=long` selects many, for a nightly run. Add counterexamples to their test as an `@example`.
"""

import os

from hypothesis import HealthCheck, settings

VARIABLE = "HAULIER_HYPOTHESIS"
# No deadline, because it would measure the load of the machine. Properties over the application share its fixture, so
# examples that must not interact number their rows.
COMMON = settings(deadline=None, suppress_health_check=list(HealthCheck))

# Deterministic, so that CI never fails by chance. The other profile searches with random examples.
settings.register_profile("short", COMMON, max_examples=10, derandomize=True)
settings.register_profile("long", COMMON, max_examples=1000, derandomize=False, print_blob=True)
settings.load_profile(os.environ.get(VARIABLE) or "short")

costly = settings(max_examples=max(5, settings().max_examples // 3))
"""For properties whose examples call the application or search routes repeatedly."""

thorough = settings(max_examples=settings().max_examples * 14)
"""For properties whose few examples missed an injected error."""
