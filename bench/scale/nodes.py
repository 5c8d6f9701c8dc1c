"""Processes of a small data centre: servers and workers over one database.

They can be killed and restarted.
"""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from bench.serve import HOST, QUIET_ENVIRONMENT, free_port

START_TIMEOUT_S = 300
STOP_TIMEOUT_S = 15


class Node:
    """One process: `haulier serve` on its own port, or `haulier worker`."""

    def __init__(self, name: str, kind: str, database: str, folder: Path, **settings: Any) -> None:
        self.name = name
        self.port = free_port() if kind == "serve" else 0
        self.kills = 0
        self.past_pids: dict[int, float] = {}
        """Killed processes, with the time."""
        self._words = [kind, "--database", database, *(["--port", str(self.port)] if self.port else [])]
        chosen = {f"HAULIER_{key.upper()}": str(value) for key, value in settings.items() if value is not None}
        self._environment = {**os.environ, **QUIET_ENVIRONMENT, **chosen}
        self._log = folder / f"{name}.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def base(self) -> str:
        """Return the base URL."""
        return f"http://{HOST}:{self.port}"

    @property
    def is_up(self) -> bool:
        """Return True if its process runs."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start it without waiting for a response."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "haulier", *self._words], env=self._environment, stdout=log, stderr=log
            )

    def wait(self) -> None:
        """Wait until it responds; workers are not checked."""
        until = time.monotonic() + START_TIMEOUT_S
        while self.port:
            with suppress(OSError), urllib.request.urlopen(f"{self.base}/readyz", timeout=5):
                return
            if not self.is_up or time.monotonic() > until:
                raise RuntimeError(self._log.read_text()[-3000:])
            time.sleep(0.1)

    def kill(self) -> None:
        """Kill it, as the kernel does when memory runs out."""
        if self._process is not None and self.is_up:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self.kills += 1
            self.past_pids[self._process.pid] = time.time()

    def stop(self) -> None:
        """Terminate it, as a supervisor does."""
        if self._process is not None and self.is_up:
            self._process.terminate()
            try:
                self._process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self.kill()

    def cpu_seconds(self) -> float:
        """Return the processor seconds used so far."""
        times = psutil.Process(self._process.pid).cpu_times() if self._process else None
        return times.user + times.system if times else 0.0
