"""PyTorch's first file format, read without it: the same tensors, and nothing that is not a tensor."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from groundswell.perception.checkpoints import read_tensors


def test_tensors_are_those_that_torch_wrote(tmp_path):
    torch = pytest.importorskip("torch", reason="pip install 'groundswell[papers]'")
    whole = torch.arange(24, dtype=torch.float32).reshape(4, 6)
    saved = {"whole": whole, "turned": whole.T, "part": whole[1:, 2:4], "count": torch.tensor(7)}
    path = tmp_path / "old.pth"
    torch.save(saved, path, _use_new_zipfile_serialization=False)
    read = read_tensors(path.read_bytes())
    assert read.keys() == saved.keys()
    for name, tensor in saved.items():
        assert np.array_equal(read[name], tensor.numpy())


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 a newer file", pickle.dumps(1) * 5])
def test_other_files_are_refused(data):
    with pytest.raises(ValueError, match="no checkpoint of the old format"):
        read_tensors(data)


class Planted:
    """What a hostile file would run when it is loaded."""

    def __reduce__(self):
        return print, ("loaded",)


def test_a_file_that_wants_to_run_code_is_refused_and_runs_nothing(capsys):
    data = b"".join(pickle.dumps(value, 2) for value in (0x1950A86A20F9469CFC6C, 1001, {}, Planted(), []))
    with pytest.raises(ValueError, match=r"wants .*print, which is not a tensor"):
        read_tensors(data)
    assert capsys.readouterr().out == ""
