import json
import stat
import threading
import traceback
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.core.state import State, check_header, header
from typeover.errors import InvalidInputError, StateError

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def example():
    return State(json=header("example", 1) | {"rounds": 7}, arrays={"sums": np.array([1.5, -0.0]), "none": np.zeros(0)})


@pytest.fixture
def saved(tmp_path):
    return example().save(tmp_path / "state.npz")


@given(st.dictionaries(st.text(max_size=5), PLAIN, max_size=4))
def test_plain_values_come_back_as_they_were(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("state") / "state.npz"
    assert State.load(State(json=values).save(path)).json == values


@pytest.mark.parametrize("dtype", ["float64", "int32", "int64", "bool", "uint8"])
@pytest.mark.parametrize("shape", [(0,), (3,), (2, 3), (2, 0, 3), ()])
def test_arrays_come_back_bit_for_bit(tmp_path, dtype, shape):
    array = np.random.default_rng(0).integers(0, 2**8, size=shape).astype(dtype)
    loaded = State.load(State(json={}, arrays={"x": array}).save(tmp_path / "s.npz")).arrays["x"]
    assert (loaded.dtype, loaded.shape, loaded.tobytes()) == (array.dtype, array.shape, array.tobytes())


def test_numbers_that_are_not_finite_come_back(tmp_path):
    array = np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324])
    assert State.load(State(json={}, arrays={"x": array}).save(tmp_path / "s")).arrays["x"].tobytes() == array.tobytes()


def test_saving_gives_the_path_as_it_was_named(tmp_path):
    for name in ("state.npz", "state", "state.typeover"):
        assert example().save(str(tmp_path / name)) == tmp_path / name
        assert State.load(str(tmp_path / name)).json["rounds"] == 7


def test_saving_again_replaces_the_file_and_leaves_nothing_beside_it(saved):
    State(json={"rounds": 8}).save(saved)
    assert State.load(saved).json == {"rounds": 8}
    assert [path.name for path in saved.parent.iterdir()] == ["state.npz"]


def test_objects_are_refused_since_reading_them_could_run_code(tmp_path):
    with pytest.raises(ValueError, match="array 'x' holds Python objects, which cannot be read back safely"):
        State(json={}, arrays={"x": np.array([object()])}).save(tmp_path / "state.npz")


@pytest.mark.parametrize(
    "unwritable", [State(json={"x": object()}), State(json={}, arrays={"x": np.array([object()], dtype=object)})]
)
def test_a_write_that_fails_leaves_the_old_file(saved, unwritable):
    with pytest.raises((TypeError, ValueError)):
        unwritable.save(saved)
    assert State.load(saved).json["rounds"] == 7


def test_a_write_that_breaks_off_leaves_the_old_file(saved, monkeypatch):
    def full_disk(file, **arrays):
        file.write(b"PK half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full_disk)
    with pytest.raises(OSError, match="No space left"):
        State(json={"rounds": 8}).save(saved)
    monkeypatch.undo()
    assert State.load(saved).json["rounds"] == 7
    State(json={"rounds": 9}).save(saved)  # what was left half-written is no obstacle
    assert State.load(saved).json["rounds"] == 9
    assert [path.name for path in saved.parent.iterdir()] == ["state.npz"]


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InvalidInputError, match=r"no file at .*lost\.npz; give the path that State.save returned"):
        State.load(tmp_path / "lost.npz")


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04", b"\x93NUMPY", b"\x00" * 500, b"\x80\x04N."])
def test_a_file_of_something_else_is_refused(tmp_path, content):
    path = tmp_path / "state.npz"
    path.write_bytes(content)
    with pytest.raises(StateError, match=r"state\.npz is no saved Typeover state"):
        State.load(path)


def test_a_single_array_and_an_archive_without_a_header_are_refused(tmp_path):
    np.save(tmp_path / "one.npy", np.zeros(3))
    np.savez(tmp_path / "many.npz", x=np.zeros(3))
    np.savez(tmp_path / "wrong.npz", json=np.zeros(3))
    with zipfile.ZipFile(tmp_path / "plain.zip", "w") as archive:
        archive.writestr("json", "{}")
    for name in ("one.npy", "many.npz", "wrong.npz", "plain.zip"):
        with pytest.raises(StateError, match="is no saved Typeover state"):
            State.load(tmp_path / name)


def test_json_that_is_no_object_is_refused(tmp_path):
    np.savez(tmp_path / "list.npz", json=np.frombuffer(json.dumps([1, 2]).encode(), dtype=np.uint8))
    with pytest.raises(StateError, match="is no saved Typeover state"):
        State.load(tmp_path / "list.npz")


def test_a_file_cut_short_anywhere_is_refused(saved):
    whole = saved.read_bytes()
    for length in range(0, len(whole), 7):
        saved.write_bytes(whole[:length])
        with pytest.raises(StateError):
            State.load(saved)


def test_a_flipped_byte_is_noticed_or_harmless(saved):
    whole, true = saved.read_bytes(), example()
    noticed = 0
    for place in range(len(whole)):
        saved.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            loaded = State.load(saved)
        except StateError:
            noticed += 1
            continue
        assert loaded.json == true.json
        for name, array in loaded.arrays.items():
            assert array.tobytes() == true.arrays[name].tobytes()
    assert noticed > len(whole) / 2


