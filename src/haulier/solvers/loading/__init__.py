"""Load plans for vehicles, containers and pallets.

A plan assigns pieces to cargo spaces and fixes positions and loading order, so that every stop can be unloaded.

`problem` is the input, `plan` the result. `engine` searches. `checker` verifies a plan independently of the engine, at
departure and after every stop. Lengths are in millimetres, weights in grams and costs in cents; all are integers.
"""
