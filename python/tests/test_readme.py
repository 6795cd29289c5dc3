"""What a newcomer reads first runs as it stands."""

import pathlib
import re

README = pathlib.Path(__file__).parents[1] / "README.md"


def test_the_blocks_of_the_readme_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 3
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(README), "exec"), names)
    assert names["solution"].reactions.round(12).tolist() == [[1.0, -0.5, 0.0]]
    assert names["solution"].velocities.round(12).tolist() == [[0.0, 1.5, 0.0]]
    assert repr(names["solution"]).startswith("<Solution of 1 contacts: converged, relative residual")
    assert names["picture"].png.startswith(b"\x89PNG") and "pixels" in repr(names["picture"])
