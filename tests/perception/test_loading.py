"""Models come once, from where they should, or say how to get them."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from time import sleep

import pytest

from groundswell.errors import UserError
from groundswell.perception.loading import (
    NotInstalled,
    Once,
    need,
    optional,
    packaged_file,
    pinned,
    weights_folder,
)


def test_many_threads_make_a_model_once():
    made = []

    def slowly():
        sleep(0.02)
        made.append(object())
        return made[-1]

    once = Once(slowly)
    with ThreadPoolExecutor(8) as threads:
        got = list(threads.map(lambda _: once(), range(8)))
    assert len(made) == 1
    assert set(got) == set(made)


def test_a_model_that_failed_to_load_is_tried_again():
    answers = [NotInstalled("a-package", "metrics")]

    def make():
        if answers:
            raise answers.pop()
        return "model"

    once = Once(make)
    with pytest.raises(NotInstalled):
        once()
    assert once() == "model"


def test_what_is_not_installed_names_the_command_that_installs_it():
    expected = r"a-package is not installed: pip install 'groundswell\[metrics\]'"
    with pytest.raises(NotInstalled, match=expected):
        need("no_such_module", package="a-package", extra="metrics")
    with pytest.raises(NotInstalled, match=expected):
        packaged_file("no_such_module", "weights.onnx", package="a-package", extra="metrics")
    assert optional("no_such_module") is None


def test_a_packaged_file_is_found_without_running_its_package():
    assert packaged_file("pytest", "__init__.py", package="pytest", extra="test").name == "__init__.py"


def test_weights_are_those_that_were_pinned(tmp_path):
    path = tmp_path / "weights"
    path.write_bytes(b"weights")
    assert pinned(path, sha256(b"weights").hexdigest()) == b"weights"
    with pytest.raises(UserError, match="not the weights that were pinned"):
        pinned(path, sha256(b"other").hexdigest())
    with pytest.raises(UserError, match="check the path"):
        pinned(tmp_path / "absent", "0" * 64)


def test_a_place_that_is_no_folder_and_no_hub_id_is_an_error_that_names_it(monkeypatch):
    pytest.importorskip("huggingface_hub", reason="pip install 'groundswell[papers]'")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UserError, match="/no/such: there is no such folder, and the hub did not give it"):
        weights_folder("/no/such", "0" * 64)


def test_importing_the_packages_imports_no_heavy_module():
    heavy = "{'numpy', 'PIL', 'cv2', 'torch', 'onnxruntime', 'onnx', 'transformers'}"
    code = f"import sys, groundswell.perception, groundswell.measure; print({heavy} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_importing_every_module_loads_no_network():
    code = (
        "import sys\n"
        "from groundswell.measure import stage, standalone, results, checks, keeping, alone\n"
        "print({'cv2', 'torch', 'onnxruntime', 'onnx', 'transformers', 'rapidocr_onnxruntime'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
