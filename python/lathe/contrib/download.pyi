"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheOSError as LatheOSError
from lathe.error import LatheValueError as LatheValueError

def cache_folder() -> Any:
    """The folder of downloaded files: downloads in $LATHE_DOWNLOADS, else in ~/.cache/lathe.

    Example:
        >>> from lathe.contrib import download
        >>> download.cache_folder().name
        'downloads'
    """

def check(path: Any, checksum: Any) -> Any:
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

def download(url: Any, path: Any, overwrite: Any = ..., size_compare: Any = ..., retries: Any = ..., checksum: Any = ..., network: Any = ...) -> Any:
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

def download_testdata(url: Any, relpath: Any, module: Any = ..., overwrite: Any = ..., checksum: Any = ...) -> Any:
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
