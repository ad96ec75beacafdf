"""Tests without a service: signatures, canonical JSON, memos, forms, retries."""

import ast
import io
import json
import unittest
import urllib.error
from email.message import Message
from pathlib import Path
from unittest import mock

import grainline
from grainline import Client, GrainlineError, canonical_json, verify_receipt
from grainline.ed25519 import verify_here
from grainline.offers import Upload, kept_filename, memo_of_upload, read_offer
from grainline.transport import form_body

# RFC 8032, section 7.1, tests 1 to 3: public key, message, signature.
VECTORS = [
    (
        'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
        '',
        'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    ),
    (
        '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
        '72',
        '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    ),
    (
        'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
        'af82',
        '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
    ),
]

OPTIONS = {'chunk_overlap': '0', 'chunk_size': '1000', 'output_format': 'raw', 'unit': 'characters'}
BINDING = {
    'prefix': 'chunk:1:',
    'request': {'deployment': 'primary', 'tier': 'structure', 'options': OPTIONS, 'source': {}},
    'implied': [{'when': {'unit': 'tokens'}, 'options': {'chunk_size': '512', 'encoding': 'o200k'}}],
}


class Signatures(unittest.TestCase):
    def test_those_of_the_standard_are_right_and_changed_ones_are_not(self) -> None:
        for key, message, signature in VECTORS:
            parts = [bytes.fromhex(part) for part in (key, message, signature)]
            self.assertTrue(verify_here(*parts))
            for index in range(64):
                changed = bytearray(parts[2])
                changed[index] ^= 1
                self.assertFalse(verify_here(parts[0], parts[1], bytes(changed)))
            self.assertFalse(verify_here(parts[0], parts[1] + b'x', parts[2]))

    def test_of_other_lengths_or_above_the_order_are_wrong(self) -> None:
        key, message, signature = (bytes.fromhex(part) for part in VECTORS[0])
        order = 2**252 + 27742317777372353535851937790883648493
        s = int.from_bytes(signature[32:], 'little') + order
        self.assertFalse(verify_here(key, message, signature[:32] + s.to_bytes(32, 'little')))
        self.assertFalse(verify_here(key[:31], message, signature))
        self.assertFalse(verify_here(key, message, signature[:63]))

    def test_receipts_of_other_forms_are_refused(self) -> None:
        for receipt in ('', 'a', 'a.b', 'a.b.c', 'e30.e30.e30', 'e30.e30.e30.e30'):
            with self.assertRaises(GrainlineError) as caught:
                verify_receipt(receipt, {'keys': []})
            self.assertEqual(caught.exception.code, 'invalid_receipt')


class CanonicalJson(unittest.TestCase):
    def test_is_the_example_of_rfc_8785(self) -> None:
        value = {
            'numbers': [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
            'string': '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/',
            'literals': [None, True, False],
        }
        self.assertEqual(
            canonical_json(value),
            '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
            '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
        )

    def test_orders_names_by_their_units(self) -> None:
        names = ['\ufb33', '\U0001f600', '\r', '1']
        self.assertEqual(list(json.loads(canonical_json(dict.fromkeys(names, 0)))), ['\r', '1', '\U0001f600', '\ufb33'])


class Memos(unittest.TestCase):
    def test_are_those_of_the_documentation(self) -> None:
        memo = memo_of_upload(BINDING, {'chunk_size': '800'}, Upload(b'A', 'a.txt'))
        self.assertEqual(memo, 'chunk:1:0rbL5MPJW5acf70FRazenBKQWpaEcLw2LKSEEnla7iA')

    def test_leave_the_password_out_and_take_implied_options(self) -> None:
        upload = Upload(b'A', 'a.txt')
        plain = memo_of_upload(BINDING, {'unit': 'tokens'}, upload)
        self.assertEqual(memo_of_upload(BINDING, {'unit': 'tokens', 'password': 'x'}, upload), plain)
        spelled = {'unit': 'tokens', 'chunk_size': '512', 'encoding': 'o200k'}
        self.assertEqual(memo_of_upload(BINDING, spelled, upload), plain)

    def test_have_names_as_services_keep_them(self) -> None:
        self.assertEqual(kept_filename('a/b\\c "d"\n.txt'), 'c %22d%22%0A.txt')
        long = kept_filename('\U0001f600' * 150 + '.markdown')
        self.assertEqual(long, '\U0001f600' * 95 + '.markdown')

    def test_of_another_form_are_refused(self) -> None:
        for terms in (None, {}, {'scheme': 'other'}, {'scheme': 'exact', 'maxAmountRequired': '-1'}):
            with self.assertRaises(GrainlineError) as caught:
                read_offer({'paymentRequirements': terms}, {}, None)
            self.assertEqual(caught.exception.code, 'malformed_offer')


class Sources(unittest.TestCase):
    def test_keep_to_the_syntax_of_python_3_9(self) -> None:
        files = sorted(Path(grainline.__file__).parent.glob('*.py'))
        self.assertGreater(len(files), 5)
        for file in files:
            ast.parse(file.read_text(), feature_version=(3, 9))


class Requests(unittest.TestCase):
    def test_forms_have_their_options_before_the_file(self) -> None:
        kind, body = form_body({'tier': 'free'}, Upload(b'\x00\xff', 'a".txt'), 'text/plain')
        self.assertTrue(kind.startswith('multipart/form-data; boundary='))
        self.assertLess(body.index(b'name="tier"'), body.index(b'filename="a%22.txt"'))
        self.assertIn(b'Content-Type: text/plain\r\n\r\n\x00\xff\r\n--', body)

    def test_passing_failures_are_repeated_and_others_are_not(self) -> None:
        waits: 'list[float]' = []
        client = Client('http://a.example', tries=3, sleep=waits.append)
        busy = {'code': 'busy', 'message': 'Later.', 'retryable': True}
        answers = [refusal(503, busy, {'Retry-After': '7'}), refusal(503, busy), answered({'status': 'ok'})]
        with mock.patch.object(client._transport._opener, 'open', side_effect=answers):
            self.assertEqual(client.overview(), {'status': 'ok'})
        self.assertEqual(waits, [7.0, 1.0])
        wrong = {'code': 'invalid_fields', 'message': 'Wrong.', 'retryable': False}
        with mock.patch.object(client._transport._opener, 'open', side_effect=[refusal(400, wrong)]):
            with self.assertRaises(GrainlineError) as caught:
                client.chunk(text='x', chunk_size=1)
        self.assertEqual((caught.exception.code, caught.exception.status), ('invalid_fields', 400))

    def test_payments_are_made_once_within_the_bound(self) -> None:
        terms = {'scheme': 'exact', 'maxAmountRequired': '2000', 'payTo': 'p', 'asset': 'm', 'network': 'n'}
        priced = {'code': 'payment_required', 'message': 'Pay.', 'paymentRequirements': {**terms, 'extra': {'memo': 'c'}}}
        lost = {'code': 'chain_unavailable', 'message': 'Later.', 'retryable': True}
        paid: 'list[str]' = []

        def pay(offer: object) -> str:
            paid.append(repr(offer))
            return 'signature'

        for most, answers, expected in (
            (1999, [refusal(402, priced)], 'price_too_high'),
            (2000, [refusal(402, priced), refusal(503, lost), refusal(503, lost)], 'chain_unavailable'),
        ):
            client = Client('http://a.example', pay=pay, max_amount=most, tries=2, sleep=lambda _: None)
            with mock.patch.object(client._transport._opener, 'open', side_effect=answers):
                with self.assertRaises(GrainlineError) as caught:
                    client.chunk(text='x')
            self.assertEqual(caught.exception.code, expected)
        self.assertEqual(len(paid), 1)
        self.assertEqual(caught.exception.payment, 'signature')

    def test_redirects_are_not_followed(self) -> None:
        client = Client('http://a.example')
        moved = refusal(302, {}, {'Location': 'http://b.example'})
        with mock.patch.object(client._transport._opener, 'open', side_effect=[moved]):
            with self.assertRaises(GrainlineError) as caught:
                client.chunk(text='secret')
        self.assertEqual(caught.exception.code, 'redirected')

    def test_exactly_one_source_is_given(self) -> None:
        for sources in ({}, {'text': 'a', 'url': 'b'}):
            with self.assertRaises(TypeError):
                Client('http://a.example').chunk(**sources)


def refusal(status: int, members: object, headers: 'dict[str, str]' = {}) -> urllib.error.HTTPError:
    fields = Message()
    for name, value in headers.items():
        fields[name] = value
    return urllib.error.HTTPError('http://a.example', status, '', fields, io.BytesIO(json.dumps(members).encode()))


def answered(members: object) -> mock.MagicMock:
    response = mock.MagicMock()
    response.__enter__.return_value.read.return_value = json.dumps(members).encode()
    return response


if __name__ == '__main__':
    unittest.main()
