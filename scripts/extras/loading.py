"""Check of the extra `loading`: fills a box reproducibly, with full support."""

from haulier.solvers.packing.installed import installed_fillers
from haulier.solvers.packing.ports import FillKind, FillTask

filler = next(each for each in installed_fillers() if each.knows_support)
brick = FillKind(((100, 100, 100),), 14, 1_000_000, 1)
slab = FillKind(((200, 200, 100), (200, 100, 200), (100, 200, 200)), 2, 4_000_000, 1)
task = FillTask((300, 300, 200), 1_000, (brick, slab), is_supported=True, steps=200)
filled = filler.fill(task)
assert filled.placed == filler.fill(task).placed
volume = sum((brick, slab)[kind].value for kind, _ in filled.placed)
print(f"{len(filled.placed)} pieces fill {volume * 100 // (300 * 300 * 200)} %")
