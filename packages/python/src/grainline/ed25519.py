"""Verification of Ed25519 signatures (RFC 8032, section 5.1.7), by the package ``cryptography`` where it is installed.

The arithmetic below handles public values only, so its time may depend on them. A check takes some milliseconds.
"""

from __future__ import annotations

import hashlib
from typing import Optional, Tuple

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)

#: A point in extended coordinates: X, Y, Z and T, where x = X/Z, y = Y/Z and x·y = T/Z.
Point = Tuple[int, int, int, int]


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """True when the signature of 64 bytes is the key's over the message."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        return verify_here(public_key, message, signature)
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def verify_here(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """The same without a package."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    a, r = _decompress(public_key), _decompress(signature[:32])
    s = int.from_bytes(signature[32:], 'little')
    if a is None or r is None or s >= L:
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    h = int.from_bytes(digest, 'little') % L
    return _equal(_times(s, BASE), _add(r, _times(h, a)))


def _decompress(data: bytes) -> Optional[Point]:
    """The point of 32 bytes (section 5.1.3); None when there is none."""
    y = int.from_bytes(data, 'little')
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT % P
    if (x * x - square) % P != 0 or (x == 0 and sign == 1):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


def _add(p: Point, q: Point) -> Point:
    """Section 5.1.4; the formula holds for equal points too."""
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _times(n: int, p: Point) -> Point:
    total: Point = (0, 1, 1, 0)
    while n > 0:
        if n & 1 == 1:
            total = _add(total, p)
        p, n = _add(p, p), n >> 1
    return total


def _equal(p: Point, q: Point) -> bool:
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0


def _base() -> Point:
    point = _decompress((4 * pow(5, P - 2, P) % P).to_bytes(32, 'little'))
    assert point is not None
    return point


BASE = _base()
