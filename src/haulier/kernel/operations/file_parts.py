"""Files in requests: file inputs, and the files checked by a reader process."""

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, get_args, get_origin

from pydantic import BaseModel, PrivateAttr

from haulier.kernel.file_reading import ReadingJob
from haulier.kernel.operations.declaration import Request


class FileInput(Request):
    """A request, or part of one, that accepts a file as a field or form part."""

    file_field: ClassVar[str] = "content"
    """The field that holds the file and that errors refer to."""


class FilePlace(NamedTuple):
    """A place in a request that accepts a file.

    `field` is None if it is the request itself.
    """

    field: str | None
    model: type[FileInput]
    many: bool = False


@cache
def find_file_places(kind: type[BaseModel]) -> Mapping[str, FilePlace]:
    """Return the places of a request that accept a file, by form part name."""
    if issubclass(kind, FileInput):
        return MappingProxyType({kind.file_field: FilePlace(None, kind)})
    found = dict[str, FilePlace]()
    for name, field in kind.model_fields.items():
        for model in _models(field.annotation):
            if issubclass(model, FileInput):
                found[name] = FilePlace(name, model, _is_list(field.annotation))
    return MappingProxyType(found)


def _is_list(annotation: Any) -> bool:
    return any(get_origin(each) in (list, tuple) for each in (annotation, *get_args(annotation)))


class ForeignFile(FileInput):
    """A file in a request, read by the job `reading` into `checked`."""

    damaged_code: ClassVar[str]
    _checked: Any = PrivateAttr(None)

    def reading(self) -> tuple[ReadingJob[Any, Any], bytes, Any] | None:
        """Return the job, the file and the question, or None if the file is not opened."""
        raise NotImplementedError

    @property
    def checked(self) -> Any:
        """The answer of the job, or None before it ran."""
        return self._checked

    def set_checked(self, answer: Any) -> None:
        """Store the answer of the job."""
        self._checked = answer


def find_foreign_files(request: BaseModel, path: str = "") -> Iterator[tuple[str, ForeignFile]]:
    """Yield the files in a request with their paths."""
    if isinstance(request, ForeignFile):
        yield path, request
    if not _has_files(type(request)):
        return
    for name in type(request).model_fields:
        value = getattr(request, name)
        if isinstance(value, BaseModel):
            yield from find_foreign_files(value, f"{path}{name}.")
        elif isinstance(value, list | tuple):
            for index, each in enumerate(value):
                if isinstance(each, BaseModel):
                    yield from find_foreign_files(each, f"{path}{name}.{index}.")


@cache
def _has_files(model: type[BaseModel]) -> bool:
    return _reaches_file(model, frozenset())


def _reaches_file(model: type[BaseModel], seen: frozenset[type[BaseModel]]) -> bool:
    if model in seen:
        return False
    inner = (each for field in model.model_fields.values() for each in _models(field.annotation))
    return any(issubclass(each, ForeignFile) or _reaches_file(each, seen | {model}) for each in inner)


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)
