"""Check of the extra `packing`: fills a box reproducibly."""

from haulier.solvers.packing.installed import installed_filler
from haulier.solvers.packing.ports import FillKind, FillTask

filler = installed_filler()
assert filler is not None
brick = FillKind(((100, 100, 100),), 14, 1_000_000, 1)
slab = FillKind(((200, 200, 100), (200, 100, 200), (100, 200, 200)), 2, 4_000_000, 1)
task = FillTask((300, 300, 200), 1_000, (brick, slab))
filled = filler.fill(task)
assert filled.placed == filler.fill(task).placed
volume = sum((brick, slab)[kind].value for kind, _ in filled.placed)
print(f"{len(filled.placed)} pieces fill {volume * 100 // (300 * 300 * 200)} %")
