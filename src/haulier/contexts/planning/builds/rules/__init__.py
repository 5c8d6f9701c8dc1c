"""Pure rules: the planning input, its form as a problem of the solver, and the plan as a document."""
