"""Orders that a bulk call did not change, and why: one shape for every family."""
