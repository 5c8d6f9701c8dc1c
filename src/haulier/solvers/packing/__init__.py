"""Packing boxes: which cartons, and what goes where in them.

`problem` is the input, `plan` the result. `checker` verifies a plan independently of every engine. `carton_engine` chooses
cartons and proves that no better choice exists. Lengths are millimetres, weights grams and costs cents, all of them integers.
"""
