"""The process that reads pictures: it gets one after another, and answers each."""

import os
import select
import sys
from contextlib import suppress
from typing import BinaryIO

from haulier.adapters.picture_reader.subprocess_reader import (
    PictureAnswer,
    ReadPicture,
    receive_message,
    send_message,
)

NICENESS = 5
"""The server has precedence (see nice(1))."""
IDLE_S = 60


def main() -> None:
    """Answer until nothing comes any more."""
    os.nice(NICENESS)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # Why: a library that prints must not print among the answers.
    with suppress(EOFError, BrokenPipeError):
        while select.select([sys.stdin], [], [], IDLE_S)[0]:
            _answer(sys.stdin.buffer, answers)


def _answer(questions: BinaryIO, answers: BinaryIO) -> None:
    from haulier.adapters.picture_reader.reading import read_picture

    picture: ReadPicture = receive_message(questions, ReadPicture)
    try:
        reading = read_picture(picture.content, picture.media_type)
    except Exception:  # Why: a damaged file is whatever error its decoder makes of it.
        reading = None
    send_message(answers, PictureAnswer(reading))


if __name__ == "__main__":
    main()
