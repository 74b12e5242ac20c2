"""Types in words: what `types=` accepts, what annotations say, and that descriptions are those of the data."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from adcompiler import UnsupportedSyntaxError
from adcompiler.frontend.signature import describe
from adcompiler.report.type_text import from_annotation, parse_types, type_text


class Pair(NamedTuple):
    left: float
    right: "float64[:]"  # noqa: F821


@dataclass
class Layer:
    weights: "float64[:, :]"  # noqa: F821
    width: int


WORDS = {
    "float": 1.0,
    "int": 2,
    "complex": 1j,
    "float64": np.float64(1.0),
    "float32": np.float32(1.0),
    "float64[:]": np.ones(3),
    "float32[:, :]": np.ones((2, 3), np.float32),
    "int64[:]": np.arange(3),
    "complex128[:]": np.ones(2, complex),
    "bool[:]": np.ones(2, bool),
    "np.float64[:]": np.ones(3),
    "float64[()]": np.array(1.0),
    "True": True,
    "None": None,
    "'mean'": "mean",
    "(float64[:], int)": (np.ones(2), 3),
    "(float,)": (1.0,),
    "[float, float]": [1.0, 2.0],
    "[float64[:], int]": [np.ones(2), 1],
    "{'w': float64[:, :], 'b': float}": {"w": np.ones((2, 2)), "b": 0.0},
}


@pytest.mark.parametrize("words", WORDS)
def test_words_describe_what_data_would(words):
    assert parse_types(f"x={words}") == {"x": describe(WORDS[words])}


def test_several_parameters_keep_their_order():
    assert list(parse_types("b=int, a=(float, int), c=float64[:,:]")) == ["b", "a", "c"]


@pytest.mark.parametrize(
    "text", ["x", "x=", "x=float64[3]", "x=float64[:", "x=float65", "x=float64[:](2)", "**x", "x=y", "x=float) + (1"]
)
def test_other_text_is_refused_with_an_example(text):
    with pytest.raises(UnsupportedSyntaxError) as caught:
        parse_types(text)
    assert "float64[:, :]" in caught.value.hint


def test_a_bool_needs_its_value():
    with pytest.raises(UnsupportedSyntaxError, match="by the value of a bool"):
        parse_types("flag=bool")


@pytest.mark.parametrize(
    "annotation, value",
    [
        (float, 1.0),
        ("float", 1.0),
        (int, 1),
        (np.float32, np.float32(1.0)),
        ("float64[:, :]", np.ones((2, 2))),
        (None, None),
        (tuple[float, int], (1.0, 2)),
        (list[float], [1.0, 2.0]),
        ("list[float]", [1.0]),
        (Pair, Pair(1.0, np.ones(2))),
        ("Pair", Pair(1.0, np.ones(2))),
        (Layer, Layer(np.ones((2, 3)), 3)),
    ],
)
def test_annotations(annotation, value):
    assert from_annotation(annotation, globals()) == describe(value)


@pytest.mark.parametrize(
    "annotation", [np.ndarray, "np.ndarray", npt.NDArray[np.float64], "npt.NDArray[np.float64]", npt.ArrayLike]
)
def test_arrays_without_a_rank_leave_it_open(annotation):
    found = from_annotation(annotation, globals())
    assert (
        found is None if annotation is npt.ArrayLike else (found.type.dtype, found.type.rank) == (np.dtype(float), None)
    )


@pytest.mark.parametrize(
    "annotation", [bool, "bool", str, "str", "Missing", "not python (", "print('no')", "float64[3]", dict[str, float]]
)
def test_annotations_that_decide_nothing(annotation):
    assert from_annotation(annotation, globals()) is None


def test_an_open_scalar_type_counts_as_float64():
    assert from_annotation(npt.NDArray[np.floating], {}).type.dtype == np.dtype(float)


@pytest.mark.parametrize(
    "value, text",
    [
        (Pair(1.0, np.ones(2)), "Pair(left=float, right=float64[:])"),
        (Layer(np.ones((2, 3)), 3), "Layer(weights=float64[:, :], width=int)"),
        ([np.ones(2)] * 3, "[float64[:], ...]"),
        ((1.0,), "(float,)"),
        ({"a": 1}, "{'a': int}"),
        (np.sin, "sin"),
        (True, "True"),
    ],
)
def test_text_of_descriptions(value, text):
    assert type_text(describe(value)) == text
