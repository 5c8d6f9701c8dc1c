"""Builder of `examples/helsinki.csv`: orders at real addresses.

The addresses are those of the packaged demo region.

Run `python -m scripts.example_orders`. The result is the same on every machine.
"""

import csv
import random
from pathlib import Path

from haulier.demo.city import find_region_address, region_addresses

FILE = Path(__file__).parents[1] / "examples/helsinki.csv"
ORDERS, SEED = 240, 36
COLUMNS = (
    *("order_ref", "type", "consignee", "address", "postal_code", "city", "country", "lat", "lng"),
    *("window_start", "window_end", "service_time_s", "weight_g", "pieces"),
)
TYPES = {"D": 80, "P": 10, "P2P": 10}
WINDOWS = (("09:00", "13:00"), ("09:00", "18:00"), ("12:00", "17:00"), ("16:00", "21:00"))
HEAVIEST_G = 18_000


def write_orders(file: Path) -> None:
    """Write the file."""
    drawn = random.Random(SEED)
    streets = drawn.sample(sorted(region_addresses()), ORDERS)
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for number, street in enumerate(streets, 1):
            address = find_region_address(street)
            (kind,) = drawn.choices(list(TYPES), list(TYPES.values()))
            terms = (drawn.choice((120, 180, 300)), drawn.randrange(200, HEAVIEST_G), drawn.choice((1, 1, 1, 2, 3)))
            place = (address.street, address.postal_code, "Helsinki", "FI", address.lat, address.lng)
            writer.writerow([f"SIM-{number:04}", kind, f"Recipient {number}", *place, *drawn.choice(WINDOWS), *terms])


if __name__ == "__main__":
    write_orders(FILE)
