"""The notebooks run, and what they assert holds."""

import pathlib

import nbclient
import nbformat
import pytest

NOTEBOOKS = sorted((pathlib.Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    if "run.view(" in path.read_text(encoding="utf-8"):
        shown = [o["data"].get("text/html", "") for c in notebook.cells for o in c.get("outputs", []) if "data" in o]
        assert any(html.startswith("<iframe srcdoc=") for html in shown), "the page is shown in the notebook"
