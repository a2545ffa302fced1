"""Installs Genial from this bundle, offline: python3 THIS [FOLDER]

In a bundle this file is `__main__.py`, so that Python runs the folder or the zip as it is. It needs
Python 3.11 or newer and nothing else: no internet, no pip.
"""

import platform
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path


def main() -> int:
    """Makes a virtual environment of its own and puts everything into it."""
    # Older ones are what this is for: it runs before anything is installed.
    if sys.version_info < (3, 11):  # noqa: UP036
        print(f"Genial needs Python 3.11 or newer, and this is {sys.version.split()[0]}.")
        return 1
    bundle = Path(__file__).resolve().parent
    home = Path(sys.argv[1]) if len(sys.argv) > 1 else Path.home() / "genial-lan"
    with tempfile.TemporaryDirectory() as scratch:
        if bundle.is_file():
            with zipfile.ZipFile(bundle) as archive:
                archive.extractall(scratch)
            bundle = Path(scratch)
        wheels = bundle / "wheels"
        good_for = (bundle / "good-for.txt").read_text("utf-8")
        print(f"Installing Genial into {home} ...", flush=True)
        venv.create(home, clear=home.exists() and (home / "pyvenv.cfg").exists())
        inside = home / ("Scripts" if sys.platform == "win32" else "bin")
        python = inside / ("python.exe" if sys.platform == "win32" else "python")
        # A wheel is a zip, and Python runs what is in one: so pip need not be installed.
        pip = next(wheels.glob("pip-*.whl")) / "pip"
        options = ["--no-index", "--find-links", str(wheels), "--disable-pip-version-check"]
        # What pip is set up to do on this laptop (other folders, other indexes) is not for here.
        options.append("--isolated")
        command = [sys.executable, str(pip), "--python", str(python), "install", "--quiet"]
        done = subprocess.run([*command, *options, "genial-lan"], check=False)
    if done.returncode != 0:
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        here = f"{platform.system()} on {platform.machine()} with Python {version}"
        print(f"That did not work on {here}. This bundle is for\n{good_for}", end="")
        return 1
    print(f"Done. Play with: {inside / 'genial'} play")
    return 0


if __name__ == "__main__":
    sys.exit(main())
