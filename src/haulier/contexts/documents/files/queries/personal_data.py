"""Files about people: found by the record they are about, and deleted with their bytes, in the object store too."""

from sqlalchemy import ColumnElement

from haulier.contexts.documents.files.actions import delete_files
from haulier.contexts.documents.files.store import files
from haulier.kernel.data.personal_data import PersonKey, PersonKeys, RecordKind, key_in, personal_data


def declare_personal_files(about: str, key: PersonKey, kind: RecordKind) -> None:
    """Declare that files about such records are held of people: `("stop", PersonKey.STOP, RecordKind.PROOFS)`."""

    def find(keys: PersonKeys) -> ColumnElement[bool] | None:
        condition = key_in(files.c.about_id, key, keys)
        return None if condition is None else (files.c.about_kind == about) & condition

    personal_data(files, kind, find=find, remove=delete_files)
