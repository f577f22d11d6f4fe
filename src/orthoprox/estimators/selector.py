"""Choice of variables without labels, as scikit-learn's selectors."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

try:
    from sklearn.base import BaseEstimator, _fit_context
    from sklearn.feature_selection import SelectorMixin
    from sklearn.utils import Tags
    from sklearn.utils._param_validation import Interval, StrOptions
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise ImportError('RowSparseSelector needs scikit-learn 1.6 or newer: pip install "orthoprox[sklearn]".') from error

import orthoprox as op
from orthoprox.estimators import table

Matrix = np.ndarray[Any, Any]
_COMPONENTS = 5  # by default, if there are so many variables to choose


class RowSparseSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """The variables that principal components of a few variables need.

    The components are the columns of X in  max tr(X'CX)  subject to  X'X = I  and at most
    ``n_features`` rows of X that are not zero, with C the covariance matrix: a row is a variable.
    Their choice is that of :class:`orthoprox.SparsePCA` with the penalty "l21" and a number of
    nonzeros: variables that carry least leave, and are exchanged while that gains.

    Parameters
    ----------
    n_features : int or float, optional
        How many variables to choose, or their share if it is a float in (0, 1); half of them by
        default.
    n_components : int, optional
        The number of components for which they are chosen, at most ``n_features``; by default 5,
        or fewer if there are fewer variables or samples.
    center, scale : bool or array of shape (n_features_in_,)
        What to subtract from the variables and to divide them by, as in ``SparsePCA``: with
        ``scale=True`` the choice does not depend on their units. What ``transform`` returns is
        neither centred nor scaled.
    criterion : {"variance", "adjusted"}
        By which variance of the components variables are exchanged.

    Attributes
    ----------
    support_ : array of bool of shape (n_features_in_,)
        Which variables are chosen; ``get_support`` returns it as well.
    components_ : array of shape (n_components, n_features_in_)
        The orthonormal components, zero outside of the support.
    explained_variance_ratio_ : array of shape (n_components,)
        Their shares of the total variance.
    n_features_, n_components_, n_features_in_ : int
    feature_names_in_ : array of str

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from orthoprox import RowSparseSelector
    >>> wine = load_wine(as_frame=True)
    >>> selector = RowSparseSelector(n_features=6, n_components=3, scale=True).fit(wine.data)
    >>> len(selector.get_feature_names_out())
    6
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_features": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0, 1, closed="neither"), None],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "center": ["boolean", "array-like"],
        "scale": ["boolean", "array-like"],
        "criterion": [StrOptions({"variance", "adjusted"})],
    }

    def __init__(
        self,
        n_features: Any = None,
        *,
        n_components: int | None = None,
        center: Any = True,
        scale: Any = False,
        criterion: str = "variance",
    ) -> None:
        self.n_features = n_features
        self.n_components = n_components
        self.center = center
        self.scale = scale
        self.criterion = criterion

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> "RowSparseSelector":
        """Choose variables of a table: dense, sparse or a data frame, one row for each sample."""
        data = table.checked(self, X, samples=2)
        samples, m = data.shape
        number = self._number(m)
        n = min(_COMPONENTS, number, samples) if self.n_components is None else int(self.n_components)
        if n > number:
            raise ValueError(f"n_components={n} is larger than n_features={number}, the variables to choose; ask for fewer.")
        options = {"penalty": "l21", "center": self.center, "scale": self.scale, "criterion": self.criterion}
        fitted = op.SparsePCA(n, n_nonzero=n * number, **options).fit(data)
        self.components_, self.explained_variance_ratio_ = fitted.components_, fitted.explained_variance_ratio_
        self.support_ = self._chosen(np.any(fitted.components_ != 0, axis=0), number)
        self.n_features_, self.n_components_ = number, n
        return self

    def _number(self, m: int) -> int:
        """Return how many of m variables are wanted."""
        if self.n_features is None:
            return max(1, m // 2)
        number = int(self.n_features) if isinstance(self.n_features, Integral) else max(1, round(float(self.n_features) * m))
        if number > m:
            raise ValueError(
                f"n_features={number} is larger than the {m} variable(s) of X, n_features={m}; ask for at most {m}."
            )
        return number

    @staticmethod
    def _chosen(nonzero: Matrix, number: int) -> Matrix:
        """Return the chosen variables: those of the components, and the first of the others where
        a component needs fewer, as with constant columns.
        """
        support = nonzero.copy()
        support[np.flatnonzero(~support)[: number - int(np.sum(support))]] = True
        return support

    def _get_support_mask(self) -> Matrix:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
