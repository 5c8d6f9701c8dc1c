"""Pure: what a planning_input is, how it is said to the solver, and how its plan reads."""
