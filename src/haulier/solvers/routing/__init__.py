"""Building routes: which vehicle visits whom, in which order, and when.

`problem` is the question, `plan` the answer. `check` says independently what is wrong with an answer, `reasons` why a job is
in none. `engines` search, `build` chooses among them and shows nobody a plan that was not checked.
"""
