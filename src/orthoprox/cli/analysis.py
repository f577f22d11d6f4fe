"""From a table to sparse components and what is told of them: the steps of ``orthoprox spca``."""

import argparse
import warnings
from dataclasses import dataclass, field
from math import inf
from time import perf_counter
from typing import Any

import numpy as np

from orthoprox import ConvergenceWarning, Progress, Status
from orthoprox.cli import blocks
from orthoprox.cli.interrupts import CtrlC, at_once
from orthoprox.cli.principal import principal_shares
from orthoprox.cli.reading import choice
from orthoprox.stopping.clock import Deadline
from orthoprox.streams.blocks import Blocks
from orthoprox.streams.ranks import Ranks
from orthoprox.tables import Table, cleaned, covariance, reader
from orthoprox.tables.cleaning import without_missing
from orthoprox.tables.covariance import looks_like_covariance

Floats = np.ndarray[Any, Any]
Part = tuple[str, float, int]  # name, seconds, gradients

_COMPONENTS = 5  # by default
_LEVELS = 8  # numbers of nonzeros along the curve
_CURVE = 600  # loadings up to which there is a curve
_FIT, _REST = 0.8, 0.05  # shares of a time budget: for the fit, and what has to be left for the curve


@dataclass
class Analysis:
    """A table and what is found of it, step by step."""

    options: argparse.Namespace
    estimator_class: Any
    ranks: Ranks | None = None  # of MPI, which read the table
    table: Table = field(init=False)
    estimator: Any = field(init=False)
    principal: Floats = field(init=False)
    scores: Floats | None = None
    curve: tuple[Floats, Floats] | None = None
    notes: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    interrupted: bool = False

    def __post_init__(self) -> None:
        """Start the clock."""
        self._began, self.deadline = perf_counter(), Deadline(self.options.max_seconds)

    @property
    def seconds(self) -> float:
        """The time since the command began."""
        return perf_counter() - self._began

    def run(self, line: Progress) -> "Analysis":
        """Take all steps; after Ctrl-C, those that give what is there."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the status is told
            line.begin("reading")
            self.read(line)
            with blocks.assisted(self.ranks):
                line.begin("components")
                self._fit()
                line.begin("principal components")
                self._compare()
                line.begin("curve")
                if not self.interrupted:
                    self._trace()
        return self

    def read(self, line: Progress) -> None:
        """Read the table, or begin to read it in blocks."""
        began, options = perf_counter(), self.options
        if self.ranks is not None:
            table, whole = blocks.shared(options, self.ranks, line), False
        else:
            source = reader(options.table, choice(options))
            whole = not blocks.is_streamed(source, options)
            table = source.read() if whole else blocks.streamed(source, line)
        rows, m = table.values.shape
        if whole and m == 1:
            raise ValueError(f"The table has one column of numbers, {table.names[0]!r}; components need at least two.")
        if not whole:
            self.table = table
        elif options.covariance:
            self.table = covariance(without_missing(table))
        elif rows == 1:
            raise ValueError("The table has one row of numbers; there is no variance to explain, components need at least two.")
        else:
            self.table = cleaned(table, options.missing)
            if looks_like_covariance(self.table):
                self.notes.append("The table looks like a covariance or correlation matrix; if it is, add --covariance.")
        self.notes[:0] = self.table.notes
        self._part("reading", began)

    @property
    def n(self) -> int:
        """The number of components that are wanted."""
        rows, m = self.table.values.shape
        if self.options.components is not None:
            return int(self.options.components)
        if isinstance(self.options.nonzeros, list):
            return len(self.options.nonzeros)
        most: int = m if self.options.covariance else min(m, rows - 1)
        return max(1, min(_COMPONENTS, most))

    def _parameters(self) -> dict[str, Any]:
        """Return the parameters of the estimator, by their names there."""
        options = self.options
        nonzeros = options.nonzeros if options.sparsity is None else round(1 - options.sparsity, 12)
        return {
            "n_components": self.n,
            **({} if options.alpha is None else {"alpha": options.alpha}),
            "n_nonzero": nonzeros,
            "penalty": options.penalty,
            "center": not options.no_center,
            "scale": not options.no_scale,
            "refit": not options.no_refit,
            "nonnegative": options.nonnegative,
            "criterion": options.criterion,
            "effort": options.effort,
            "n_init": options.n_init,
            "tol": options.tol,
            "max_seconds": options.max_seconds,
            "random_state": options.seed,
        }

    def _fit(self) -> None:
        began, values, options = perf_counter(), self.table.values, self.options
        m = values.shape[1]
        if self.n > m:
            raise ValueError(f"-n is {self.n}, but there are {m} variables; ask for at most {m} components.")
        parameters = self._parameters()
        kept = {name: getattr(options, name) for name in ("checkpoint", "checkpoint_every", "resume")}
        estimator = self.estimator_class(**{**parameters, **kept, "max_seconds": self._budget(), "verbose": options.shown})
        wants_number = parameters["n_nonzero"] is not None
        _ = estimator.fit_covariance(values) if options.covariance else estimator.fit(values)  # Ctrl-C: the best so far
        self.interrupted = estimator.result_.status is Status.INTERRUPTED
        if isinstance(values, Blocks) and values.shape[0] > blocks.SCORED:
            self.notes.append(f"There are no scores: {values.shape[0]:,} rows are more than {blocks.SCORED:,}.")
        elif not options.covariance:
            self.scores = estimator.transform(values)
        estimator.set_params(max_seconds=options.max_seconds, verbose=False, checkpoint=None, resume=False)
        estimator.feature_names_in_ = np.array(self.table.names, dtype=object)
        self.estimator = estimator
        if self.n == m:
            self.notes.append("As many components as variables explain all of the variance; ask for fewer with -n.")
        inner = [(part.name, part.seconds, part.gradients) for part in estimator.result_.phases]
        rest = perf_counter() - began - sum(seconds for _, seconds, _ in inner)
        self.parts.append(("choice of nonzeros" if wants_number else "covariance and refit", max(rest, 0.0), 0))
        self.parts += inner

    def _budget(self) -> float | None:
        left = self.deadline.left()
        return None if left == inf else max(_FIT * left, 1e-3)

    def _compare(self) -> None:
        began = perf_counter()
        is_covariance, values = bool(self.options.covariance), self.table.values
        if isinstance(values, Blocks) and not values.moments(cross=False).cross:
            self.principal = np.full(self.n, np.nan)
            self.notes.append("Principal components to compare with would take a pass over the rows for each product.")
            return
        self.principal = principal_shares(self.table.values, self.estimator, self.deadline, covariance=is_covariance)
        if not np.all(np.isfinite(self.principal)):
            self.notes.append("There was no time to find principal components to compare with.")
        self._part("principal components", began)

    def _trace(self) -> None:
        """Find the explained variance for several numbers of nonzeros, where that takes little."""
        began, m = perf_counter(), self.table.values.shape[1]
        reason = self._no_curve(m)
        if reason:
            self.notes.append(f"There is no curve of the variance against the nonzeros: {reason}.")
            return
        try:
            with at_once():
                path = self.path(_LEVELS)
        except CtrlC:
            self.interrupted = True
            self.notes.append("There is no curve of the variance against the nonzeros: Ctrl-C was pressed.")
            return
        self.curve = path.n_nonzeros, path.explained_variance_ratio
        self._part("curve", began)

    def path(self, levels: int | list[int]) -> Any:
        """Return components with these numbers of nonzeros, or with so many numbers."""
        m = self.table.values.shape[1]
        if isinstance(levels, int):
            least = self.n**2 if self.options.penalty == "l21" else self.n
            most = m if self.options.nonnegative else m * self.n
            levels = sorted({round(level) for level in np.geomspace(most, least, levels)}, reverse=True)
        estimator = self.estimator_class(**{**self._parameters(), "n_nonzero": None, "max_seconds": self._budget()})
        return estimator.path(self._samples(), levels)

    def _no_curve(self, m: int) -> str | None:
        if m * self.n > _CURVE:
            return f"{m:,} variables times {self.n} components are more than {_CURVE} loadings"
        if self.deadline.left() < _REST * self.deadline.budget:
            return "the time budget is used up"
        return None

    def _samples(self) -> Any:
        """Return the table, or as many samples as variables with this covariance."""
        if not self.options.covariance:
            return self.table.values
        C = self.table.values
        values, vectors = np.linalg.eigh(C)
        root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
        centred = np.concatenate([root, -root])  # whose means are zero
        return centred * np.sqrt((len(centred) - 1) / 2)

    def _part(self, name: str, began: float) -> None:
        self.parts.append((name, perf_counter() - began, 0))
