"""Check of the extra `routing`: estimates travel times and loads PyVRP."""

import asyncio

import pyvrp
from pyvrp.stop import MaxIterations

from haulier.adapters.travel_times import travel_for

WEST, EAST = (43.65, -79.400), (43.65, -79.388)

seconds, metres = asyncio.run(travel_for(None).table([WEST, EAST], [WEST, EAST]))
model = pyvrp.Model()
home, there = model.add_location(0, 0), model.add_location(1, 1)
model.add_depot(home)
model.add_vehicle_type(1, capacity=1)
model.add_client(there, delivery=1)
for start, end in ((home, there), (there, home)):
    model.add_edge(start, end, distance=int(metres[0, 1]), duration=int(seconds[0, 1]))
result = model.solve(MaxIterations(10), display=False)
assert result.is_feasible()
print(f"round trip of {result.cost()} m")
