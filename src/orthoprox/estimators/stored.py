"""A fitted estimator as a file."""

from os import PathLike, fspath
from typing import Any, TypeVar

import numpy as np

from orthoprox._run.stored import packed, unpacked
from orthoprox.files.archive import read, write
from orthoprox.streams.moments import Moments

KIND = "SparsePCA"
T = TypeVar("T")
_ARRAYS = (
    "components_",
    "explained_variance_",
    "explained_variance_ratio_",
    "adjusted_variance_",
    "mean_",
    "scale_",
    "n_nonzero_",
)
_NUMBERS = "n_components_", "n_iter_", "n_samples_seen_", "n_features_in_"
_OUTPUT = "_sklearn_output_config"  # what set_output has chosen


def save(estimator: Any, path: Any) -> None:
    """Write the parameters, the fitted attributes and the result."""
    header, arrays = packed(estimator.result_)
    arrays = {f"result.{name}": array for name, array in arrays.items()}
    arrays |= {name: getattr(estimator, name) for name in _ARRAYS}
    names = getattr(estimator, "feature_names_in_", None)
    moments = estimator._moments
    if moments is not None:
        arrays |= {"moments.mean": moments.mean, "moments.scatter": moments.scatter}
    about = {
        "parameters": {name: _plain(value, name) for name, value in estimator.get_params(deep=False).items()},
        **{name: _plain(getattr(estimator, name), name) for name in _NUMBERS},
        "feature_names_in_": None if names is None else [str(name) for name in names],
        "count": None if moments is None else moments.count,
        "output": getattr(estimator, _OUTPUT, None),
        "result": header,
    }
    write(path, KIND, about, arrays)


def load(kind: type[T], path: Any) -> T:
    """Return the estimator that was written."""
    about, arrays = read(path, KIND)
    try:
        return _loaded(kind, about, arrays)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{str(path)!r} lacks a part of a SparsePCA, {error!r}; write it again.") from error


def _loaded(kind: type[T], about: dict[str, Any], arrays: dict[str, Any]) -> T:
    parameters = {name: _unpacked(value) for name, value in about["parameters"].items()}
    estimator: Any = kind(**parameters)
    for name in _ARRAYS:
        setattr(estimator, name, arrays[name])
    for name in _NUMBERS:
        setattr(estimator, name, about[name])
    if about["feature_names_in_"] is not None:
        estimator.feature_names_in_ = np.array(about["feature_names_in_"], dtype=object)
    inner = {name.removeprefix("result."): array for name, array in arrays.items() if name.startswith("result.")}
    estimator.result_ = unpacked(about["result"], inner)
    if about.get("output") is not None:
        setattr(estimator, _OUTPUT, about["output"])
    estimator._moments = None
    if about["count"] is not None:
        mean, scatter = arrays["moments.mean"], arrays["moments.scatter"]
        estimator._moments = Moments(len(mean), count=about["count"], mean=mean, scatter=scatter)
    loaded: T = estimator
    return loaded


def _plain(value: Any, name: str) -> Any:
    """Return a parameter as JSON has it."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(entry, name) for entry in value]
    array = np.asarray(value) if hasattr(value, "__array__") else None  # a vector, such as a column of a table
    if array is not None and array.dtype.kind in "biuf":
        return {"array": array.tolist()}
    raise TypeError(
        f"{name} is a {type(value).__name__}, which a file cannot hold; "
        f"call set_params({name}=...) with a name or a number first, or use joblib."
    )


def _unpacked(value: Any) -> Any:
    return np.array(value["array"]) if isinstance(value, dict) else value
