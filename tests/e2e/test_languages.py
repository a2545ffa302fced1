"""The command line in the person's language: help and failures, but never what programs read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.processes import genial

SPANISH = {"LC_ALL": "es_ES.UTF-8"}
GERMAN = {"LC_ALL": "de_DE.UTF-8"}
ENGLISH = {"LC_ALL": "C.UTF-8"}


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        (SPANISH, "no existe tal archivo"),
        (GERMAN, "es gibt keine solche Datei"),
        (ENGLISH, "there is no such file"),
        ({"GENIAL_LANGUAGE": "es", **GERMAN}, "no existe tal archivo"),
    ],
)
async def test_failures_come_in_the_language(
    variables: dict[str, str], said: str, tmp_path: Path
) -> None:
    for command in (("replay", "nothing.jsonl"), ("review", "nothing.jsonl")):
        done = await genial(*command, home=tmp_path, variables=variables)
        assert (done.code, done.out) == (1, "")
        assert said in done.err


async def test_the_settings_say_it_too(tmp_path: Path) -> None:
    folder = tmp_path / ".config" / "genial"
    folder.mkdir(parents=True)
    (folder / "settings.toml").write_text('language = "de"\n')
    done = await genial("hosts", "--wait", "0", home=tmp_path, variables=ENGLISH)
    assert done.out.startswith("In diesem Netz wurde kein Gastgeber gefunden.")
    (folder / "settings.toml").write_text("language = [[[\n")
    done = await genial("hosts", "--wait", "0", home=tmp_path, variables=ENGLISH)
    assert done.out.startswith("No host was found on this network.")


@pytest.mark.parametrize("command", ["", "play", "join", "watch", "learn", "replay", "record"])
async def test_help_is_translated_whole(command: str, tmp_path: Path) -> None:
    words = [command] if command else []
    english = (await genial(*words, "--help", home=tmp_path, variables=ENGLISH)).out
    german = (await genial(*words, "--help", home=tmp_path, variables=GERMAN)).out
    assert german.startswith(f"Aufruf: genial {command}".rstrip())
    assert "Optionen:" in german
    known = {line.strip() for line in english.splitlines() if len(line.split()) > 4}
    left = {line for line in known if line in {each.strip() for each in german.splitlines()}}
    assert not left


async def test_what_programs_read_is_never_translated(tmp_path: Path) -> None:
    found = await genial("hosts", "--json", "--wait", "0", home=tmp_path, variables=GERMAN)
    assert json.loads(found.out) == []
    doctor = await genial("doctor", "--json", home=tmp_path, variables=GERMAN)
    english = await genial("doctor", "--json", home=tmp_path, variables=ENGLISH)
    assert [each["check"] for each in doctor.document] == [
        each["check"] for each in english.document
    ]
    assert not any("Netz" in each["what"] for each in doctor.document)
