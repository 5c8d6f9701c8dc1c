"""Loading vehicles, containers and pallets: which pieces, where, and in which order, so that every stop can be unloaded.

`problem` is the input, `plan` the result. `checker` verifies a plan independently of the engine, at departure and after every
stop. `engine` searches. Lengths are millimetres, weights grams and costs cents, all of them integers.
"""
