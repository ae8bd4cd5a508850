"""Files by path or address, in a cache folder, with checksums."""

import hashlib
import os
import pathlib
import shutil
import tempfile
import urllib.parse
import urllib.request

from ..error import LatheOSError, LatheValueError

_KINDS = ("md5", "sha1", "sha256", "sha512")


def cache_folder():
    """The folder of downloaded files: downloads in $LATHE_DOWNLOADS, else in ~/.cache/lathe.

    Example:
        >>> from lathe.contrib import download
        >>> download.cache_folder().name
        'downloads'
    """
    root = os.environ.get("LATHE_DOWNLOADS")
    if root:
        return pathlib.Path(root) / "downloads"
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(home) / "lathe" / "downloads"


def _local(url):
    """The path that an address of a local file, or a path, stands for; None for other addresses."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme == "file":
        if parts.netloc not in ("", "localhost"):
            raise LatheValueError("this address names a file of another machine",
                                  "download-address", f"found: {url}\nhelp: file:///the/path")
        return pathlib.Path(urllib.request.url2pathname(parts.path))
    if parts.scheme in ("http", "https"):
        return None
    if len(parts.scheme) > 1:
        raise LatheValueError("this kind of address is not supported", "download-address",
                              f"expected: a path, file://, http:// or https://\nfound: {url}")
    return pathlib.Path(url)


def check(path, checksum):
    """Raises unless the file has the checksum "sha256:...", "md5:...", or 64 digits of SHA-256.

    Raises:
        LatheValueError: `download-checksum`.

    Example:
        >>> import pathlib, tempfile
        >>> from lathe.contrib import download
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "empty"
        ...     _ = path.write_bytes(b"")
        ...     download.check(path, "md5:d41d8cd98f00b204e9800998ecf8427e")
    """
    kind, _, wanted = str(checksum).rpartition(":")
    kind = kind or "sha256"
    if kind not in _KINDS:
        raise LatheValueError("this kind of checksum is not known", "download-checksum",
                              f"expected: {', '.join(_KINDS)}\nfound: {kind}")
    digest = hashlib.new(kind, usedforsecurity=False)
    with open(os.fspath(path), "rb") as file:  # a number would be an open file's, which it closes
        for part in iter(lambda: file.read(1 << 20), b""):
            digest.update(part)
    if digest.hexdigest() != wanted.lower():
        raise LatheValueError("a file does not have its checksum", "download-checksum",
                              f"expected: {wanted.lower()}\nfound: {digest.hexdigest()}\n"
                              f"help: the file is {path}")


def download(url, path, overwrite=False, size_compare=False, retries=3, checksum=None,
             network=True):
    """Gets a file.

    A path or `file://` address is copied. Of `http://` and `https://`, each call downloads only if the
    file is not there: nothing else of lathe uses the network.

    Args:
        url: where the file is: a path, or an address.
        path: where it shall be.
        overwrite: also if there is a file already?
        size_compare: without effect; `checksum` is certain.
        retries: how often a download is tried.
        checksum: what `check` takes; a file that does not have it is removed.
        network: may `http://` and `https://` be used?

    Raises:
        LatheError: `download-checksum`, `download-address`, `download-network`; `download-failed`,
            also an OSError.

    Example:
        >>> import pathlib, tempfile
        >>> from lathe.contrib.download import download
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     source = pathlib.Path(folder) / "a"
        ...     _ = source.write_bytes(b"weights")
        ...     download(source.as_uri(), f"{folder}/b")
        ...     (pathlib.Path(folder) / "b").read_bytes()
        b'weights'
    """
    target = pathlib.Path(path)
    if target.is_file() and not overwrite:
        if checksum is not None:
            check(target, checksum)
        return
    local = _local(str(url))
    if local is None and not network:
        raise LatheValueError("this file would have to be downloaded", "download-network",
                              f"found: {url}\nhelp: get it by yourself and give its path, or set "
                              "LATHE_DOWNLOAD=1")
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=target.name + ".")
    os.close(handle)
    try:
        _fetch(str(url), local, temporary, int(retries))
        if checksum is not None:
            check(temporary, checksum)
        os.replace(temporary, target)
    except BaseException:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise


def _fetch(url, local, target, retries):
    for left in reversed(range(max(retries, 1))):
        try:
            if local is not None:
                shutil.copyfile(local, target)
            else:
                with urllib.request.urlopen(url, timeout=60) as source, open(target, "wb") as file:
                    shutil.copyfileobj(source, file)
            return
        except OSError as error:
            if local is None and left:
                continue
            raise LatheOSError("a file could not be got", "download-failed",
                               f"found: {error}\nhelp: the file is {url}") from None


def download_testdata(url, relpath, module=None, overwrite=False, checksum=None):
    """The path of a file of tests and examples.

    A local path or `file://` address is taken as it is. Others are kept in `cache_folder()`; they are
    downloaded only if the environment variable LATHE_DOWNLOAD is 1.

    Args:
        url: where the file is.
        relpath: its name in the cache.
        module: the folder within the cache: a name, or a list of names.
        overwrite: also if the cache has it already?
        checksum: what `check` takes.

    Returns:
        The path, a str.

    Raises:
        LatheError: `download-network`: it would have to be downloaded, and LATHE_DOWNLOAD is not 1;
            as `download`.

    Example:
        >>> import tempfile
        >>> from lathe.contrib.download import download_testdata
        >>> with tempfile.NamedTemporaryFile() as file:
        ...     download_testdata(file.name, "weights.bin") == file.name
        True
    """
    local = _local(str(url))
    if local is not None:
        if not local.is_file():
            raise LatheOSError("there is no such file", "download-failed", f"found: {local}")
        if checksum is not None:
            check(local, checksum)
        return str(local)
    folders = [module] if isinstance(module, str) else list(module or [])
    target = cache_folder().joinpath(*folders, relpath)
    if not target.resolve().is_relative_to(cache_folder().resolve()):
        raise LatheValueError("this name leaves the folder of the cache", "download-address",
                              f"found: {relpath}")
    download(url, target, overwrite, checksum=checksum,
             network=os.environ.get("LATHE_DOWNLOAD") == "1")
    return str(target)
