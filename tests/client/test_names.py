"""Under which name somebody sits down who has not said one."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from genial.cli import common


@pytest.fixture(autouse=True)
def nobody_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("genial.client.places.settings_path", lambda: tmp_path / "settings.toml")


def asked(typed: str) -> tuple[str, str]:
    """What the prompt shows, and the name that comes of it."""

    @click.command()
    def prompt() -> None:
        name, chosen = common.player_name(None, may_ask=True)
        click.echo(f"\n{name} {chosen}")

    shown = CliRunner().invoke(prompt, input=typed).output
    return shown.split("\n")[0], shown.rstrip().split("\n")[-1]


@pytest.mark.parametrize("system", ["root", "admin", "ubuntu", "pi", ""])
def test_a_user_of_the_systems_own_is_not_suggested(
    monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: system)
    prompt, name = asked("\n")
    assert prompt.strip() == "Your name:"
    assert name == "Player False"
    assert common.player_name(None, may_ask=False) == ("Player", False)


def test_a_persons_own_name_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "lena")
    prompt, name = asked("\n")
    assert prompt.strip() == "Your name [Lena]:"
    assert name == "Lena False"


def test_what_is_typed_is_taken_whoever_the_system_knows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "root")
    assert asked("Eva\n")[1] == "Eva False"
