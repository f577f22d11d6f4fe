"""Sparse principal component analysis with orthonormal components, as scikit-learn's estimators."""

from typing import Any, ClassVar

import numpy as np

try:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
    from sklearn.utils import Tags
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise ImportError('SparsePCA needs scikit-learn 1.6 or newer: pip install "orthoprox[sklearn]".') from error

from orthoprox._arrays import inputs
from orthoprox.estimators import request, resumption, stored, table
from orthoprox.estimators.covariance import Covariance
from orthoprox.estimators.explained import adjusted
from orthoprox.estimators.nonzeros import NonzeroPath, nonzero_path
from orthoprox.estimators.runs import Runs
from orthoprox.problems.problem import Problem
from orthoprox.streams.moments import Moments

Matrix = np.ndarray[Any, Any]


class SparsePCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Principal components with few nonzeros that are orthonormal to machine precision.

    The components are the columns of X in  min -tr(X'CX) + g(X)  subject to  X'X = I,  with C the
    covariance matrix and g a penalty, refitted on their nonzeros: the maximum of tr(X'CX) with the
    zeros of X kept. As they are orthonormal, the explained variance ratios add up to what
    ``inverse_transform`` recovers.

    Parameters
    ----------
    n_components : int, optional
        The number of components; by default the smaller of the numbers of variables and samples.
    alpha : float in [0, 1]
        The weight of the penalty, on a scale that does not depend on the data: 0 gives principal
        components, 1 single variables.
    n_nonzero : int, float or sequence of int, optional
        The wanted number of nonzeros: in total, as a share of all loadings if it is a float in
        (0, 1), or one number for each component, which then come in the order of the sequence.
        ``alpha`` is not used then. With "l21" whole variables are chosen, n_nonzero // n_components
        of them.
    penalty : {"l1", "l21", "mcp", "scad"} or a nonsmooth term
        "l21" chooses the same variables for all components; "mcp" and "scad" do not shrink loadings
        above .3. A term from ``orthoprox.nonsmooth`` is used as it is, beside -tr(X'CX) in units of
        the largest variance.
    center, scale : bool or array of shape (n_features,)
        What to subtract from the variables and to divide them by: True for their means and their
        standard deviations (with n - 1). Sparse data stay sparse.
    refit : bool
        Whether to remove the shrinkage of the penalty on the nonzeros; with ``n_nonzero`` always.
    nonnegative : bool
        Whether loadings have to be >= 0. Then no two components share a variable, and ``n_nonzero``
        is at most n_features. With ``alpha`` for at most 3,000 variables.
    criterion : {"variance", "adjusted"}
        What chooses among candidates with ``n_nonzero``: the explained variance, or the adjusted
        one, which discounts correlated scores.
    effort : {"fast", "normal", "thorough"}, optional
        How much to look for lower minima: with ``alpha`` as in :func:`orthoprox.minimize`, by
        default what its start has; with ``n_nonzero`` how many candidates there are, "normal" by
        default.
    start : {"auto", "pca", "coordinates", "random", "smoothed"} or array (n_features, n_components)
        Where the run begins; "auto" takes the principal components, rotated by varimax. With
        ``n_nonzero`` the path of candidates begins there, and an array is one of them.
    n_init : int
        The number of starts; those after the first are random.
    tol : float
        The relative stationarity, proved by the certificate: of the penalised problem, or with
        ``n_nonzero`` of the components on their nonzeros, which the choice of nonzeros precedes.
    max_iter : int, optional
        The iterations of a run at most.
    max_seconds : float, optional
        The time budget; none by default, and then no decision depends on a clock. What is best
        at its end is returned, with a ``ConvergenceWarning``.
    random_state : int, RandomState instance or None
        For random starts; the default settings use none.
    warm_start : bool
        Whether to begin at the point of the last fit, ``result_.X``, as if it were ``start``.
    verbose : bool
        Whether to show runs while they go.
    checkpoint, checkpoint_every, resume
        A file from which a fit goes on after its process has ended, as in ``orthoprox.minimize``.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        By descending variance, the largest loading of each positive.
    explained_variance_, explained_variance_ratio_ : array of shape (n_components,)
        The variances of the scores, and their share of the total variance.
    adjusted_variance_ : array of shape (n_components,)
        What each score adds to those before it, as in Zou, Hastie and Tibshirani (2006).
    mean_, scale_ : array of shape (n_features,)
        What is subtracted and divided by; zeros and ones if nothing is.
    n_nonzero_ : array of shape (n_components,)
        The nonzeros of each component.
    result_ : Result
        The certified result: of the penalised problem, whose X is before the refit, or, with
        ``n_nonzero``, of the variance on the chosen nonzeros; in units of the largest variance.
    n_components_, n_iter_, n_features_in_ : int
    n_samples_seen_ : int or None
    feature_names_in_ : array of str

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from orthoprox import SparsePCA
    >>> pca = SparsePCA(n_components=4, n_nonzero=20, scale=True).fit(load_wine().data)
    >>> int(pca.n_nonzero_.sum())
    20
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = request.CONSTRAINTS

    def __init__(
        self,
        n_components: int | None = None,
        *,
        alpha: float = 0.1,
        n_nonzero: Any = None,
        penalty: Any = "l1",
        center: Any = True,
        scale: Any = False,
        refit: bool = True,
        nonnegative: bool = False,
        criterion: str = "variance",
        effort: str | None = None,
        start: Any = "auto",
        n_init: int = 1,
        tol: float = 1e-5,
        max_iter: int | None = None,
        max_seconds: float | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: bool = False,
        checkpoint: Any = None,
        checkpoint_every: float = 60.0,
        resume: bool = False,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.n_nonzero = n_nonzero
        self.penalty = penalty
        self.center = center
        self.scale = scale
        self.refit = refit
        self.nonnegative = nonnegative
        self.criterion = criterion
        self.effort = effort
        self.start = start
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> "SparsePCA":
        """Find the components of a table: dense, sparse, a data frame, a ``LinearOperator`` or rows
        in blocks, as ``Variance`` has them; what was fitted before is forgotten.
        """
        data = table.checked(self, X, samples=2)
        found, moments = table.covariance(data, self.center, self.scale, shown=self.verbose, keep=data is X)
        covariance, self.mean_, self.scale_ = found
        fitted = self._fitted(covariance, data.shape[0], table.dtype(data))
        self._moments: Moments | None = moments
        return fitted

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any = None) -> "SparsePCA":
        """Add a block of samples to those seen so far, by ``fit`` or ``partial_fit``, and find the
        components of all of them.
        """
        before: Moments | None = getattr(self, "_moments", None)
        if before is None and hasattr(self, "components_"):
            raise ValueError(
                "partial_fit cannot go on: the last fit kept no moments of its samples, as with a covariance matrix, an "
                f"operator or more than {table.KEPT} variables; begin anew, and let partial_fit see its first block as well."
            )
        data = table.checked(self, X, reset=before is None, samples=1 if before is not None else 2)
        moments = table.moments(data, before, shown=self.verbose)
        covariance, self.mean_, self.scale_ = table.of_moments(moments, self.center, self.scale)
        fitted = self._fitted(covariance, moments.count, table.dtype(data))
        self._moments = moments  # a call that fails adds nothing
        return fitted

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_covariance(self, C: Any, n_samples: int | None = None) -> "SparsePCA":
        """Find the components of a covariance or correlation matrix of shape (m, m).

        ``scale=True`` makes a covariance matrix a correlation matrix. There are no means: unless
        ``center`` has them, ``mean_`` is 0 and ``transform`` subtracts nothing. It divides by
        ``scale_``, the roots of the diagonal with ``scale=True``, otherwise ``scale`` or 1: the
        scores of a correlation matrix are those of standardised data. ``n_samples_seen_`` is
        ``n_samples``, None if that is not known.
        """
        matrix = table.checked_covariance(self, C)
        self._moments = None
        covariance, self.mean_, self.scale_ = table.of_matrix(matrix, self.center, self.scale)
        samples = None if n_samples is None else inputs.integer(n_samples, "n_samples")
        return self._fitted(covariance, samples, np.dtype(np.float64))

    def fit_transform(self, X: Any, y: Any = None, **parameters: Any) -> Matrix:
        """Fit, and return the scores of the same samples."""
        return self.fit(X, y, **parameters).transform(X)  # type: ignore[no-any-return]

    def transform(self, X: Any) -> Matrix:
        """Return the scores (X - mean) / scale times the components, of shape (samples, n)."""
        check_is_fitted(self)
        data = table.checked(self, X, reset=False)
        return table.scores(data, self.mean_, self.scale_, self.components_)

    def inverse_transform(self, X: Any) -> Matrix:
        """Return the samples that scores stand for."""
        check_is_fitted(self)
        scores = inputs.matrix(X, "X", shape=(None, self.n_components_))
        samples = np.matmul(np.asarray(scores), self.components_) * self.scale_ + self.mean_
        return np.asarray(samples, dtype=np.result_type(scores.dtype, self.components_.dtype))

    def score(self, X: Any, y: Any = None) -> float:
        """Return the share of the variance of X, about the mean of the fit, that the components
        explain.
        """
        check_is_fitted(self)
        return table.share(table.checked(self, X, reset=False), self.mean_, self.scale_, self.components_)

    def path(self, X: Any, n_nonzeros: Any = None) -> NonzeroPath:
        """Return components with many numbers of nonzeros, which share the work.

        Parameters
        ----------
        X : the data, as in ``fit``
        n_nonzeros : sequence of int, optional
            The total numbers; by default twelve from all loadings (variables, if ``nonnegative``)
            down to one for each component.
        """
        return nonzero_path(*request.asked(self, X), n_nonzeros)

    def problem(self, X: Any) -> Problem:
        """Return the penalised problem of ``alpha``, in units of the largest variance."""
        return Runs(*request.asked(self, X)[:2]).penalised()

    def to_frame(self) -> Any:
        """Return the loadings as a pandas data frame: one row for each variable, by name."""
        check_is_fitted(self)
        from orthoprox.estimators.frame import loadings

        return loadings(self.components_, self._names(), list(self.get_feature_names_out()))

    def plot_components(self) -> Any:
        """Draw the loadings, one panel for each component (``pip install "orthoprox[plot]"``)."""
        check_is_fitted(self)
        from orthoprox.estimators.plots import draw_components

        return draw_components(self.components_, self._names(), self.explained_variance_ratio_)

    def save(self, path: Any) -> None:
        """Write the fitted estimator to a file, whole or not at all; nothing is pickled."""
        check_is_fitted(self)
        stored.save(self, path)

    @classmethod
    def load(cls, path: Any) -> "SparsePCA":
        """Read an estimator that was saved; its ``result_`` has no problem object."""
        return stored.load(cls, path)

    def _fitted(self, covariance: Covariance, samples: int | None, dtype: Any) -> "SparsePCA":
        wanted = request.wanted(self, (samples or self.n_features_in_, self.n_features_in_))
        X, self.result_ = resumption.components(self, covariance, wanted)
        scores = np.matmul(X.T, covariance.apply(X))
        self.components_ = np.ascontiguousarray(X.T).astype(dtype, copy=False)
        self.explained_variance_ = scores.diagonal().astype(dtype)
        self.explained_variance_ratio_ = (scores.diagonal() / (covariance.total or 1.0)).astype(dtype)
        self.adjusted_variance_ = adjusted(scores).astype(dtype)
        self.n_nonzero_ = np.sum(self.components_ != 0, axis=1)
        self.n_components_, self.n_samples_seen_ = wanted.n, samples
        self.n_iter_ = max(1, self.result_.iterations)
        return self

    def _names(self) -> list[str]:
        given = getattr(self, "feature_names_in_", None)
        return [f"x{i}" for i in range(self.n_features_in_)] if given is None else [str(name) for name in given]

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
