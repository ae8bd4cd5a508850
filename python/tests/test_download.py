"""lathe.contrib.download: local files, checksums, the cache. No test uses a network."""

import hashlib
import pathlib

import pytest

import lathe
from lathe.contrib import download as module
from lathe.contrib.download import download, download_testdata

DATA = b"weights of a model" * 1000


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source file.bin"
    path.write_bytes(DATA)
    return path


def test_local_files(source, tmp_path):
    for number, url in enumerate((str(source), source, source.as_uri())):
        target = tmp_path / "new" / f"{number}.bin"
        download(url, target)
        assert target.read_bytes() == DATA
    target.write_bytes(b"mine")
    download(source, target)
    assert target.read_bytes() == b"mine"
    download(source, target, overwrite=True)
    assert target.read_bytes() == DATA
    assert sorted(p.name for p in target.parent.iterdir()) == ["0.bin", "1.bin", "2.bin"]


def test_checksums(source, tmp_path):
    for kind in ("md5", "sha1", "sha256", "sha512"):
        download(source, tmp_path / kind, checksum=f"{kind}:{hashlib.new(kind, DATA).hexdigest()}")
    good = hashlib.sha256(DATA).hexdigest()
    download(source, tmp_path / "plain", checksum=good.upper())
    for wrong in ("0" * 64, "crc:12"):
        with pytest.raises(lathe.LatheError) as raised:
            download(source, tmp_path / "wrong", checksum=wrong)
        assert raised.value.name == "download-checksum"
    assert not (tmp_path / "wrong").exists() and not list(tmp_path.glob("wrong.*"))
    (tmp_path / "there").write_bytes(b"other")
    with pytest.raises(lathe.LatheError, match="checksum"):
        download(source, tmp_path / "there", checksum=good)


def test_no_surprise_downloads(tmp_path, monkeypatch):
    monkeypatch.delenv("LATHE_DOWNLOAD", raising=False)
    monkeypatch.setenv("LATHE_DOWNLOADS", str(tmp_path))
    with pytest.raises(lathe.LatheError) as raised:
        download_testdata("https://example.invalid/cat.png", "cat.png", module="data")
    assert raised.value.name == "download-network" and "LATHE_DOWNLOAD=1" in str(raised.value)
    place = module.cache_folder() / "data" / "cat.png"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"cat")
    assert download_testdata("https://example.invalid/cat.png", "cat.png", module="data") == \
        str(place)
    with pytest.raises(lathe.LatheError) as raised:
        download_testdata("https://example.invalid/x", "../../x")
    assert raised.value.name == "download-address"


def test_local_testdata(source, tmp_path, monkeypatch):
    monkeypatch.setenv("LATHE_DOWNLOADS", str(tmp_path / "cache"))
    assert download_testdata(str(source), "x.bin") == str(source)
    assert pathlib.Path(download_testdata(source.as_uri(), "x.bin")) == source
    with pytest.raises(OSError) as raised:
        download_testdata(str(tmp_path / "missing"), "x.bin")
    assert raised.value.name == "download-failed"
    for url in ("ftp://example.invalid/x", "file://other.invalid/x"):
        with pytest.raises(lathe.LatheError) as raised:
            download_testdata(url, "x")
        assert raised.value.name == "download-address"


def test_missing_files(tmp_path):
    with pytest.raises(OSError) as raised:
        download(tmp_path / "missing", tmp_path / "x")
    assert raised.value.name == "download-failed" and not (tmp_path / "x").exists()
    with pytest.raises(lathe.LatheError) as raised:
        download("https://example.invalid/x", tmp_path / "x", network=False)
    assert raised.value.name == "download-network"
