"""A search that fills one space with blocks of boxes, as machine code. It knows boxes, sums and numbers, and nothing else."""
