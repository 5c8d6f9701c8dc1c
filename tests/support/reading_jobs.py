"""Reading jobs that misbehave: what a hostile file may make of a reader."""

import os
import time
from pathlib import Path

from haulier.kernel.file_reading import ReadingLimits, reading_job


@reading_job(question=str, answer=str)
def wait_for_file(content: bytes, path: str, limits: ReadingLimits) -> str:
    """Write that the reading began, with the reader's process, and wait until there is a file."""
    with Path(f"{path}.begun").open("a") as begun:
        begun.write(f"{os.getpid()}\n")
    while not Path(path).exists():
        time.sleep(0.01)
    return content.decode()


@reading_job(question=int, answer=int)
def take_memory(content: bytes, megabytes: int, limits: ReadingLimits) -> int:
    """Take memory, and give it back."""
    return len(bytearray(megabytes * 1_000_000)) // 1_000_000


@reading_job(question=int, answer=int)
def spin(content: bytes, question: int, limits: ReadingLimits) -> int:
    """Never end."""
    while True:
        question += 1


@reading_job(question=int, answer=list[str])
def list_inheritance(content: bytes, question: int, limits: ReadingLimits) -> list[str]:
    """Return the names of what a reader got of the server: its environment, and sockets."""
    links = [str(each.readlink()) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    return [*os.environ, *(link for link in links if link.startswith("socket:"))]
