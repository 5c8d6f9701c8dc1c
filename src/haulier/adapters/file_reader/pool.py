"""Pool of reader processes, started on demand.

Readers exit after a minute without files and are replaced if they fail.
"""

import asyncio
import logging
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

import msgspec

from haulier.adapters.file_reader.messages import FileAnswer, ReadFile, receive_message, send_message
from haulier.kernel.file_reading import (
    FileLimit,
    FileLimitReached,
    ReaderStopped,
    ReadingJob,
    ReadingLimits,
    UnreadableFile,
)

Q = TypeVar("Q")
A = TypeVar("A")
PASSED_ON = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "TZ", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "VIRTUAL_ENV")
"""Environment variables passed to a reader. Settings are excluded because they contain secrets."""
WALL_FACTOR = 2
"""Wall-clock limit as a multiple of the CPU limit, since a job can wait for a processor."""
COMMAND = (sys.executable, "-m", "haulier.adapters.file_reader.child")
log = logging.getLogger("haulier.file_reader")


class _ReaderEnded(Exception):
    """Raised if a reader exits before it responds.

    `code` is the exit code. `late` is True if the reader was killed at its time limit.
    """

    def __init__(self, code: int, *, late: bool) -> None:
        super().__init__(code)
        self.code, self.late = code, late


class _Reader:
    """Handle of a reader process."""

    def __init__(self) -> None:
        kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=kept)
        self.answered = 0

    def ask(self, message: ReadFile, seconds: float) -> FileAnswer:
        """Send a file and wait for the response. Raises `_ReaderEnded`."""
        assert self.process.stdin
        assert self.process.stdout
        late = threading.Event()
        timer = threading.Timer(seconds, self._kill_process, (late,))
        timer.daemon = True
        timer.start()
        try:
            send_message(self.process.stdin, message)
            answer: FileAnswer = receive_message(self.process.stdout, FileAnswer)
            self.answered += 1
            return answer
        except (EOFError, OSError, msgspec.DecodeError):
            self.end(kill=False)
            raise _ReaderEnded(self.process.returncode, late=late.is_set()) from None
        finally:
            timer.cancel()

    def _kill_process(self, late: threading.Event) -> None:
        late.set()
        self.process.kill()

    def end(self, *, kill: bool = True) -> None:
        """Stop the process and reap it.

        Without `kill`, the process has one second to exit by itself.
        """
        if not kill:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(1)
        self.process.kill()
        for pipe in filter(None, (self.process.stdin, self.process.stdout)):
            with suppress(OSError):
                pipe.close()
        self.process.wait()


class _Reading:
    """Job in progress, which can be cancelled."""

    def __init__(self, message: ReadFile) -> None:
        self.message = message
        self.reader: _Reader | None = None
        self.cancelled = False

    def cancel(self) -> None:
        """Cancel the job and kill its reader."""
        self.cancelled = True
        if reader := self.reader:
            reader.process.kill()


class _Desk:
    """Fixed number of readers with one file each. Further files wait."""

    def __init__(self, size: int) -> None:
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="file-reader")
        self._idle: list[_Reader] = []
        self._lock = threading.Lock()

    async def read(self, message: ReadFile) -> FileAnswer:
        reading = _Reading(message)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._read, reading)
        except asyncio.CancelledError:
            reading.cancel()
            raise

    def _read(self, reading: _Reading) -> FileAnswer:
        """Run a job in a reader.

        Retries if the reader was idle and exited, and once if it ended for a reason other than a limit.
        """
        tries = 0
        while True:
            reader = reading.reader = self._take()
            fresh = not reader.answered
            if reading.cancelled:
                self._return_reader(reader)
                raise ReaderStopped
            try:
                answer = reader.ask(reading.message, reading.message.limits.seconds * WALL_FACTOR)
            except _ReaderEnded as ended:
                if ended.code == 0 and not fresh and not ended.late:
                    continue  # the reader reached its idle timeout at this moment
                _require_retryable(ended, reading.message.limits)
                tries += 1
                log.warning("a file reader ended with %s while it ran %s", ended.code, reading.message.job)
                if tries == 2 or reading.cancelled:
                    raise ReaderStopped from None
            else:
                reading.reader = None
                self._return_reader(reader)
                return answer

    def _take(self) -> _Reader:
        with self._lock:
            while self._idle:
                reader = self._idle.pop()
                if reader.process.poll() is None:
                    return reader
                reader.end()
        return _Reader()

    def _return_reader(self, reader: _Reader) -> None:
        with self._lock:
            self._idle.append(reader)

    def close(self) -> None:
        """Stop the idle readers."""
        with self._lock:
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.end()


def _require_retryable(ended: _ReaderEnded, limits: ReadingLimits) -> None:
    """Raise `FileLimitReached` if the reader ended at a limit.

    A retry would reach the same limit.
    """
    if ended.late or ended.code == -signal.SIGXCPU:
        raise FileLimitReached(FileLimit.TIME, limits.seconds) from None
    if ended.code == -signal.SIGABRT:  # native code aborts when it runs out of memory
        raise FileLimitReached(FileLimit.MEMORY, limits.memory_mb) from None


class FileReaderPool:
    """Pool of `size` reader processes, plus one for slow jobs (image OCR)."""

    def __init__(self, size: int = 2) -> None:
        self._quick, self._slow = _Desk(size), _Desk(1)

    async def read(self, job: ReadingJob[Q, A], content: bytes, question: Q, limits: ReadingLimits | None = None) -> A:
        """Parse a file.

        Raises `UnreadableFile`, `FileLimitReached` and `ReaderStopped`.
        """
        message = ReadFile(job.name, content, msgspec.msgpack.encode(question), limits or job.limits)
        answer = await (self._slow if job.slow else self._quick).read(message)
        if answer.kind == "read":
            return msgspec.msgpack.decode(answer.body, type=job.answer)
        if answer.kind == "limit":
            raise FileLimitReached(answer.limit or FileLimit.MEMORY, answer.most)
        if answer.kind == "failed":
            log.warning("%s failed: %s", job.name, answer.text)
            raise UnreadableFile
        raise UnreadableFile(answer.text)

    def close(self) -> None:
        """Stop the idle readers of both queues."""
        self._quick.close()
        self._slow.close()
