"""Processor time of this thread and of the processes of a PostgreSQL, as exactly as Linux counts it.

On a machine that is shared the clock says how long others worked; this says what a call costs.
"""

import time
from collections.abc import Collection
from pathlib import Path

import psutil


def processes_beside(backend: int) -> list[int]:
    """The processes of the PostgreSQL that one of its backends, which still runs, belongs to."""
    return processes_of(psutil.Process(backend).ppid())


def processes_of(server: int) -> list[int]:
    """The processes of a PostgreSQL, by that of its server."""
    postmaster = psutil.Process(server)
    return [postmaster.pid, *(child.pid for child in postmaster.children())]


def processor_ms(processes: Collection[int]) -> float:
    """Milliseconds of the processor that this thread and some processes have used so far; one that ended counts no more."""
    return 1000 * time.thread_time() + sum(map(_used_ns, processes)) / 1e6


def _used_ns(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])
    except FileNotFoundError:
        return 0
