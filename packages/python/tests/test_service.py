"""Tests against a running service that sells. GRAINLINE_URL names it, PAY_URL a wallet: POST an offer, get a signature."""

import json
import os
import tempfile
import unittest
import urllib.request
from dataclasses import asdict
from pathlib import Path

from grainline import Client, GrainlineError, Offer, verify_receipt

URL = os.environ.get('GRAINLINE_URL', '')
PAY_URL = os.environ.get('PAY_URL', '')
TEXT = '# Tides\n\nHigh water follows the moon.\n\n## Ebb\n\nLow water comes six hours later.\n'


def pay(offer: Offer) -> str:
    body = json.dumps(asdict(offer)).encode()
    with urllib.request.urlopen(urllib.request.Request(PAY_URL, body, method='POST'), timeout=60) as answer:
        return answer.read().decode()


@unittest.skipIf(URL == '', 'GRAINLINE_URL names no service')
class Service(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client(URL, pay=pay, max_amount=25_000)

    def test_text_and_file_become_the_same_chunks(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / 'tides.md'
            path.write_text(TEXT)
            from_file = self.client.chunk(file=path, tier='free', chunk_size=60)
        from_text = self.client.chunk(text=TEXT, filename='tides.md', tier='free', chunk_size=60)
        self.assertEqual(from_file['chunks'], from_text['chunks'])
        self.assertGreater(from_file['total_chunks'], 1)

    def test_a_large_answer_is_fetched_cited_and_removed(self) -> None:
        text = '\n\n'.join(f'The gauge stood at {level}.' for level in range(3000))
        answer = self.client.chunk(text=text, tier='free', chunk_size=100)
        self.assertEqual(len(answer['chunks']), answer['total_chunks'])
        found = self.client.cite(answer['result_id'], 'the gauge stood at 2999')
        self.assertTrue(found['found'])
        self.assertEqual(found['passages'][0]['text'], 'The gauge stood at 2999')
        self.client.delete_result(answer['result_id'])
        with self.assertRaises(GrainlineError) as caught:
            self.client.result(answer['result_id'])
        self.assertEqual(caught.exception.code, 'result_not_found')

    def test_an_upload_is_paid_for_once_and_its_receipt_proves_it(self) -> None:
        answer = self.client.chunk(file=('tides.md', TEXT.encode()), tier='structure', chunk_size=200)
        receipt = answer['payment']['receipt']
        claims = verify_receipt(receipt, self.client.receipt_keys(), answer['chunks'])
        self.assertEqual(claims['transaction'], answer['payment']['transaction'])
        self.assertEqual(claims['sourceSha256'], answer['source']['sha256'])
        again = self.client.chunk(
            file=('tides.md', TEXT.encode()),
            tier='structure',
            chunk_size=200,
            payment=claims['transaction'],
        )
        self.assertEqual(again, answer)
        with self.assertRaises(GrainlineError) as caught:
            verify_receipt(receipt, self.client.receipt_keys(), answer['chunks'][:-1])
        self.assertEqual(caught.exception.code, 'invalid_receipt')

    def test_records_fit_databases_and_their_receipt_covers_the_vectors(self) -> None:
        answer = self.client.chunk(text=TEXT, tier='semantic', embeddings=True, output_format='qdrant')
        verify_receipt(answer['payment']['receipt'], self.client.receipt_keys(), answer['chunks'])
        points = self.client.records('qdrant', text=TEXT, tier='semantic')
        self.assertEqual(points, answer['chunks'])
        columns = self.client.records('chroma', text=TEXT, tier='semantic')
        assert isinstance(columns, dict)
        self.assertEqual(len(columns['ids']), len(columns['embeddings']))

    def test_an_estimate_names_price_and_size_and_takes_no_payment(self) -> None:
        from_text = self.client.estimate(text=TEXT, filename='tides.md', tier='structure')
        from_file = self.client.estimate(file=('tides.md', TEXT.encode()), tier='structure')
        for answer in (from_text, from_file):
            self.assertEqual(answer['characters'], len(TEXT))
            self.assertEqual([(tier['id'], tier['amount']) for tier in answer['tiers']], [('structure', 2000)])
            self.assertEqual(answer['tiers'][0]['refusals'], [])

    def test_without_a_wallet_nothing_is_paid(self) -> None:
        with self.assertRaises(GrainlineError) as caught:
            Client(URL).chunk(text=TEXT, tier='structure')
        self.assertEqual((caught.exception.code, caught.exception.status), ('payment_required', 402))
        self.assertEqual(caught.exception.details['paymentRequirements']['maxAmountRequired'], '2000')

    def test_refusals_have_the_words_of_the_service(self) -> None:
        with self.assertRaises(GrainlineError) as caught:
            self.client.chunk(text=TEXT, tier='free', chunk_size=3)
        self.assertEqual(caught.exception.code, 'invalid_fields')
        self.assertIn('chunk_size', caught.exception.message)
        with self.assertRaises(GrainlineError) as caught:
            self.client.result('free_0123456789ab')
        self.assertEqual(caught.exception.code, 'result_not_found')

    def test_the_overview_lists_prices(self) -> None:
        tiers = {tier['id']: tier['price_usd'] for tier in self.client.overview()['tiers']}
        self.assertEqual((tiers['free'], tiers['structure']), (0, 0.002))


if __name__ == '__main__':
    unittest.main()
