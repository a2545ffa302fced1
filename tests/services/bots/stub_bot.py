"""A bot process that plays nothing: it writes down what it is told.

    stub_bot.py FILE --stdio | --levels

FILE gets a line for each start (with the process's id) and for each command. A seat of the level
"crash" ends it at once, "fail" is reported as failed, "noise" makes it write rubbish.
"""

import json
import os
import sys


def note(path: str, entry: object) -> None:
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


def report(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    path, how = sys.argv[1:]
    if how == "--levels":
        report(json.dumps([{"level": "medium", "description": "plays well"}]))
        return
    note(path, {"started": os.getpid()})
    print("a word for the log", file=sys.stderr, flush=True)
    report('{"ready": {"protocol": 1}}')
    for line in sys.stdin:
        command = json.loads(line)
        note(path, command)
        seat = command.get("seat")
        if seat is None:
            continue
        if seat["level"] == "crash":
            os._exit(3)
        place = {"table_id": seat["table_id"], "seat": seat["seat"]}
        if seat["level"] == "noise":
            for rubbish in ("not JSON", "[]", "7", '{"done": 7}', "x" * 100_000, "\x1b[31m"):
                report(rubbish)
        report(json.dumps({"seated": place}))
        if seat["level"] == "fail":
            report(json.dumps({"done": {**place, "reason": "failed", "message": "no such level"}}))
    note(path, {"ended": os.getpid()})


if __name__ == "__main__":
    main()
