"""Request and response models of sample data."""

from typing import Annotated

from haulier.kernel.operations.answers import Answer, doc


class SampleDataLoaded(Answer):
    """The result of loading sample data."""

    result: bool = True
    message: str
    existing: Annotated[bool, doc("True if sample data was loaded before; the call changed nothing.")]


class SampleDataRemoved(Answer):
    """The result of removing sample data."""

    result: bool = True
    message: str
    deleted: Annotated[int, doc("Number of deleted rows, in all tables. 0 without sample data.")]
