"""Downloads that are kept only if their SHA-256 is the expected one."""

from __future__ import annotations

import hashlib
import http.client
import urllib.error
import urllib.request
from pathlib import Path

from sbgd.errors import InputError
from sbgd.formats.files import write_file

TIMEOUT_S = 30


def fetch_verified(url: str, path: Path, sha256: str) -> None:
    """Makes sure that `path` holds the expected bytes, from the network if it does not exist.

    Args:
        url: Where to fetch it, https only.
        path: Where to keep it.
        sha256: Expected digest in hexadecimal.

    Raises:
        InputError: There is no network, or the bytes are others; then nothing is kept.
    """
    if path.exists():
        _check(path.read_bytes(), sha256, f"{path}; delete it to fetch it again")
        return
    data = _fetch(url, path)
    _check(data, sha256, f"{url}; nothing was kept: the file there has changed")
    write_file(path, data)


def _fetch(url: str, path: Path) -> bytes:
    if not url.startswith("https://"):
        raise InputError(f"expected an https address, got {url}")
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT_S) as response:  # noqa: S310 - https, checked above
            return bytes(response.read())
    except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", None) or error
        raise InputError(
            f"expected to download {url}, got {reason}; place the file at {path} by hand, "
            "or name a folder that holds the data set as NAME.npz in $SBGD_DATA"
        ) from None


def _check(data: bytes, expected: str, where: str) -> None:
    found = hashlib.sha256(data).hexdigest()
    if found != expected:
        raise InputError(f"expected sha256 {expected[:16]}..., got {found[:16]}... at {where}")
