"""Offers of a 402 answer, and the memo that binds a payment to its request (docs/payments.md has the formula)."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional

from .errors import GrainlineError

MEMO_PREFIX = 'chunk:1:'
MAX_NAME_UNITS = 200
_ENDING = re.compile(r'\.[^.]{1,19}$')
_CONTROLS = re.compile('[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]')


@dataclass(frozen=True)
class Offer:
    """The terms of a paid request."""

    #: Wallet that receives the payment.
    pay_to: str
    #: In millionths of a USDC.
    amount: int
    #: Mint of USDC.
    asset: str
    #: ``solana-mainnet``, ``solana-devnet`` or ``solana-localnet``.
    network: str
    #: Memo of the transfer. It binds the payment to this request; None where the service does not bind.
    memo: Optional[str]


#: Makes a transfer, and returns the signature of its transaction. It is called once for a request.
Pay = Callable[[Offer], str]


@dataclass(frozen=True)
class Upload:
    """The file of a form, as it is sent."""

    content: bytes
    filename: str


def read_offer(answer: Mapping[str, Any], fields: Mapping[str, str], upload: Optional[Upload]) -> Offer:
    """Reads the offer of a 402 answer. Raises GrainlineError ``malformed_offer``."""
    terms = answer.get('paymentRequirements')
    try:
        assert isinstance(terms, dict) and terms['scheme'] == 'exact'
        amount = terms['maxAmountRequired']
        assert isinstance(amount, str) and re.fullmatch(r'[1-9]\d{0,19}', amount)
        values = [terms['payTo'], terms['asset'], terms['network']]
        assert all(isinstance(value, str) for value in values)
        extra = terms.get('extra') or {}
        return Offer(
            pay_to=terms['payTo'],
            amount=int(amount),
            asset=terms['asset'],
            network=terms['network'],
            memo=extra.get('memo') or memo_of_upload(extra.get('binding'), fields, upload),
        )
    except (AssertionError, KeyError, TypeError, AttributeError) as cause:
        message = 'The service asks for a payment in a form that this client does not know.'
        raise GrainlineError('malformed_offer', message, status=402) from cause


def memo_of_upload(
    binding: Optional[Mapping[str, Any]], fields: Mapping[str, str], upload: Optional[Upload]
) -> Optional[str]:
    """The memo of a form: the hash of the service's template, completed with the fields and the file."""
    if binding is None or upload is None:
        return None
    own = {name: value for name, value in fields.items() if name not in ('tier', 'password')}
    implied: Dict[str, str] = {}
    for rule in binding.get('implied') or ():
        if all(own.get(name) == value for name, value in rule['when'].items()):
            implied.update(rule['options'])
    template = binding['request']
    request = {
        **template,
        'tier': fields.get('tier', template['tier']),
        'options': {**template['options'], **implied, **own},
        'source': {
            'file_sha256': hashlib.sha256(upload.content).hexdigest(),
            'filename': kept_filename(upload.filename),
        },
    }
    # Names are ASCII, so that the order of code points is that of UTF-16 units.
    text = json.dumps(request, sort_keys=True, separators=(',', ':'), ensure_ascii=False)
    digest = hashlib.sha256(text.encode()).digest()
    return MEMO_PREFIX + base64.urlsafe_b64encode(digest).decode().rstrip('=')


def kept_filename(sent: str) -> str:
    """A file name as services keep it: the form's encoding, without folders and control characters."""
    name = escape_filename(sent)
    name = name[max(name.rfind('/'), name.rfind('\\')) + 1 :]
    name = _CONTROLS.sub('', name).strip()
    if _units(name) <= MAX_NAME_UNITS:
        return name
    found = _ENDING.search(name)
    ending = found.group() if found else ''
    begin = name.encode('utf-16-le')[: 2 * (MAX_NAME_UNITS - _units(ending))]
    return begin.decode('utf-16-le', 'ignore') + ending


def escape_filename(name: str) -> str:
    """The characters that would end a name in a form (HTML standard, multipart/form-data)."""
    return name.replace('"', '%22').replace('\r', '%0D').replace('\n', '%0A')


def _units(text: str) -> int:
    return len(text.encode('utf-16-le')) // 2
