"""The command line in the person's language: help and failures, but never what programs read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.processes import genial, keep_settings

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
    keep_settings(tmp_path, 'language = "de"')
    done = await genial("hosts", "--wait", "0", home=tmp_path, variables=ENGLISH)
    assert done.out.startswith("In diesem Netz wurde kein Gastgeber gefunden.")
    keep_settings(tmp_path, "language = [[[")
    done = await genial("hosts", "--wait", "0", home=tmp_path, variables=ENGLISH)
    assert done.out.startswith("No host was found on this network.")


@pytest.mark.parametrize(
    "command",
    [
        *("", "play", "join", "watch", "learn", "replay", "record"),
        *("host", "backup", "restore", "bot", "arena", "bundle"),
    ],
)
async def test_help_is_translated_whole(command: str, tmp_path: Path) -> None:
    words = [command] if command else []
    english = (await genial(*words, "--help", home=tmp_path, variables=ENGLISH)).out
    german = (await genial(*words, "--help", home=tmp_path, variables=GERMAN)).out
    assert german.startswith(f"Aufruf: genial {command}".rstrip())
    assert "Optionen:" in german
    known = {line.strip() for line in english.splitlines() if len(line.split()) > 4}
    # What a program reads; it is said as it is.
    known = {line for line in known if not line.startswith("genial host ready")}
    left = {line for line in known if line in {each.strip() for each in german.splitlines()}}
    assert not left


@pytest.mark.parametrize(
    ("words", "german", "spanish"),
    [
        ("join --fingerprit 1", "Meintest du '--fingerprint'?", "¿Querías decir '--fingerprint'?"),
        ("tables", "Es fehlt das Argument 'ADDRESS'.", "Falta el argumento 'ADDRESS'."),
        ("tables a b c", "Argumente sind zu viel (b c).", "Sobran argumentos (b c)."),
        ("play --players x", "'x' ist hier keine gültige Zahl.", "'x' no es un número"),
        ("play --mode x", "'x' ist keins von 'free'", "'x' no es ninguno de 'free'"),
        (
            "host --port 70000",
            "70000 liegt nicht in den Grenzen",
            "70000 no está entre los límites",
        ),
        ("host --services x", "den Dienst 'x' gibt es nicht", "no existe el servicio 'x'"),
        ("record x", "Es gibt keinen Befehl 'x'", "No hay ninguna orden 'x'"),
    ],
)
async def test_wrong_usage_is_refused_in_the_language(
    words: str, german: str, spanish: str, tmp_path: Path
) -> None:
    for variables, said in ((GERMAN, german), (SPANISH, spanish)):
        done = await genial(*words.split(), home=tmp_path, variables=variables)
        assert (done.code, done.out) == (2, "")
        assert said in done.err


async def test_the_option_counts_for_what_is_wrong_after_it(tmp_path: Path) -> None:
    done = await genial(
        *("play", "--language", "de", "--players", "x"), home=tmp_path, variables=ENGLISH
    )
    assert "Ungültiger Wert für '--players'" in done.err
    assert "Versuche: genial play --help" in done.err


async def test_what_programs_read_is_never_translated(tmp_path: Path) -> None:
    found = await genial("hosts", "--json", "--wait", "0", home=tmp_path, variables=GERMAN)
    assert json.loads(found.out) == []
    doctor = await genial("doctor", "--json", home=tmp_path, variables=GERMAN)
    english = await genial("doctor", "--json", home=tmp_path, variables=ENGLISH)
    assert [each["check"] for each in doctor.document] == [
        each["check"] for each in english.document
    ]
    assert not any("Netz" in each["what"] for each in doctor.document)
