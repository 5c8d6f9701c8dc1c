"""Misbehaving reading jobs, like readers of hostile files."""

import os
import time
from pathlib import Path

from haulier.kernel.file_reading import ReadingLimits, reading_job


@reading_job(question=str, answer=str)
def wait_for_file(content: bytes, path: str, limits: ReadingLimits) -> str:
    """Report the start and process id, and wait until a file exists."""
    with Path(f"{path}.begun").open("a") as begun:
        begun.write(f"{os.getpid()}\n")
    while not Path(path).exists():
        time.sleep(0.01)
    return content.decode()


@reading_job(question=int, answer=int)
def take_memory(content: bytes, megabytes: int, limits: ReadingLimits) -> int:
    """Allocate memory and release it."""
    return len(bytearray(megabytes * 1_000_000)) // 1_000_000


@reading_job(question=int, answer=int)
def spin(content: bytes, question: int, limits: ReadingLimits) -> int:
    """Loop forever."""
    while True:
        question += 1


@reading_job(question=int, answer=list[str])
def list_inheritance(content: bytes, question: int, limits: ReadingLimits) -> list[str]:
    """Return the environment variables and sockets that a reader inherited."""
    links = [str(each.readlink()) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    return [*os.environ, *(link for link in links if link.startswith("socket:"))]
