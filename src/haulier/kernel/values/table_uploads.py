"""Requests that carry a table as text or in base64."""

from base64 import b64decode
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.kernel.operations.declaration import Request
from haulier.kernel.values.text_encodings import AUTO, find_codec

ENCODING_MAX = 30


def _require_encoding(name: str) -> str:
    if name != AUTO and find_codec(name) is None:
        raise PydanticCustomError("encoding_unsupported", "unsupported encoding", {"encoding": name})
    return name


Encoding = Annotated[
    str, Field(min_length=1, max_length=ENCODING_MAX, examples=["windows-1252"]), AfterValidator(_require_encoding)
]
"""The IANA name of a character encoding, or `auto`."""


class TableUpload(Request):
    """A file in `content`, whose `format` a subclass declares."""

    encoding: Encoding | None = None
    """The character encoding of a CSV file that `content` holds in base64, such as `windows-1252`, `gbk` or `utf-8`; `auto`
    detects it. Omit it if `content` is text."""

    @property
    def decoded(self) -> bytes:
        """The bytes of the file."""
        text: str = getattr(self, "content", "")
        packed = getattr(self, "format", None) == "xlsx" or self.encoding is not None
        return b64decode("".join(text.split()), validate=True) if packed else text.encode()

    @model_validator(mode="after")
    def _is_base64(self) -> Self:
        try:
            _ = self.decoded
        except ValueError:
            raise PydanticCustomError("not_base64", "content is not base64") from None
        return self
