"""Vehicle routing: assignment of jobs to vehicles, order of stops and times.

`problem` is the input, `plan` the result. `plan_check` verifies a plan independently, and `unassigned_reasons` explains
unassigned jobs. `engines` search; `build` selects among them and only reports checked plans.
"""
