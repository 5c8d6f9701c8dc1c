"""Size of the source code: files, lines and the reach of write operations.

`python -m scripts.size` (or `make size`) writes `docs/contributing/size.md`.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/contributing/size.md"
CONTEXTS = "haulier.contexts."
Symbol = tuple[str, str]
"""A module and a name that it defines."""

START = """
import sys, haulier.app, haulier.server
haulier.app.registry(), haulier.app.background()
print(sum(name.partition(".")[0] == "haulier" for name in sys.modules))
"""


@dataclass(frozen=True)
class Module:
    """The top-level definitions of a file, and the dotted names behind its imports."""

    path: Path
    definitions: Mapping[str, tuple[ast.stmt, ...]]
    imports: Mapping[str, str]
    lines: int
    boilerplate: int


@dataclass(frozen=True)
class Reach:
    """Files and lines of contexts that one operation needs."""

    files: int
    lines: int


@dataclass(frozen=True)
class Size:
    """Measurements of the source code."""

    files: int
    context_files: int
    lines: int
    median_lines: float
    boilerplate: float
    writes: int
    write_files: float
    write_lines: float
    start_modules: int


def read_module(path: Path) -> Module:
    """Parse a file."""
    text = path.read_text()
    tree = ast.parse(text)
    definitions: dict[str, tuple[ast.stmt, ...]] = {}
    imports: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            imports |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    for statement in tree.body:
        for name in _defined_names(statement):
            definitions[name] = (*definitions.get(name, ()), statement)
    lines = len(text.splitlines())
    is_empty = path.name == "__init__.py" and len(tree.body) <= 1
    imported = sum(_length(node) for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return Module(path, definitions, imports, lines, lines if is_empty else imported)


def read_modules(source: Path) -> dict[str, Module]:
    """Return every module below a source folder by its dotted name."""
    found: dict[str, Module] = {}
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = read_module(path)
    return found


def _length(node: ast.stmt) -> int:
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    return (node.end_lineno or first) - first + 1


def _defined_names(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        yield from (node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))


def resolve_symbol(modules: Mapping[str, Module], module: str, name: str) -> Symbol | None:
    """Return the definition of a context that a name in a module refers to, or None."""
    for _ in range(len(modules)):
        known = modules.get(module)
        if known is None or not module.startswith(CONTEXTS):
            return None
        if name in known.definitions:
            return module, name
        if name not in known.imports:
            return None
        module, _, name = known.imports[name].rpartition(".")
    return None


def referenced_symbols(modules: Mapping[str, Module], symbol: Symbol) -> Iterator[Symbol]:
    """Yield the definitions of contexts that a definition refers to."""
    module, name = symbol
    known = modules[module]
    for statement in known.definitions[name]:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                found = resolve_symbol(modules, module, node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                found = resolve_symbol(modules, known.imports.get(node.value.id, ""), node.attr)
            else:
                continue
            if found is not None:
                yield found


def list_write_operations(modules: Mapping[str, Module]) -> Iterator[Symbol]:
    """Yield every function of a context that is declared with `@writes`."""
    for module, known in modules.items():
        if not module.startswith(CONTEXTS):
            continue
        for name, statements in known.definitions.items():
            for statement in statements:
                decorators = getattr(statement, "decorator_list", ())
                if any(isinstance(d, ast.Call) and getattr(d.func, "id", "") == "writes" for d in decorators):
                    yield module, name


def measure_reach(modules: Mapping[str, Module], operation: Symbol) -> Reach:
    """Count the files and lines of all definitions that an operation needs."""
    reached, waiting = {operation}, [operation]
    while waiting:
        for symbol in referenced_symbols(modules, waiting.pop()):
            if symbol not in reached:
                reached.add(symbol)
                waiting.append(symbol)
    lines = sum(_length(statement) for module, name in reached for statement in modules[module].definitions[name])
    return Reach(len({module for module, _ in reached}), lines)


def count_start_modules() -> int:
    """Count the modules of this project that a starting server imports."""
    command = [sys.executable, "-c", START]
    return int(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()[-1])


def measure_size() -> Size:
    """Measure the source code of this checkout."""
    modules = read_modules(ROOT / "src")
    lines = [module.lines for module in modules.values()]
    reaches = [measure_reach(modules, operation) for operation in list_write_operations(modules)]
    return Size(
        files=len(modules),
        context_files=sum(name.startswith(CONTEXTS) for name in modules),
        lines=sum(lines),
        median_lines=median(lines),
        boilerplate=sum(module.boilerplate for module in modules.values()) / sum(lines),
        writes=len(reaches),
        write_files=median(reach.files for reach in reaches),
        write_lines=median(reach.lines for reach in reaches),
        start_modules=count_start_modules(),
    )


def render_page(size: Size) -> str:
    """Render the page."""
    rows = {
        "Python files in `src`": f"{size.files:,}",
        "of these in `contexts`": f"{size.context_files:,}",
        "Lines": f"{size.lines:,}",
        "Median lines of a file": f"{size.median_lines:.0f}",
        "Imports and packages without code": f"{size.boilerplate:.1%} of all lines",
        "Write operations": f"{size.writes:,}",
        "Median context files of a write operation": f"{size.write_files:.0f}",
        "Median context lines of a write operation": f"{size.write_lines:.0f}",
        "Modules imported by a starting server": f"{size.start_modules:,}",
    }
    table = "\n".join(f"| {name} | {value} |" for name, value in rows.items())
    return f"""# Size of the source code

Written by `make size`. Run it after changes that move or merge many files.

| Measurement | Value |
|---|---|
{table}

**Context files of a write operation** are the files below `src/haulier/contexts` that hold a definition the operation needs.
The count starts at the function with `@writes` and follows every name in its statements: functions, classes, constants and
tables, through imports, re-exports and attributes of imported modules. Subscribers of its events, adapters behind ports, the
kernel and the pipeline are left out. Context lines are the lines of those definitions.
"""


def list_labels(page: str) -> list[str]:
    """Return the measurements that a page names."""
    return re.findall(r"^\| (.+?) \|", page, re.MULTILINE)


if __name__ == "__main__":
    PAGE.write_text(render_page(measure_size()))
    print(PAGE.read_text())
