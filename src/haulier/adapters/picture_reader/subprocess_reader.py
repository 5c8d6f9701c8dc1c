"""Reads pictures in a process of its own: what a stranger's file does to a decoder, it does to nobody else.

The process is kept for the next picture, for loading the recognition takes two seconds; it ends when nothing comes for a
minute, and when whoever started it is gone. One picture is read at a time, since each takes what processors there are.
"""

import asyncio
import subprocess
import sys
import threading
from contextlib import suppress
from importlib.util import find_spec
from struct import pack, unpack
from typing import IO, Any

import msgspec

from haulier.contexts.documents.ports import PictureReading, PictureUnreadable

LENGTH_FORMAT = ">Q"
DEADLINE_S = 120.0
"""A picture that takes longer is given up: thirty times what a large one takes on a slow machine."""
_BARCODE_LIBRARIES = ("zxingcpp", "PIL", "pypdfium2")


class ReadPicture(msgspec.Struct, frozen=True):
    """A picture on its way to the process."""

    content: bytes
    media_type: str


class PictureAnswer(msgspec.Struct, frozen=True):
    """What the process says: the reading, or that there is none."""

    reading: PictureReading | None


class SubprocessPictureReader:
    """Reads barcodes by zxing-cpp and text by RapidOCR, where the extras that bring them are installed."""

    def __init__(self, deadline_s: float = DEADLINE_S) -> None:
        self._deadline_s = deadline_s
        self._gate = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def reads_barcodes(self) -> bool:
        """Whether the extra `barcodes` or `ocr` is installed."""
        return all(find_spec(name) for name in _BARCODE_LIBRARIES)

    @property
    def reads_text(self) -> bool:
        """Whether the extra `ocr` is installed."""
        return self.reads_barcodes and find_spec("rapidocr") is not None

    async def read(self, content: bytes, media_type: str) -> PictureReading:
        """What stands on a picture. Raises `PictureUnreadable`, also where the process dies of it or takes too long."""
        return await asyncio.to_thread(self._read, ReadPicture(content, media_type))

    def _read(self, picture: ReadPicture) -> PictureReading:
        with self._gate:
            answer = self._ask(picture)
        if answer.reading is None:
            raise PictureUnreadable
        return answer.reading

    def _ask(self, picture: ReadPicture) -> PictureAnswer:
        kept = self._process is not None
        try:
            return self._exchange(picture)
        except (EOFError, OSError):
            self._end()
            if not kept:
                raise PictureUnreadable from None
        try:  # a kept process may have ended just now, for it had nothing to do
            return self._exchange(picture)
        except (EOFError, OSError):
            self._end()
            raise PictureUnreadable from None

    def _exchange(self, picture: ReadPicture) -> PictureAnswer:
        process = self._process = self._process or _start()
        assert process.stdin
        assert process.stdout
        late = threading.Timer(self._deadline_s, process.kill)
        late.start()
        try:
            send_message(process.stdin, picture)
            return receive_message(process.stdout, PictureAnswer)
        finally:
            late.cancel()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process:
            process.kill()
            for pipe in filter(None, (process.stdin, process.stdout)):
                with suppress(OSError):
                    pipe.close()
            process.wait()

    def close(self) -> None:
        """End the process, if there is one."""
        with self._gate:
            self._end()


def _start() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "haulier.adapters.picture_reader.reading_process"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def send_message(pipe: IO[bytes], message: msgspec.Struct) -> None:
    """Write a message with its length before it."""
    body = msgspec.msgpack.encode(message)
    pipe.write(pack(LENGTH_FORMAT, len(body)) + body)
    pipe.flush()


def receive_message(pipe: IO[bytes], kind: type[msgspec.Struct]) -> Any:
    """Read a message. Raises `EOFError` where the other side is gone."""
    (length,) = unpack(LENGTH_FORMAT, _exactly(pipe, 8))
    return msgspec.msgpack.decode(_exactly(pipe, length), type=kind)


def _exactly(pipe: IO[bytes], count: int) -> bytes:
    body = pipe.read(count)
    if len(body) < count:
        raise EOFError
    return body
