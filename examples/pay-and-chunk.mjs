// A document chunked on a paid tier, paid for from a key pair of the Solana command line: at most 0.01 USDC, once,
// whatever breaks in between. NETWORK (default solana-localnet) and RPC_URL say where to pay.
// Run: node examples/pay-and-chunk.mjs http://127.0.0.1:8402 id.json report.pdf
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { payingFetch, paymentOf, payWithKeypair, readKeypair, USDC } from '@grainline/x402/client';

const [server, keypairFile, file] = process.argv.slice(2);
if (file === undefined) {
  console.error('Usage: node examples/pay-and-chunk.mjs SERVER KEYPAIR FILE');
  process.exit(2);
}
const { NETWORK: network = 'solana-localnet', RPC_URL: rpcUrl = 'http://127.0.0.1:8899' } = process.env;

const fetchPaid = payingFetch(fetch, {
  pay: payWithKeypair({ rpcUrl, keypair: readKeypair(await readFile(keypairFile, 'utf8')) }),
  maxAmount: 10_000n,
  assets: { [network]: USDC[network] },
});

const form = new FormData();
form.append('chunk_size', '800');
form.append('file', new Blob([await readFile(file)]), basename(file));
const response = await fetchPaid(`${server}/chunk/structure`, { method: 'POST', body: form });
const answer = await response.json();
if (!response.ok) throw new Error(`${response.status} ${answer.code}: ${answer.message}`);

const payment = paymentOf(response);
const paid =
  payment === undefined ? 'nothing paid' : `paid ${payment.order.amount} micro-USDC by ${payment.signature}`;
console.log(`${answer.total_chunks} chunks of ${answer.metadata.filename}, ${paid}`);
