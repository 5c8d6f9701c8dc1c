"""Pure rules: planning input, routing problem of the solver, and plan document."""
