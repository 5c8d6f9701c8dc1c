"""Building routes: which vehicle visits whom, in which order, and when.

`problem` is the input, `plan` the result. `plan_check` verifies a plan independently, `unassigned_reasons` tells why a job is
in none. `engines` search, `build` chooses among them and shows nobody a plan that was not checked.
"""
