from pathlib import Path

import pytest

from sbgd.errors import InputError
from sbgd.models import TrainedModel, load_model, save_model
from sbgd.models.bundled import bundled_models, find_model


def test_a_model_folder_is_found_by_its_path(trained: TrainedModel, tmp_path: Path) -> None:
    save_model(tmp_path, trained)
    assert find_model(str(tmp_path)) == tmp_path


def test_every_bundled_model_is_found_by_its_name_and_loads() -> None:
    for name, folder in bundled_models().items():
        assert find_model(name) == folder
        assert load_model(folder).quotients


def test_a_path_wins_over_a_name(trained: TrainedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_model(tmp_path / "cora", trained)
    monkeypatch.chdir(tmp_path)
    assert find_model("cora") == Path("cora")


def test_a_file_is_refused_with_the_folder_to_give(tmp_path: Path) -> None:
    (tmp_path / "last.ckpt").write_bytes(b"")
    with pytest.raises(InputError, match=r"got the file .*last.ckpt; give the folder that holds model.json"):
        find_model(str(tmp_path / "last.ckpt"))


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"got no model.json in .*; has its training finished\?"):
        find_model(str(tmp_path))


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(InputError, match="got 'unheard_of'"):
        find_model("unheard_of")
