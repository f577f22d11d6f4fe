"""Sparse principal components of AnnData, in the conventions of scanpy."""

import sys
from typing import Any

import numpy as np

import orthoprox as op
from orthoprox._arrays import inputs
from orthoprox._arrays.words import shown

_VARIABLE = "highly_variable"


def spca(
    adata: Any,
    n_comps: int | None = None,
    *,
    layer: str | None = None,
    mask_var: Any = "auto",
    key_added: str | None = None,
    copy: bool = False,
    **estimator: Any,
) -> Any:
    """Find sparse orthonormal principal components of cells by genes.

    As ``scanpy.pp.pca``, with :class:`orthoprox.SparsePCA`: a sparse matrix stays sparse, and the
    loadings are orthonormal to machine precision (``pip install "orthoprox[anndata]"``).

    Parameters
    ----------
    adata : anndata.AnnData
        Cells (observations) by genes (variables).
    n_comps : int, optional
        The number of components; 50 by default, or one fewer than the smaller side of the matrix.
    layer : str, optional
        The layer to use instead of ``adata.X``.
    mask_var : str or array of bool of shape (n_vars,), optional
        The genes to use: a column of ``adata.var`` or a mask; None uses all. By default the column
        "highly_variable", if there is one.
    key_added : str, optional
        A name for what is added, instead of those below: ``obsm[key_added]``,
        ``varm[key_added]`` and ``uns[key_added]``.
    copy : bool
        Whether to leave ``adata`` as it is, and to return a copy with the components.
    **estimator
        Parameters of :class:`orthoprox.SparsePCA`, such as ``alpha``, ``n_nonzero`` or ``scale``.

    Returns
    -------
    None or anndata.AnnData
        ``obsm["X_spca"]`` has the scores, ``varm["sPCs"]`` the loadings, zero for genes that are
        not used, and ``uns["spca"]`` a dictionary: "params", "variance", "variance_ratio",
        "adjusted_variance" and "n_nonzero", the last four with a number for each component.

    Examples
    --------
    >>> import anndata, numpy, orthoprox.anndata
    >>> counts = numpy.random.default_rng(0).poisson(1.0, (60, 20))
    >>> cells = anndata.AnnData(counts.astype("float32"))
    >>> orthoprox.anndata.spca(cells, 3, n_nonzero=12)
    >>> cells.obsm["X_spca"].shape, cells.varm["sPCs"].shape
    ((60, 3), (20, 3))
    """
    adata = _checked(adata)
    mask, used = _mask(adata, mask_var)
    values = _values(adata, layer)[:, mask]
    most = max(1, min(values.shape) - 1)
    number = min(50, most) if n_comps is None else inputs.integer(n_comps, "n_comps")
    fitted = op.SparsePCA(number, **estimator).fit(values)
    loadings = np.zeros((adata.n_vars, number), dtype=fitted.components_.dtype)
    loadings[mask] = fitted.components_.T
    scores, varm, uns = (key_added,) * 3 if key_added is not None else ("X_spca", "sPCs", "spca")
    target = adata.copy() if copy else adata
    target.obsm[scores] = fitted.transform(values)
    target.varm[varm] = loadings
    target.uns[uns] = {
        "params": _plain({"layer": layer, "mask_var": used, "n_comps": number} | estimator),
        "variance": fitted.explained_variance_,
        "variance_ratio": fitted.explained_variance_ratio_,
        "adjusted_variance": fitted.adjusted_variance_,
        "n_nonzero": fitted.n_nonzero_,
    }
    return target if copy else None


def _checked(adata: Any) -> Any:
    kind = getattr(sys.modules.get("anndata"), "AnnData", None)  # whoever has such an object has imported it
    if kind is None or not isinstance(adata, kind):
        raise TypeError(f"adata is {shown(adata)}; it needs an anndata.AnnData, use orthoprox.SparsePCA for other tables.")
    if adata.isbacked:
        raise ValueError("adata is backed by a file; read it first: adata = adata.to_memory().")
    return adata


def _values(adata: Any, layer: str | None) -> Any:
    if layer is None:
        if adata.X is None:
            raise ValueError("adata.X is None; name a layer, as in spca(adata, layer=...).")
        return adata.X
    if layer not in adata.layers:
        raise ValueError(f"layer is {layer!r}; adata has {_listed(adata.layers)}.")
    return adata.layers[layer]


def _mask(adata: Any, mask_var: Any) -> tuple[Any, str | None]:
    """Return a mask of the genes that are used, and its name."""
    if isinstance(mask_var, str) and mask_var == "auto":
        mask_var = _VARIABLE if _VARIABLE in adata.var else None
    if mask_var is None:
        return np.ones(adata.n_vars, dtype=bool), None
    name = mask_var if isinstance(mask_var, str) else None
    if name is not None and name not in adata.var:
        raise ValueError(f"mask_var is {name!r}; adata.var has {_listed(adata.var.columns)}.")
    mask = np.asarray(adata.var[name] if name is not None else mask_var)
    if mask.dtype != bool or mask.shape != (adata.n_vars,):
        raise ValueError(
            f"mask_var has dtype {mask.dtype} and shape {mask.shape}; it needs True or False for each of {adata.n_vars} genes."
        )
    if not np.any(mask):
        raise ValueError("mask_var is False for all genes; it needs some to use, pass None for all.")
    return mask, name or "mask"


def _listed(names: Any) -> str:
    return ", ".join(repr(str(name)) for name in names) or "none"


def _plain(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as a file of anndata can hold them."""
    kept = (str, bool, int, float, list, np.ndarray)
    return {name: value if isinstance(value, kept) else str(value) for name, value in parameters.items() if value is not None}
