"""Number of examples of each property: a few that are the same everywhere, or many random ones.

`HAULIER_HYPOTHESIS=long` selects the many, for a night. A counterexample is added to its test as an `@example`.
"""

import os

from hypothesis import HealthCheck, settings

VARIABLE = "HAULIER_HYPOTHESIS"
# Why: how long an example takes says how busy the machine is, and properties over the application share its fixture: examples
# that must not meet number their rows.
COMMON = settings(deadline=None, suppress_health_check=list(HealthCheck))

# Why derandomize: a run proves the same here and in CI, which so never fails by chance on a change that is right. What chance
# can find is looked for on purpose, with the other profile.
settings.register_profile("short", COMMON, max_examples=10, derandomize=True)
settings.register_profile("long", COMMON, max_examples=1000, derandomize=False, print_blob=True)
settings.load_profile(os.environ.get(VARIABLE) or "short")

costly = settings(max_examples=max(5, settings().max_examples // 3))
"""For a property whose examples each call the application, or search for routes more than once."""

thorough = settings(max_examples=settings().max_examples * 14)
"""For a property of which the few examples were seen to miss a fault that was put in."""
