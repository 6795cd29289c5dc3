"""A sweep of the command `delassus sweep`, its members run wherever processes run."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .errors import RunError

#: Quoted words of a scene: names of files are among them.
_QUOTED = re.compile(r"\"([^\"\n]+)\"|'([^'\n]+)'")


class Plan:
    """What `plan.json` says, and what has come of it so far."""

    def __init__(self, place: str | os.PathLike[str], scene: str | os.PathLike[str] | None) -> None:
        place = Path(place)
        self.file = place if place.suffix == ".json" else place / "plan.json"
        self.folder = self.file.parent
        try:
            self.data = json.loads(self.file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise RunError(f"{self.file}: there is no plan; delassus sweep SCENE --over KEY=VALUES --plan writes one") from None
        except (OSError, ValueError) as error:
            raise RunError(f"{self.file} cannot be read: {error}") from None
        if not isinstance(self.data, dict) or self.data.get("format") != "delassus-sweep" or self.data.get("version") != 1:
            raise RunError(f"{self.file} is no plan of a sweep: expected \"format\": \"delassus-sweep\", version 1")
        self.scene = os.fspath(scene) if scene is not None else str(self.data["scene"])
        known = os.path.isfile(self.scene)
        if not known and (scene is not None or _is_path(self.scene)):
            raise RunError(f"{self.file} is of the scene {self.scene}, which is not there: give scene=, or work where it was planned")
        self.members: list[dict[str, Any]] = self.data["members"]
        self.beside = Path(self.scene).parent if known else None

    def left(self, again: bool) -> list[dict[str, Any]]:
        """Members of which nothing that answers the plan is known."""
        return [m for m in self.members if not self._known(m, again)]

    def _known(self, member: Mapping[str, Any], again: bool) -> bool:
        try:
            old = json.loads((self.folder / f"{member['name']}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        same = old.get("set") == member["set"] and old.get("variant") == member["variant"]
        told = all(measure in old.get("measures", {}) for measure in self.data["measures"])
        return same and told and not (again and old.get("status") == "failed")

    def task(self, member: Mapping[str, Any], discard: bool) -> dict[str, Any]:
        """All that a worker needs to run a member, also where there is no common disk."""
        words = list(self._words(member)) + (["--discard"] if discard else [])
        named = Path(self.scene).name if self.beside else f"{self.scene}.toml"
        return {"name": named, "text": self.data["text"], "files": self._files(member), "words": words}

    def _words(self, member: Mapping[str, Any]) -> Iterator[str]:
        # The axes come last in what a member sets; one of them makes the sweep of one member.
        change, variant = list(member["set"]), member["variant"]
        only = [axis["key"] for axis in self.data["over"]] == ["variant"]
        yield from ("--over", f"variant={variant}" if only else change.pop())
        for one in change:
            yield from ("--set", one)
        if variant is not None and not only:
            yield from ("--variant", variant)
        for measure in self.data["measures"]:
            yield from ("--measure", measure)

    def _files(self, member: Mapping[str, Any]) -> dict[str, bytes]:
        """Files beside the scene that it names."""
        if self.beside is None:
            return {}
        words = {a or b for text in (self.data["text"], *member["set"]) for a, b in _QUOTED.findall(text)}
        inside = (w for w in sorted(words) if not os.path.isabs(w) and ".." not in Path(w).parts)
        return {w: (self.beside / w).read_bytes() for w in inside if (self.beside / w).is_file()}

    def keep(self, member: Mapping[str, Any], found: Mapping[str, Any]) -> None:
        """What a worker found, the run before its account: a member with an account is done."""
        for end, content in (("h5", found.get("run")), ("json", found.get("account"))):
            if content is not None:
                draft = self.folder / f"{member['name']}.{end}.part"
                draft.write_bytes(content)
                draft.replace(self.folder / f"{member['name']}.{end}")

    def tell(self, options: Sequence[str]) -> list[dict[str, Any]]:
        """The command reads what is known, runs what is left, and writes table and figure; the rows."""
        words = ["sweep", self.scene]
        for axis in self.data["over"]:
            words += ["--over", f"{axis['key']}={','.join(axis['values'])}"]
        axes = [axis["key"] for axis in self.data["over"]]
        first = self.members[0]
        for one in first["set"][: len(first["set"]) - sum(key != "variant" for key in axes)]:
            words += ["--set", one]
        if first["variant"] is not None and "variant" not in axes:
            words += ["--variant", first["variant"]]
        for measure in self.data["measures"]:
            words += ["--measure", measure]
        done = _command([*words, "--output", os.fspath(self.folder), "--quiet", *options], None)
        if done.returncode not in (0, 1):
            raise RunError(f"delassus sweep: {done.stderr.strip() or f'exit code {done.returncode}'}", code=done.returncode)
        with open(self.folder / "table.csv", encoding="utf-8", newline="") as table:
            rows = list(csv.DictReader(table))
        return _numbers(rows)


def run_member(name: str, text: str, files: Mapping[str, bytes], words: Sequence[str]) -> dict[str, Any]:
    """Runs one member in a folder of its own; its account and its run. Nothing where the scene is refused."""
    with tempfile.TemporaryDirectory() as folder:
        for file, content in {name: text.encode(), **files}.items():
            place = Path(folder, file)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        done = _command(["sweep", name, *words, "--output", "member", "--jobs", "1", "--quiet"], folder)
        if done.returncode not in (0, 1, 2):
            raise RunError(f"delassus sweep: {done.stderr.strip() or f'exit code {done.returncode}'}", code=done.returncode)
        found: dict[str, Any] = {}
        for account in Path(folder, "member").glob("*.json"):
            if account.name != "plan.json":
                run = account.with_name(account.name[: -len("json")] + "h5")
                found = {"account": account.read_bytes(), "run": run.read_bytes() if run.exists() else None}
        return found


def _command(words: Sequence[str], folder: str | None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "delassus", *words], capture_output=True, text=True, cwd=folder)


def _is_path(name: str) -> bool:
    return name.endswith(".toml") or os.sep in name


def _numbers(rows: list[dict[str, str]]) -> list[dict[str, Any]]:
    """Columns of numbers as numbers; an empty cell of one is not a number."""
    kinds: dict[str, Any] = {}
    for column in rows[0] if rows else ():
        cells = [row[column] for row in rows if row[column]]
        kinds[column] = next((kind for kind in (int, float) if cells and _all(cells, kind)), None)
    whole = {column: all(row[column] for row in rows) for column in kinds}

    def value(column: str, cell: str) -> Any:
        kind = kinds[column]
        if kind is None:
            return cell
        return kind(cell) if whole[column] else float(cell or "nan")

    return [{column: value(column, cell) for column, cell in row.items()} for row in rows]


def _all(cells: Sequence[str], kind: Any) -> bool:
    try:
        for cell in cells:
            kind(cell)
    except ValueError:
        return False
    return True
