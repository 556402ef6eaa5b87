"""The mutants of a file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators, operator_string

_TYPE_NAME = re.compile(r"_*[A-Z]([a-z]\w*)?")
_NOT_EXECUTED = (cst.Annotation, cst.Decorator, cst.Import, cst.ImportFrom)
_SKIPPED_CALLS = {"isinstance", "len", "cast", "TypeVar"}  # the first two as mutmut does, the others are for types
_SKIPPED_NAMES = {"__all__", "__slots__"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of a file."""

    file: str
    number: int
    """Among the mutants of the file."""
    operator: str
    first_line: int
    last_line: int
    """The lines that a test must execute to notice: the statement, or the function for one of its defaults."""
    on_import: bool
    """Whether it is executed when the file is imported, so that any test may notice."""


class _Finder(cst.CSTVisitor):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, file: str) -> None:
        super().__init__()
        self.found: list[tuple[Mutant, cst.CSTNode, cst.CSTNode]] = []
        self._file = file
        self._around: list[cst.CSTNode] = []  # the functions, parameters and simple statements around a node

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Note the mutants of a node."""
        if _is_skipped(node):
            return False
        if isinstance(node, cst.FunctionDef | cst.Parameters | cst.SimpleStatementLine):
            self._around.append(node)
        for kind, operator in mutation_operators:
            if isinstance(node, kind):
                mutated = list(operator(node))
                if operator is operator_string:  # texts for people are skipped; of the others one mutant is enough
                    mutated = [] if " " in cst.Module([]).code_for_node(node) else mutated[:1]
                name = operator.__name__.removeprefix("operator_").replace("_", " ")
                self.found += [(self._mutant(node, name, place), node, to) for place, to in enumerate(mutated)]
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        """Forget what no longer stands around."""
        if self._around and original_node is self._around[-1]:
            self._around.pop()

    def _mutant(self, node: cst.CSTNode, operator: str, place: int) -> Mutant:
        functions = [one for one in self._around if isinstance(one, cst.FunctionDef)]
        whole: cst.CSTNode = node
        if any(isinstance(one, cst.Parameters) for one in self._around) and functions:
            whole = functions[-1]
        elif self._around and isinstance(self._around[-1], cst.SimpleStatementLine):
            whole = self._around[-1]
        lines = self.get_metadata(PositionProvider, whole)
        number = len(self.found) + place
        return Mutant(self._file, number, operator, lines.start.line, lines.end.line, on_import=not functions)


def _is_skipped(node: cst.CSTNode) -> bool:
    """Whether no test can notice what happens to a node: types, docstrings, what is not executed."""
    match node:
        case cst.Expr(value=cst.SimpleString() | cst.ConcatenatedString()):
            return True
        case cst.Call(func=cst.Name(value=name)):
            return name in _SKIPPED_CALLS
        case cst.If(test=cst.Name(value="TYPE_CHECKING")):
            return True
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
            return name in _SKIPPED_NAMES or bool(_TYPE_NAME.fullmatch(name))
        case _:
            return isinstance(node, _NOT_EXECUTED)


def mutants(root: Path, file: str) -> list[Mutant]:
    """All mutants of a file below `root`, in a fixed order."""
    return [mutant for mutant, _, _ in _found(root, file)[1]]


def mutated(root: Path, mutant: Mutant) -> str:
    """The text of the file with a mutant in it."""
    module, found = _found(root, mutant.file)
    _, before, after = found[mutant.number]
    result = module.deep_replace(before, after)
    assert isinstance(result, cst.Module)
    text: str = result.code
    return text


def _found(root: Path, file: str) -> tuple[cst.Module, list[tuple[Mutant, cst.CSTNode, cst.CSTNode]]]:
    wrapper = MetadataWrapper(cst.parse_module((root / file).read_text(encoding="utf-8")))
    finder = _Finder(file)
    wrapper.visit(finder)
    return wrapper.module, finder.found


def difference(before: str, after: str) -> tuple[int, str, str]:
    """The first line in which two texts differ, and what stands there in each, on one line."""
    ours, theirs = before.splitlines(), after.splitlines()
    start, end = _same(ours, theirs), _same(ours[::-1], theirs[::-1])
    end = min(end, len(ours) - start, len(theirs) - start)
    one, other = (" ".join(line.strip() for line in lines[start : len(lines) - end]) for lines in (ours, theirs))
    return start + 1, one, other


def _same(ours: list[str], theirs: list[str]) -> int:
    """How many lines are the same at the beginning."""
    pairs = enumerate(zip(ours, theirs, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(ours), len(theirs)))
