"""Third derivatives against closed forms, in a pairing of modes for each; `python -m tests.programs.third_order` has all."""
import pytest

from tests.programs.third_order import FORMS, PAIRINGS, assert_third, by_parts


@pytest.mark.parametrize("k", range(len(FORMS)), ids=lambda k: f"{FORMS[k][0].__name__}-{PAIRINGS[k % 8]}")
def test_third_derivatives(k):
    assert_third(*FORMS[k], PAIRINGS[k % 8])


@pytest.mark.parametrize("pairing", ["rff", "frf", "rrf"])
def test_adjoints_that_are_found_by_identity_have_tangents_along_each_direction(pairing):
    f, x, wanted = next(form for form in FORMS if form[0] is by_parts)
    assert_third(f, x, wanted, pairing)
