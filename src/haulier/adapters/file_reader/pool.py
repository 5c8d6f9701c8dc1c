"""The pool of reader processes: started when a file comes, replaced when one ends, gone after a minute without files."""

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
"""Environment variables passed to a reader: no setting, so no secret."""
WALL_FACTOR = 2
"""A reading may wait for a processor as long as it may use one."""
COMMAND = (sys.executable, "-m", "haulier.adapters.file_reader.child")
log = logging.getLogger("haulier.file_reader")


class _ReaderEnded(Exception):
    """A reader ended before it answered. `code` is that of the process."""

    def __init__(self, code: int, *, late: bool) -> None:
        super().__init__(code)
        self.code, self.late = code, late


class _Reader:
    """One reader process."""

    def __init__(self) -> None:
        kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=kept)
        self.answered = 0

    def ask(self, message: ReadFile, seconds: float) -> FileAnswer:
        """Send a file and wait for the answer. Raises `_ReaderEnded`."""
        assert self.process.stdin
        assert self.process.stdout
        late = threading.Event()
        timer = threading.Timer(seconds, self._give_up, (late,))
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

    def _give_up(self, late: threading.Event) -> None:
        late.set()
        self.process.kill()

    def end(self, *, kill: bool = True) -> None:
        """End the process and take its last word. One that has closed its pipes gets a second to do so."""
        if not kill:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(1)
        self.process.kill()
        for pipe in filter(None, (self.process.stdin, self.process.stdout)):
            with suppress(OSError):
                pipe.close()
        self.process.wait()


class _Reading:
    """One file that is being read: what a cancelled call stops."""

    def __init__(self, message: ReadFile) -> None:
        self.message = message
        self.reader: _Reader | None = None
        self.cancelled = False

    def cancel(self) -> None:
        """Stop the reading of a cancelled call."""
        self.cancelled = True
        if reader := self.reader:
            reader.process.kill()


class _Desk:
    """A fixed number of readers, each with at most one file; more files wait."""

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
        """Ask a reader; a second one where the first ended of itself, or was ended by something else than the file."""
        tries = 0
        while True:
            reader = reading.reader = self._take()
            fresh = not reader.answered
            if reading.cancelled:
                self._put_back(reader)
                raise ReaderStopped
            try:
                answer = reader.ask(reading.message, reading.message.limits.seconds * WALL_FACTOR)
            except _ReaderEnded as ended:
                if ended.code == 0 and not fresh and not ended.late:
                    continue  # it had nothing to do for a minute, just now
                _require_retryable(ended, reading.message.limits)
                tries += 1
                log.warning("a file reader ended with %s while it ran %s", ended.code, reading.message.job)
                if tries == 2 or reading.cancelled:
                    raise ReaderStopped from None
            else:
                reading.reader = None
                self._put_back(reader)
                return answer

    def _take(self) -> _Reader:
        with self._lock:
            while self._idle:
                reader = self._idle.pop()
                if reader.process.poll() is None:
                    return reader
                reader.end()
        return _Reader()

    def _put_back(self, reader: _Reader) -> None:
        with self._lock:
            self._idle.append(reader)

    def close(self) -> None:
        """End the readers that have nothing to do."""
        with self._lock:
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.end()


def _require_retryable(ended: _ReaderEnded, limits: ReadingLimits) -> None:
    """Raises `FileLimitReached` for a reader that ended at a limit: another one would end there, too."""
    if ended.late or ended.code == -signal.SIGXCPU:
        raise FileLimitReached(FileLimit.TIME, limits.seconds) from None
    if ended.code == -signal.SIGABRT:  # so native code ends when it gets no memory
        raise FileLimitReached(FileLimit.MEMORY, limits.memory_mb) from None


class FileReaderPool:
    """Reads files in at most `size` processes, and slow ones (text of pictures) in one more."""

    def __init__(self, size: int = 2) -> None:
        self._quick, self._slow = _Desk(size), _Desk(1)

    async def read(self, job: ReadingJob[Q, A], content: bytes, question: Q, limits: ReadingLimits | None = None) -> A:
        """Read a file. Raises `UnreadableFile`, `FileLimitReached` and `ReaderStopped`."""
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
        """End the readers."""
        self._quick.close()
        self._slow.close()
