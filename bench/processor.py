"""Processor time of this thread and of PostgreSQL processes, as Linux counts it.

On a shared machine, wall-clock time includes the work of others; this is the cost of a call.
"""

import time
from collections.abc import Collection
from pathlib import Path

import psutil


def processes_beside(backend: int) -> list[int]:
    """Return the processes of the PostgreSQL server of a running backend."""
    return processes_of(psutil.Process(backend).ppid())


def processes_of(server: int) -> list[int]:
    """Return the processes of a PostgreSQL server by its main process."""
    postmaster = psutil.Process(server)
    return [postmaster.pid, *(child.pid for child in postmaster.children())]


def processor_ms(processes: Collection[int]) -> float:
    """Return the processor milliseconds of this thread and of running processes."""
    return 1000 * time.thread_time() + sum(map(_used_ns, processes)) / 1e6


def _used_ns(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])
    except FileNotFoundError:
        return 0
