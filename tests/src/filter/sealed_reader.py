#!/usr/bin/env python3
"""Reads a sealed file as doc/reference/sealed-format.md describes it, without freshet.
usage: sealed_reader.py key|passphrase FILE-WITH-IT SEALED-FILE >PLAIN-FILE"""

import hashlib
import hmac
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

MAGIC, HEADER, HEAD, TAG, LAST = b"\x8ffseal\r\n", 88, 12, 16, 1 << 31


def require(holds, reason):
    if not holds:
        raise ValueError(reason)


def open_header(stored, kind, secret):
    require(len(stored) >= HEADER and stored[:8] == MAGIC, "not sealed")
    require(stored[8] in (1, 2), "sealed by another version")
    require(stored[9:11] == bytes([1, kind == "passphrase"]) and stored[11] <= 18, "sealed in another way")
    salt = stored[24:56]
    if kind == "passphrase":
        if stored[8] == 2:
            secret = hashlib.sha256(len(secret).to_bytes(8, "little") + secret).digest()
        secret = hashlib.scrypt(secret, salt=salt, n=1 << stored[11], r=8, p=1, maxmem=1 << 29, dklen=32)
    header_key, chunk_key = (HKDF(SHA256(), 32, salt, b"freshet sealed file 1: " + use).derive(secret)
                             for use in (b"header", b"chunks"))
    expected = hmac.digest(header_key, stored[:56], "sha256")
    require(hmac.compare_digest(expected, stored[56:HEADER]), "the key is wrong, or the header was altered")
    require(not any(stored[17:24]), "sealed in a newer way")
    return AESGCM(chunk_key), int.from_bytes(stored[12:16], "little")


def unseal(stored, kind, secret):
    cipher, segment = open_header(stored, kind, secret)
    position, offset, is_last = HEADER, 0, False
    while not is_last:
        left = segment - position % segment
        if left <= HEAD + TAG:
            require(not any(stored[position : position + left]), "altered")
            position += left
        head = stored[position : position + HEAD]
        marked = int.from_bytes(head[8:], "little")
        is_last, length = marked >= LAST, marked % LAST
        require(len(head) == HEAD and int.from_bytes(head[:8], "little") == offset, "cut or altered")
        require(0 < length + is_last and length <= segment - position % segment - HEAD - TAG, "altered")
        end = position + HEAD + length + TAG
        yield cipher.decrypt(position.to_bytes(11, "little") + bytes([is_last]), stored[position + HEAD : end], head)
        position, offset = end, offset + length
    require(position == len(stored), "goes on after its last chunk")


if __name__ == "__main__":
    try:
        with open(sys.argv[2], "rb") as secret_file, open(sys.argv[3], "rb") as sealed_file:
            sys.stdout.buffer.writelines(unseal(sealed_file.read(), sys.argv[1], secret_file.read()))
    except (ValueError, InvalidTag) as refused:
        sys.exit(f"{sys.argv[3]}: {refused!r}")