@pytest.mark.parametrize("version", [1, 2])
def test_this_version_and_older_ones_pass(version):
    check_header(header("mixture", version), "mixture", 2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (header("mixture", 3), "typeover.mixture is at version 3, this program reads up to 2; install a newer"),
        (header("run", 1), "format is 'typeover.run'; expected 'typeover.mixture'"),
        ({}, "format is None"),
        ({"format": "typeover.mixture"}, "version is None; it must be a whole number from 1"),
        ({"format": "typeover.mixture", "version": 0}, "version is 0"),
        ({"format": "typeover.mixture", "version": "1"}, "version is '1'"),
    ],
)
def test_another_thing_or_a_newer_version_is_refused(words, message):
    with pytest.raises(StateError, match=message):
        check_header(words, "mixture", 2)


@pytest.mark.parametrize("name", ["json", "file", "allow_pickle"])
def test_names_that_the_file_needs_are_refused(tmp_path, name):
    with pytest.raises(InvalidInputError, match=f"an array is named '{name}'"):
        State(json={}, arrays={name: np.zeros(1)}).save(tmp_path / "state.npz")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["x.npy", 3])
def test_names_that_would_come_back_as_others_are_refused(tmp_path, name):
    with pytest.raises(InvalidInputError, match=r"an array is named .*; use a string that does not end in \.npy"):
        State(json={}, arrays={"x": np.ones(1), name: np.zeros(1)}).save(tmp_path / "state.npz")


def test_of_many_writers_at_once_one_stays_whole(tmp_path):
    path, failures = tmp_path / "state.npz", []

    def write(writer):
        state = State(json={"writer": writer}, arrays={"x": np.full(20_000 * (writer + 1), writer)})
        try:
            for _ in range(15):
                state.save(path)
                loaded = State.load(path)
                assert loaded.arrays["x"].tolist() == [loaded.json["writer"]] * (20_000 * (loaded.json["writer"] + 1))
        except BaseException as error:  # noqa: BLE001  told to the main thread
            failures.append(error)

    writers = [threading.Thread(target=write, args=(i,)) for i in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert failures == []
    assert [found.name for found in tmp_path.iterdir()] == ["state.npz"]


def test_a_saved_file_has_the_rights_of_any_new_file(tmp_path):
    (tmp_path / "plain").touch()
    saved = example().save(tmp_path / "state.npz")
    assert stat.S_IMODE(saved.stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


def test_a_path_that_cannot_be_written_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "file").touch()
    for path, message in [
        (tmp_path, r"path is .*, which is a folder; name a file in it: .*state\.npz"),
        ("", "which is a folder; name a file in it"),
        (tmp_path / "no" / "state.npz", r"path is .*state\.npz, but there is no folder .*no; make that folder first"),
        (tmp_path / "file" / "state.npz", "but there is no folder .*file; make"),
        (tmp_path / ("x" * 300), "which cannot be written .*; name another file"),
        (tmp_path / "a\0b", "it must be the name of a file"),
        (3, "path is 3; it must be the name of a file"),
        (None, "path is None; it must be the name of a file"),
    ]:
        with pytest.raises(InvalidInputError, match=message):
            example().save(path)
    assert [found.name for found in tmp_path.iterdir()] == ["file"]


def test_a_folder_without_permission_is_named(tmp_path, monkeypatch):
    def forbidden(self, *rest):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr("pathlib.Path.open", forbidden)  # the superuser may write anywhere
    with pytest.raises(
        InvalidInputError, match=r"path is .*s\.npz, which cannot be written \(Permission denied\); name"
    ):
        example().save(tmp_path / "s.npz")
    with pytest.raises(InvalidInputError, match=r"path is .*s\.npz, which cannot be read \(Permission denied\); give"):
        State.load(tmp_path / "s.npz")


def test_a_path_that_cannot_be_read_is_refused_in_a_sentence(tmp_path, saved):
    for path, message in [
        (tmp_path, r"path is .*, which is a folder; give the file that State\.save wrote"),
        (saved / "below", "no file at .*below; give the path"),
        ("a\0b", "it must be the name of a file"),
        (None, "path is None; it must be the name of a file"),
    ]:
        with pytest.raises(InvalidInputError, match=message):
            State.load(path)


def test_nobody_is_advised_to_allow_pickle(tmp_path, saved):
    import pickle

    text, pickled, objects = tmp_path / "text", tmp_path / "pickled", tmp_path / "objects.npz"
    text.write_text("hello")
    pickled.write_bytes(pickle.dumps({"x": 1}))
    np.savez(objects, json=np.array([object()]))
    for path in (text, pickled, objects):
        with pytest.raises(StateError, match="is no saved Typeover state") as refusal:
            State.load(path)
        assert "pickle" not in str(refusal.value).replace(str(path), "")
        assert "allow_pickle=" not in "".join(traceback.format_exception(refusal.value))
        assert "\n" not in str(refusal.value)


def test_an_archive_by_numpy_2_0_with_its_stray_array_is_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "old.npz", "w") as archive:
        for name, array in (("json", np.frombuffer(b"{}", dtype=np.uint8)), ("allow_pickle", np.array(False))):
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, array)
    assert State.load(tmp_path / "old.npz").arrays == {}


def test_a_state_is_shown_in_a_line():
    assert repr(example()) == "State(format='typeover.example', version=1, arrays: sums (2,), none (0,))"
    assert repr(State(json={})) == "State(arrays: None)"
