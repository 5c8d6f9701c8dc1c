"""Packing of boxes: choice of cartons, and positions of pieces in them.

`problem` is the input, `plan` the result. `carton_engine` chooses cartons and proves that no better choice exists.
`checker` verifies a plan independently of every engine. Lengths are in millimetres, weights in grams and costs in
cents; all are integers.
"""
