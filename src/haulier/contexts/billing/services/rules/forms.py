"""Rules for forms: validity, shown fields, values and JSON Schema.

A hidden field takes no value, so a condition on it never holds.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from haulier.contexts.billing.services.contract.forms import FormCondition, FormField, FormFieldType
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.operations.fields import ID_MAX
from haulier.kernel.operations.json_schemas import compile_schema

Form = Sequence[FormField]
Values = Mapping[str, Any]
CHOOSING = frozenset({FormFieldType.CHOICE, FormFieldType.CHOICES})
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def form_faults(form: Form, at: str = "form") -> Iterator[FieldError]:
    """Yield the validation errors of a form."""
    before: dict[str, FormField] = {}
    for index, field in enumerate(form):
        place = f"{at}.{index}"
        if field.name in before:
            yield FieldError(f"{place}.name", "field.form_name_twice")
        values = [option.value for option in field.options]
        if bool(values) != (field.type in CHOOSING) or len(values) != len(set(values)):
            yield FieldError(f"{place}.options", "field.form_options")
        if field.minimum is not None and field.maximum is not None and field.minimum > field.maximum:
            yield FieldError(f"{place}.maximum", "field.form_bounds")
        yield from condition_faults(before, field.visible_when, f"{place}.visible_when")
        yield from condition_faults(before, field.required_when, f"{place}.required_when")
        before[field.name] = field


def condition_faults(
    known: Mapping[str, FormField], conditions: Sequence[FormCondition], at: str
) -> Iterator[FieldError]:
    """Yield the validation errors of conditions."""
    for index, condition in enumerate(conditions):
        field = known.get(condition.field)
        if field is None:
            yield FieldError(f"{at}.{index}.field", "field.form_field_unknown")
        elif not all(_can_have(field, value) for value in condition.one_of):
            yield FieldError(f"{at}.{index}.one_of", "field.form_condition_value")


def _can_have(field: FormField, value: object) -> bool:
    if field.type is FormFieldType.BOOLEAN:
        return isinstance(value, bool)
    if field.type is FormFieldType.INTEGER:
        return isinstance(value, int) and not isinstance(value, bool)
    return field.type in CHOOSING and value in [option.value for option in field.options]


def given_values(values: Values) -> dict[str, Any]:
    """Return the values that are not null."""
    return {name: value for name, value in values.items() if value is not None}


def shown_fields(form: Form, values: Values) -> dict[str, FormField]:
    """Return the fields that are shown for given values, by name."""
    shown: dict[str, FormField] = {}
    for field in form:
        if hold(field.visible_when, shown, values):
            shown[field.name] = field
    return shown


def hold(conditions: Sequence[FormCondition], shown: Mapping[str, FormField], values: Values) -> bool:
    """Return True if all conditions hold."""
    return all(each.field in shown and _has(values.get(each.field), each.one_of) for each in conditions)


def _has(value: Any, wanted: Sequence[object]) -> bool:
    chosen = value if isinstance(value, list) else [value]
    # Compare types too: 1 == True in Python, but not in JSON.
    return any(type(one) is type(each) and one == each for one in chosen for each in wanted)


def values_faults(form: Form, values: Values, at: str) -> list[FieldError]:
    """Return the validation errors of form values, with paths below `at`."""
    given = given_values(values)
    shown = shown_fields(form, given)
    needed = [
        name
        for name, field in shown.items()
        if field.required or (field.required_when and hold(field.required_when, shown, given))
    ]
    schema = {
        "type": "object",
        "properties": {name: _value_schema(field) for name, field in shown.items()},
        "required": needed,
    }
    unasked = [FieldError(f"{at}.{name}", "field.form_not_asked") for name in given if name not in shown]
    return unasked + compile_schema(schema).faults(given, at)


def _value_schema(field: FormField) -> dict[str, Any]:
    options = [option.value for option in field.options]
    if field.type is FormFieldType.BOOLEAN:
        return {"type": "boolean"}
    if field.type is FormFieldType.INTEGER:
        least = -ID_MAX if field.minimum is None else field.minimum
        return {"type": "integer", "minimum": least, "maximum": ID_MAX if field.maximum is None else field.maximum}
    if field.type is FormFieldType.CHOICE:
        return {"type": "string", "enum": options}
    if field.type is FormFieldType.CHOICES:
        return {"type": "array", "items": {"type": "string", "enum": options}, "uniqueItems": True}
    if field.type is FormFieldType.DATE:
        return {"type": "string", "format": "date"}
    return {"type": "string", "minLength": 1, "maxLength": field.max_length}


def form_schema(form: Form, language: str) -> dict[str, Any]:
    """Return the form as JSON Schema (2020-12), with titles in a language.

    The schema accepts exactly the values that the service accepts.
    """
    rules = [rule for field in form for rule in _rules(form, field)]
    return {
        "$schema": _DIALECT,
        "type": "object",
        "properties": {field.name: _described(field, language) for field in form},
        "required": [field.name for field in form if field.required and not field.visible_when],
        "additionalProperties": False,
        **({"allOf": rules} if rules else {}),
    }


def _described(field: FormField, language: str) -> dict[str, Any]:
    shown = _value_schema(field) | {"title": field.labels.get(language) or field.label}  # type: ignore[call-overload]
    if field.help:
        shown["description"] = field.help
    titles = [
        {"const": option.value, "title": option.labels.get(language) or option.label}  # type: ignore[call-overload]
        for option in field.options
    ]
    if field.type is FormFieldType.CHOICE:
        shown["oneOf"] = titles
    elif field.type is FormFieldType.CHOICES:
        shown["items"] = {"type": "string", "oneOf": titles}
    return shown


def _rules(form: Form, field: FormField) -> Iterator[dict[str, Any]]:
    if field.visible_when:
        shown = {"required": [field.name]} if field.required else {}
        yield {"if": _condition(form, field.visible_when), "then": shown, "else": {"properties": {field.name: False}}}
    if field.required_when:
        both = [*field.visible_when, *field.required_when]
        yield {"if": _condition(form, both), "then": {"required": [field.name]}}


def _condition(form: Form, conditions: Sequence[FormCondition]) -> dict[str, Any]:
    several = {field.name for field in form if field.type is FormFieldType.CHOICES}
    parts = []
    for each in conditions:
        wanted: dict[str, Any] = {"enum": list(each.one_of)}
        part = {"type": "array", "contains": wanted} if each.field in several else wanted
        parts.append({"properties": {each.field: part}, "required": [each.field]})
    return parts[0] if len(parts) == 1 else {"allOf": parts}
