"""One import contract for every context: what others may import of it, read from the folders and not from a list of names.

`.importlinter` registers it as the type `contexts_are_private`; `make contracts` checks it with the others.
"""

from collections.abc import Iterator

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output
from importlinter.application import contract_utils

FACE = frozenset({"public", "events", "fields"})
"""Modules of a context that every package may import."""
PURE = frozenset({"contract", "rules"})
"""Modules of a family without I/O. Which floors may import them is the contract `floors`."""

IMPORTERS = {
    "contexts": FACE | PURE,
    "web": FACE | PURE | {"operations"},
    "adapters": frozenset({"public", "ports"}),
    "cli": FACE | PURE,
    "demo": FACE,
}
"""What each package may import of a context that is not its own. `app` builds the application and imports anything."""
UNRESTRICTED = frozenset({"app"})


def violation(root: str, importer: str, imported: str) -> str | None:
    """Why a module may not import this module of a context, or None when it may. `root` is the package of the application."""
    contexts = f"{root}.contexts."
    if not imported.startswith(contexts):
        return None
    context, *inside = imported.removeprefix(contexts).split(".")
    package, *place = importer.removeprefix(f"{root}.").split(".")
    if package in UNRESTRICTED:
        return None
    if package == "contexts" and place[:1] == [context]:
        return _violation_inside(place[1:], inside)
    allowed = IMPORTERS.get(package, frozenset())
    kind = inside[0] if len(inside) == 1 else "".join(inside[1:2])
    if kind in allowed:
        return None
    return f"of another context, `{package}` may import only {', '.join(sorted(allowed)) or 'nothing'}"


def _violation_inside(importer: list[str], imported: list[str]) -> str | None:
    """The same within one context; both places are relative to it."""
    if imported[1:2] != ["store"] or importer[:1] == imported[:1]:
        return None
    # A statement that joins two families needs the other's table; a second statement would cost a trip to the database.
    # `tests/invariants/test_store_access.py` checks that only tables and constants are imported.
    if imported[2:] in ([], ["tables"]) and importer[1:2] == ["store"]:
        return None
    return "a store belongs to its family; other stores of the context may import tables from `store` or `store.tables`"


class ContextsArePrivate(Contract):
    """Every context is imported only as `IMPORTERS` says, and every store only by its own family."""

    type_name = "contexts_are_private"

    root = fields.StringField()
    ignore_imports = fields.SetField(subfield=fields.ImportExpressionField(), required=False)
    unmatched_ignore_imports_alerting = fields.EnumField(
        contract_utils.AlertLevel, default=contract_utils.AlertLevel.ERROR
    )

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Look at every import of a module of a context."""
        removed = contract_utils.remove_ignored_imports_and_report(
            graph=graph,
            ignore_imports=self.ignore_imports,  # pyright: ignore[reportArgumentType]
            unmatched_alerting=self.unmatched_ignore_imports_alerting,  # pyright: ignore[reportArgumentType]
        )
        found = list(self._violations(graph))
        return ContractCheck(
            kept=not found,
            warnings=list(removed.warnings),
            ignored_import_count=removed.ignored_import_count,
            metadata={"violations": found},
        )

    def _violations(self, graph: ImportGraph) -> Iterator[str]:
        for imported in sorted(graph.find_descendants(f"{self.root}.contexts")):
            for importer in sorted(graph.find_modules_that_directly_import(imported)):
                if why := violation(str(self.root), importer, imported):
                    details = graph.get_import_details(importer=importer, imported=imported)
                    lines = ", ".join(str(detail["line_number"]) for detail in details)
                    yield f"{importer} -> {imported} (l.{lines}): {why}"

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print the imports that must not be."""
        for line in check.metadata["violations"]:
            output.print_error(f"- {line}", bold=False)
        output.new_line()
