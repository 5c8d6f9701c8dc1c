"""Placeholders of ids in example requests: texts such as `$order_id`, at any depth."""

from collections.abc import Mapping

from pydantic import ValidationError

from haulier.app import registry


def fill_placeholders(value: object) -> object:
    """The value with 1 in place of every text that begins with `$`."""
    if isinstance(value, dict):
        return {name: fill_placeholders(item) for name, item in value.items()}
    if isinstance(value, list):
        return [fill_placeholders(item) for item in value]
    return 1 if isinstance(value, str) and value.startswith("$") else value


def example_faults(family: str, examples: Mapping[str, Mapping[str, object]]) -> list[str]:
    """What is wrong with the examples of a family (`context.family`): missing, unknown or invalid ones."""
    operations = {o.name: o for o in registry() if o.handler.__module__.startswith(f"haulier.contexts.{family}.")}
    faults = [f"{name}: no example" for name in operations.keys() - examples.keys()]
    faults += [f"{name}: no operation of {family}" for name in examples.keys() - operations.keys()]
    for name in operations.keys() & examples.keys():
        try:
            operations[name].request.model_validate(fill_placeholders(dict(examples[name])))
        except ValidationError as error:
            faults.append(f"{name}: {error}")
    return sorted(faults)
