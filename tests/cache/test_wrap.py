"""`wrap`: which verifiers are cached, and where, by argument, environment and default."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import faithmeter
from faithmeter.cache import default_path, notes, open_store, wrap, wrap_extractor
from faithmeter.cache.sqlite import SQLiteStore
from faithmeter.cache.wrapper import Cached, CachedExtractor
from faithmeter.cli import main
from faithmeter.errors import UsageError
from faithmeter.verify.cascade import Cascade, Tier

from .test_wrapper import Splitter, Substring


class Cheap(Substring):
    cheap = True


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for name in ("", "_SEMANTIC_CACHE", "_SEMANTIC_CACHE_THRESHOLD", "_SEMANTIC_CACHE_EMBEDDER"):
        monkeypatch.delenv(f"FAITHMETER{name or '_CACHE'}", raising=False)
    return tmp_path


def test_the_users_cache_folder_by_default(home: Path) -> None:
    cached = wrap(Substring())
    assert isinstance(cached, Cached)
    assert cached.store.location == str(home / "faithmeter" / "verdicts.sqlite") == str(default_path())
    assert cached.semantic is None


def test_a_relative_xdg_folder_is_ignored_as_the_standard_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert default_path() == Path.home() / ".cache" / "faithmeter" / "verdicts.sqlite"


def test_no_cache() -> None:
    verifier = Substring()
    assert wrap(verifier, cache=False) is verifier


@pytest.mark.parametrize("word", ["none", "None", "off", "no", "false", "0", ""])
def test_a_word_that_means_no_cache_is_not_the_name_of_a_file(
    home: Path, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    assert not isinstance(wrap(Substring(), cache=word), Cached)
    check = ["check", "Paris.", "-c", "Paris.", "-v", "lexical", "--cache", word]
    assert CliRunner().invoke(main, check).exit_code == 0
    care = CliRunner().invoke(main, ["cache", "stats", "--cache", word])
    assert (care.exit_code, f"a file of that name is ./{word}" in care.stderr) == (2, True)
    monkeypatch.setenv("FAITHMETER_CACHE", word)
    assert not isinstance(wrap(Substring()), Cached)
    assert not list(home.iterdir())


def test_on_is_the_users_cache_folder_and_a_path_is_always_a_path(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    cached = wrap(Substring(), cache="on")
    assert isinstance(cached, Cached)
    assert cached.store.location == str(default_path())
    for place in ("./none", Path("none")):
        named = wrap(Substring(), cache=place)
        assert isinstance(named, Cached)
        assert named.store.location == str(home / "none")


def test_cheap_verifiers_only_where_a_cache_is_named(tmp_path: Path) -> None:
    cheap = Cheap()
    assert wrap(cheap) is cheap
    assert isinstance(wrap(cheap, cache=tmp_path / "c.sqlite"), Cached)


def test_semantic_hits_may_be_asked_for_with_a_cheap_verifier() -> None:
    assert isinstance(wrap(Cheap(), semantic=0.9), Cached)


def test_a_folder_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for place, file in [("folder", "folder/verdicts.sqlite"), ("deep/c.sqlite", "deep/c.sqlite")]:
        cached = wrap(Substring(), cache=str(tmp_path / place))
        assert isinstance(cached, Cached)
        assert cached.store.location == str(tmp_path / file)
        assert (tmp_path / file).exists()


def test_one_store_for_one_place(tmp_path: Path) -> None:
    assert open_store(tmp_path / "c.sqlite") is open_store(str(tmp_path / "c.sqlite"))


def test_the_environment_names_the_place_or_says_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAITHMETER_CACHE", str(tmp_path / "env.sqlite"))
    cached = wrap(Substring())
    assert isinstance(cached, Cached)
    assert cached.store.location == str(tmp_path / "env.sqlite")
    monkeypatch.setenv("FAITHMETER_CACHE", "off")
    assert isinstance(wrap(Substring()), Substring)
    assert isinstance(wrap(Substring(), cache=True), Cached)
    assert isinstance(wrap(Substring(), cache=":memory:"), Cached)


def test_the_environment_turns_semantic_hits_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAITHMETER_SEMANTIC_CACHE", "on")
    cached = wrap(Substring())
    assert isinstance(cached, Cached)
    assert cached.semantic
    assert cached.semantic.threshold == 0.85
    monkeypatch.setenv("FAITHMETER_SEMANTIC_CACHE_THRESHOLD", "0.95")
    cached = wrap(Substring())
    assert isinstance(cached, Cached)
    assert cached.semantic
    assert cached.semantic.threshold == 0.95
    exact = wrap(Substring(), semantic=False)
    assert isinstance(exact, Cached)
    assert exact.semantic is None


@pytest.mark.parametrize(
    ("name", "value"),
    [("FAITHMETER_SEMANTIC_CACHE", "maybe"), ("FAITHMETER_SEMANTIC_CACHE_THRESHOLD", "high")],
)
def test_nonsense_in_the_environment_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv("FAITHMETER_SEMANTIC_CACHE", "on")
    monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=name):
        wrap(Substring())


def test_an_unknown_kind_of_url_is_refused() -> None:
    with pytest.raises(UsageError, match="redis://"):
        wrap(Substring(), cache="memcached://localhost")


def test_a_store_of_ones_own() -> None:
    store = SQLiteStore(":memory:")
    cached = wrap(Substring(), cache=store, semantic=0.9, refresh=True)
    assert isinstance(cached, Cached)
    assert cached.store is store


def test_extractors_too() -> None:
    splitter = Splitter()
    assert isinstance(wrap_extractor(splitter), CachedExtractor)
    assert wrap_extractor(splitter, cache=False) is splitter


def test_notes_of_all_stores_at_the_end_of_a_run(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    cascade = wrap(Cascade([Tier(Cheap()), Tier(Substring())]), cache=blocked / "c.sqlite")
    (note,) = notes(cascade, wrap_extractor(Splitter(), cache=blocked / "c.sqlite"))
    assert "in memory" in note
    assert notes(Substring(), Splitter()) == []


def test_without_the_redis_package_the_exact_command_is_said() -> None:
    code = """
import sys
sys.modules["redis"] = None
from faithmeter.cache import open_store
from faithmeter.errors import MissingExtra
try:
    open_store("redis://localhost/0")
except MissingExtra as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "pip install 'faithmeter[redis]'" in said


def test_the_embedded_table_is_the_one_on_its_card() -> None:
    folder = Path(faithmeter.__file__).parent / "weights" / "static"
    card = json.loads((folder / "card.json").read_text())
    assert hashlib.sha256((folder / "table.npz").read_bytes()).hexdigest() == card["table_sha256"]
    assert len(card["base_sha256"]) == 64
    assert sum(file.stat().st_size for file in folder.iterdir()) < 4_000_000
