"""Names and chat made harmless."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genial.services.lobby import wording
from genial.wire.errors import GenialError


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("  Ana \t\n Maria ", "Ana Maria"),
        ("A\x1b[31mna", "A[31mna"),
        ("A\x1b]0;title\x07na", "A]0;titlena"),
        ("\u202eanA\u202c", "anA"),
        ("A\u200bn\u200da\ufeff", "Ana"),
        ("\u2066Ana\u2069", "Ana"),
        ("Z\u0300\u0301\u0302\u0303\u0304\u0305algo", "Z\u0300\u0301algo"),
        ("\u0301Ana", "Ana"),
        ("Jose\u0301", "Jos\u00e9"),
        ("Nguy\u1ec5n", "Nguy\u1ec5n"),
        ("\u3164\u2800Ana", "Ana"),
        ("\ue000Ana\U000f0000", "Ana"),
        ("李小龙", "李小龙"),
        ("x" * 100, "x" * wording.NAME_LENGTH),
    ],
)
def test_names_keep_what_can_be_read_and_lose_what_can_do_harm(sent: str, shown: str) -> None:
    assert wording.clean_name(sent) == shown


@pytest.mark.parametrize("sent", ["", "   ", "\u200b\u200d", "\x1b\x07", "\u3164", "\u0301"])
def test_names_without_anything_to_read_are_refused(sent: str) -> None:
    with pytest.raises(GenialError, match="name"):
        wording.clean_name(sent)


@given(st.text())
def test_nothing_that_is_let_through_disturbs_a_line(sent: str) -> None:
    text = wording.clean(sent, 400, "text")
    assert len(text) <= 400
    assert text == text.strip()
    assert "  " not in text
    for character in text:
        assert character == " " or not character.isspace()
        assert not unicodedata.category(character).startswith("C")
    assert wording.clean(text, 400, "text") == text


def test_a_text_far_too_long_is_refused_and_a_long_chat_too() -> None:
    with pytest.raises(GenialError, match="at most 24"):
        wording.clean_name("x" * 1_000_000)
    with pytest.raises(GenialError, match="at most 400"):
        wording.clean_chat("x" * 401)
    assert wording.clean_chat("x" * 400) == "x" * 400


@given(st.lists(st.sampled_from(["Ana", "ana", "Ana 2", "A" * 24, "Max (bot)"])))
def test_distinct_names_are_distinct_and_short(names: list[str]) -> None:
    given_names: list[str] = []
    for name in names:
        given_names.append(wording.distinct(name, given_names))
    assert len({name.casefold() for name in given_names}) == len(names)
    assert all(len(name) <= wording.NAME_LENGTH for name in given_names)


def test_bots_have_names_of_their_own_however_many_there_are() -> None:
    taken: list[str] = []
    for start in range(60):
        taken.append(wording.bot_name(taken, start * 7))
    assert len(set(taken)) == 60


def test_a_stand_in_is_called_after_whom_it_plays_for() -> None:
    assert wording.stand_in_name("Ana", []) == "Ana (bot)"
    assert wording.stand_in_name("A" * 24, []) == "A" * 18 + " (bot)"


def test_passwords_are_kept_salted_and_compared() -> None:
    one, other = wording.hash_password("sésame"), wording.hash_password("sésame")
    assert one != other
    assert one is not None
    assert "sésame" not in one
    assert wording.is_password("sésame", one)
    assert not wording.is_password("sesame", one)
    assert not wording.is_password("x" * 1000, one)
    assert wording.hash_password("") is None
    assert wording.is_password("whatever", None)
