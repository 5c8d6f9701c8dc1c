"""Cost of starting by enabled modules: `python -m bench.modules`.

Each start is a separate process; the cheapest of several counts. Measured are the processor time until the application
is built, resident memory, and the number of imported Python modules of Haulier.
"""

import argparse
import json
import os
import subprocess
import sys

from rich.console import Console
from rich.table import Table

CHOICES = {
    "all modules": None,
    "core": "core",
    "core and shipping": "shipping",
    "core, shipping and warehouse": "shipping,warehouse",
    "core and lockers": "lockers",
}
PROGRAM = """
import json, sys, time
from haulier.garbage import without_garbage_collection
with without_garbage_collection():
    from haulier.server import create_asgi_app
    from haulier.settings import load_settings
    create_asgi_app(load_settings(database="sqlite:///:memory:"))
import psutil
own = [name for name in sys.modules if name.partition(".")[0] == "haulier"]
print(json.dumps([time.process_time(), psutil.Process().memory_info().rss // 2**20, len(own)]))
"""


def start(modules: str | None) -> tuple[float, int, int]:
    """Return processor seconds, resident MiB and imported Python modules."""
    environment = {name: value for name, value in os.environ.items() if name != "HAULIER_MODULES"}
    environment |= {"HAULIER_MODULES": modules} if modules else {}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    seconds, resident_mib, imported = json.loads(done.stdout)
    return seconds, resident_mib, imported


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.modules", description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="starts of each kind")
    given = parser.parse_args()
    table = Table("modules", "processor time", "resident", "imported")
    for name, modules in CHOICES.items():
        seconds, resident, imported = min(start(modules) for _ in range(given.times))
        table.add_row(name, f"{seconds:.2f} s", f"{resident} MiB", str(imported))
    Console().print(table)


if __name__ == "__main__":
    main()
