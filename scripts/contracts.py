"""Import contracts derived from folders and manifests.

`.importlinter` registers them as types; `make contracts` checks them with the others. `contexts_are_private` defines
what other packages may import from a context, `modules_declare_ties` which modules a module may import.
"""

from collections.abc import Callable, Iterator

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output
from importlinter.application import contract_utils

from haulier.modules import MODULES, ModuleManifest, with_requirements

FACE = frozenset({"public", "events", "fields"})
"""Modules of a context that every package may import."""
PURE = frozenset({"contract", "rules"})
"""Modules of a family without I/O. The contract `floors` defines which layers may import them."""

IMPORTERS = {
    "contexts": FACE | PURE,
    "web": FACE | PURE | {"operations"},
    "adapters": frozenset({"public", "ports"}),
    "cli": FACE | PURE,
    "demo": FACE,
}
"""Parts of other contexts that each package may import. `app` and `parts` build the application and import anything."""
UNRESTRICTED = frozenset({"app", "parts"})


def violation(root: str, importer: str, imported: str) -> str | None:
    """Return why a module may not import a module of a context, or None if it may.

    `root` is the package of the application.
    """
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
    """Return the violation of an import within one context, with relative names."""
    if imported[1:2] != ["store"] or importer[:1] == imported[:1]:
        return None
    # A join across families needs the other table; two statements would cost another round trip.
    # `tests/invariants/test_store_access.py` checks that only tables and constants are imported.
    if imported[2:] in ([], ["tables"]) and importer[1:2] == ["store"]:
        return None
    return "a store belongs to its family; other stores of the context may import tables from `store` or `store.tables`"


class ContextsArePrivate(Contract):
    """Contexts are imported only as in `IMPORTERS`, stores only by their family."""

    type_name = "contexts_are_private"

    root = fields.StringField()
    ignore_imports = fields.SetField(subfield=fields.ImportExpressionField(), required=False)
    unmatched_ignore_imports_alerting = fields.EnumField(
        contract_utils.AlertLevel, default=contract_utils.AlertLevel.ERROR
    )

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Check every import of a module of a context."""
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
        """Print the forbidden imports."""
        for line in check.metadata["violations"]:
            output.print_error(f"- {line}", bold=False)
        output.new_line()


CORE = ("server", "background", "web.site", "cli.server", "demo")
"""Packages that every process imports, in addition to the contexts of the core."""


def packages_of(root: str, module: ModuleManifest) -> list[str]:
    """Return the packages that only this module imports."""
    pages = [f"{root}.web.{page}" for page in module.pages]
    parts = [f"{root}.parts.{module.name}"] if module.part else []
    return [*(f"{root}.contexts.{package}" for package in module.packages), *pages, *parts]


def undeclared_ties(root: str, graph: ImportGraph) -> Iterator[str]:
    """Yield imports of modules by the core, or by modules that do not require them."""
    owned = {module.name: packages_of(root, module) for module in MODULES}
    owners = {package: name for name, packages in owned.items() for package in packages}

    def owner(imported: str) -> str | None:
        around = [package for package in owners if f"{imported}.".startswith(f"{package}.")]
        return owners[max(around, key=len)] if around else None

    core = (f"{root}.contexts.", *(f"{root}.{name}." for name in CORE))
    starts = {name: {each for each in graph.modules if owner(each) == name} for name in owned}
    of_core = {each for each in graph.modules if f"{each}.".startswith(core) and owner(each) is None}
    for name, modules in ((None, of_core), *starts.items()):
        allowed = {None, *(with_requirements(name) if name else ())}
        for importer, imported in sorted(_imports_from(graph, modules, lambda each, to=allowed: owner(each) in to)):
            if owner(imported) not in allowed:
                yield f"{importer} -> {imported}: {name or 'the core'} does not require {owner(imported)}"


def _imports_from(graph: ImportGraph, modules: set[str], follow: Callable[[str], bool]) -> set[tuple[str, str]]:
    """Return the imports of these modules, and of the modules they import."""
    found, seen, waiting = set[tuple[str, str]](), set(modules), set(modules)
    while waiting:
        importer = waiting.pop()
        imports = graph.find_modules_directly_imported_by(importer)
        found |= {(importer, imported) for imported in imports}
        new = {each for each in imports if follow(each)} - seen
        seen, waiting = seen | new, waiting | new
    return found


class ModulesDeclareTies(Contract):
    """Modules import only modules that they require; the core imports none."""

    type_name = "modules_declare_ties"

    root = fields.StringField()

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Check all imports of the core and of each module."""
        found = sorted(set(undeclared_ties(str(self.root), graph)))
        return ContractCheck(kept=not found, metadata={"violations": found})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print the forbidden imports."""
        for line in check.metadata["violations"]:
            output.print_error(f"- {line}", bold=False)
        output.new_line()
