"""What this version does not have says so."""
import pytest

import adcompiler as ad


def test_a_name_of_a_later_version_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(ad._LATER, "something", "this and that")
    for name in ad._LATER:
        with pytest.raises(AttributeError, match="this version is without"):
            getattr(ad, name)


def test_an_unknown_name_is_an_ordinary_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        ad.nonsense  # noqa: B018
