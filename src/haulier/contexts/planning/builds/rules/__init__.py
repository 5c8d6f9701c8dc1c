"""Pure: what a question is, how it is said to the solver, and how its plan reads."""
