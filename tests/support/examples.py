"""Examples: one valid request for each operation, in a module `examples.py` beside the tests of each family."""

from collections.abc import Mapping

from pydantic import ValidationError

from haulier.app import registry


def invalid_examples(family: str, examples: Mapping[str, Mapping[str, object]]) -> list[str]:
    """What is wrong with the examples of a family, given as `context.family`; nothing where it is an empty list.

    Values that begin with `$` are placeholders of ids, and count as 1.
    """
    operations = {
        operation.name: operation
        for operation in registry()
        if operation.handler.__module__.startswith(f"haulier.contexts.{family}.")
    }
    faults = [f"{name}: no example" for name in operations.keys() - examples.keys()]
    faults += [f"{name}: no operation of {family}" for name in examples.keys() - operations.keys()]
    for name in operations.keys() & examples.keys():
        values = {
            field: 1 if isinstance(value, str) and value.startswith("$") else value
            for field, value in examples[name].items()
        }
        try:
            operations[name].request.model_validate(values)
        except ValidationError as error:
            faults.append(f"{name}: {error}")
    return sorted(faults)
