"""Files about people: found by the record they are about, and deleted with their bytes, in the object store too."""

from collections.abc import Callable

from sqlalchemy import ColumnElement

from haulier.contexts.documents.files.actions import delete_files
from haulier.contexts.documents.files.store import files
from haulier.kernel.data.personal_data import PersonKey, PersonKeys, RecordKind, key_in, personal_data

AboutPeople = Callable[[ColumnElement[int], PersonKeys], ColumnElement[bool] | None]
"""Which of the records with these ids are about a person."""


def declare_personal_files(about: str, key: PersonKey, kind: RecordKind) -> None:
    """Declare that files about such records are held of people: `("stop", PersonKey.STOP, RecordKind.PROOFS)`."""
    declare_files_of_people(about, kind, lambda ids, keys: key_in(ids, key, keys))


def declare_files_of_people(about: str, kind: RecordKind, of_people: AboutPeople) -> None:
    """As `declare_personal_files`, for records that do not have the key as their id."""

    def find(keys: PersonKeys) -> ColumnElement[bool] | None:
        condition = of_people(files.c.about_id, keys)
        return None if condition is None else (files.c.about_kind == about) & condition

    personal_data(files, kind, find=find, remove=delete_files)
