"""Checks of signed receipts, offline (docs/receipts.md has their form)."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

from .ed25519 import verify
from .errors import GrainlineError


def verify_receipt(
    receipt: str, key_set: Mapping[str, Any], chunks: Optional[Sequence[Any]] = None
) -> Dict[str, Any]:
    """Checks a receipt with saved keys, and returns its claims. Sends nothing.

    ``key_set`` is the body of ``/.well-known/jwks.json``, saved while the service was trusted; ``chunks`` are those of the
    answer. The caller compares the claims that matter, such as ``resourceUrl`` and ``transaction``.

    Raises GrainlineError ``invalid_receipt`` for another form, an unknown key, a wrong signature, or other chunks.
    """
    try:
        head, body, mark = receipt.strip().split('.')
        header, claims, signature = json.loads(_decode(head)), json.loads(_decode(body)), _decode(mark)
        name = str(header['kid']).split('#')[-1]
    except (ValueError, KeyError, TypeError) as cause:
        raise _invalid('it is no JWS') from cause
    if header.get('alg') != 'EdDSA':
        raise _invalid('its algorithm is not EdDSA')
    keys = [key for key in key_set['keys'] if key.get('kid') == name and key.get('crv') == 'Ed25519']
    if not keys:
        raise _invalid('its key is not among the given ones')
    if not verify(_decode(keys[0]['x']), f'{head}.{body}'.encode(), signature):
        raise _invalid('its signature is wrong')
    if not isinstance(claims, dict) or claims.get('version') != 1:
        raise _invalid('its version is not 1')
    if chunks is not None:
        digest = hashlib.sha256(canonical_json(chunks).encode()).hexdigest()
        if digest != claims.get('resultSha256'):
            raise _invalid('it is for other chunks')
    return claims


def canonical_json(value: Any) -> str:
    """Writes a JSON value in the canonical form of RFC 8785, numbers as JavaScript writes them."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return canonical_number(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        names = sorted(value, key=lambda name: str(name).encode('utf-16-be'))
        members = (f'{canonical_json(name)}:{canonical_json(value[name])}' for name in names)
        return '{' + ','.join(members) + '}'
    return '[' + ','.join(canonical_json(item) for item in value) + ']'


def canonical_number(value: Union[int, float]) -> str:
    """A number as ECMAScript writes it (ECMA-262, Number::toString): the shortest digits that read back the same."""
    number = float(value)
    if number == 0:
        return '0'
    sign, digits, point = _shortest(number)
    if len(digits) <= point <= 21:
        text = digits + '0' * (point - len(digits))
    elif 0 < point <= 21:
        text = f'{digits[:point]}.{digits[point:]}'
    elif -6 < point <= 0:
        text = '0.' + '0' * -point + digits
    else:
        fraction = '.' + digits[1:] if len(digits) > 1 else ''
        text = f'{digits[0]}{fraction}e{point - 1:+d}'
    return sign + text


def _shortest(number: float) -> Tuple[str, str, int]:
    """Sign, digits without zeros around them, and the place of the point: 0.0012 is ('', '12', -2)."""
    text = repr(abs(number))
    mantissa, _, exponent = text.partition('e')
    whole, _, fraction = mantissa.partition('.')
    point = len(whole) + int(exponent or 0)
    digits = whole + fraction
    stripped = digits.lstrip('0')
    return '-' if number < 0 else '', stripped.rstrip('0'), point - (len(digits) - len(stripped))


def _decode(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + '=' * (-len(part) % 4))


def _invalid(detail: str) -> GrainlineError:
    return GrainlineError('invalid_receipt', f'The receipt cannot be accepted: {detail}.')
