// Every text of the page, by the part that shows it. The library and a service have texts of their own.
import { counted, dayAndTime, timeOfDay, whole } from './wording.ts';

export const COMMON = {
  close: 'Close',
  cancel: 'Cancel',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'Cannot copy here: select the text',
  copyOf: (what: string) => `Copy ${what}`,
  leave: 'Leave it',
  loading: 'Loading …',
  again: 'Try again',
  progress: 'Progress',
  tier: 'Tier',
} as const;

export const HEAD = {
  name: 'Grainline',
  about: 'splits documents along the grain',
  other: 'Another document',
  shortcuts: 'Shortcuts',
  theme: 'Theme',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  size: (characters: number, pages: number, isExact: boolean) =>
    `${counted(characters, 'character')}, ${isExact ? '' : 'about '}${counted(pages, 'page')}`,
} as const;

/** The end of a service's page. */
export const ABOUT = {
  local:
    'Free, standard, structure and professional run in this page: nothing is uploaded until you send it to a tier of the service.',
  programs: 'Programs use its',
  api: 'API',
  openApi: 'OpenAPI',
  keeps: 'What the service keeps',
} as const;

/** The static demo, which has no service. */
export const DEMO = {
  end: 'All of it runs in this page, and nothing leaves your browser: its policy forbids every request to elsewhere.',
  server: 'With a server of yours',
  aboutServer:
    'It fetches links, cuts by semantic, ai and ai-pro, answers programs, and takes payments. The library and the command line have these tiers too.',
  hostServer: 'Host the server',
  docs: 'Documentation',
} as const;

export const START = {
  lead: 'See every chunk of your document before you index it.',
  pitch:
    'Grainline cuts along the grain: at headings, tables, lists and sentences. Compare its tiers on your own document, and take the records for your vector database with you.',
  samples: 'Or try a sample',
  drop: 'Drop a document here, or choose one',
  kinds: (names: string) =>
    `${names}; scans and pictures too. It stays in this page: nothing is uploaded. A receipt of a paid answer is checked.`,
  choose: 'Choose a file',
  paste: 'Or paste a text',
  showChunks: 'Show its chunks',
  link: 'Or open a link',
  openLink: 'Open the link',
  aboutLink: 'The service downloads and cuts it, because browsers do not let a page read other sites.',
} as const;

export const SAMPLE_TEXTS = {
  'harbour-handbook.pdf': { name: 'A handbook', about: 'PDF with columns and a table, on its pages' },
  'harbour-report.md': { name: 'A report', about: 'Sections and long tables' },
  'council-transcript.txt': { name: 'A transcript', about: 'Talk of many things, no headings' },
  'queue-guide.md': { name: 'A guide', about: 'Markdown with code and lists' },
} as const;

export const TASKS = {
  reading: (name: string) => `Reading ${name} …`,
  sending: (name: string) => `The service is at work (${name}) …`,
  page: (done: number, total: number, isScan: boolean) =>
    `${isScan ? 'scanned ' : ''}page ${whole(done)} of ${whole(total)}`,
  structure: 'putting its pages together',
} as const;

/** A file that waits for its password. */
export const PASSWORD = {
  of: (name: string) => `Password of ${name}`,
  opens: (name: string) => `A password opens ${name}. It stays in this page.`,
  wrong: (name: string) => `This password does not open ${name}.`,
  open: 'Open it',
} as const;

/** A file that waits for OCR. */
export const SCAN = {
  of: (name: string) => `Scan ${name}`,
  about: (name: string, isScan: boolean) =>
    `${name} ${isScan ? 'is a scan: its pages are pictures' : 'is a picture'}, so there is no text to cut yet. This page can read it: English print, some seconds a page. It loads 4 MB from this server, and the file stays here.`,
  readPages: (pages: number) => `Read ${counted(pages, 'scanned page')}`,
  readPicture: 'Read the picture',
  more: 'This page can read its scanned pages too: English print, some seconds a page.',
  readMore: 'Read the scanned pages',
} as const;

export const CONTROLS = {
  name: 'How to cut',
  size: 'Size',
  local: 'in this page',
  away: 'not available',
  cutting: ', cutting …',
  ofLink: 'a link to these settings',
  copyLink: 'Copy a link to these settings',
  atMost: (size: number, unit: string) => `at\u00A0most\u00A0${whole(size)} ${unit}`,
  compare: 'Compare with',
  nothing: 'nothing',
  agree: ' of the boundaries agree: ',
  shared: (count: number) => `${whole(count)} shared`,
  only: (count: number, tier: string) => `${whole(count)} only ${tier}`,
  reading: (changed: number) => `Reading${changed > 0 ? `, ${changed} changed` : ''}`,
  readingChoice: (label: string, text: string) => `“${label}: ${text}” under Reading`,
} as const;

export const LOCAL_DESCRIPTIONS = {
  free: 'Cuts at paragraphs, lines, spaces and characters.',
  standard: 'Cuts between sentences.',
  structure: 'Keeps headings, tables, lists and code whole.',
  professional: 'As structure, with the title, the headings and other context before each chunk.',
} as const;

export const SIZES = {
  all: (length: number) => ` of ${counted(length, 'character')}`,
  range: (least: number, most: number, median: number) =>
    `, ${whole(least)} to ${whole(most)} characters, median ${whole(median)}`,
  median: 'median',
  limit: 'at most',
  table: 'Sizes as a table',
  characters: 'Characters',
  chunks: 'Chunks',
  between: (from: number, to: number) => `${whole(from)} to ${whole(to)}`,
  axis: 'characters a chunk',
} as const;

export const OFFER = {
  of: (tier: string) => `Offer: ${tier}`,
  otherSize: (size: number, unit: string) => `The chunks on the screen were cut at ${whole(size)} ${unit}.`,
  fetch: (tier: string) => `Fetch the paid answer of ${tier}`,
  send: (tier: string, price: string, isAgain: boolean) =>
    `${isAgain ? 'Send again' : 'Send'} to ${tier}: ${price}`,
  time: 'It takes a minute or two.',
  excess: (tier: string, most: string, has: string) =>
    `${tier} takes at most ${most}, and this document has ${has}. Open a part of it.`,
  document: 'What happens to the document',
} as const;

export const VIEWS = {
  tabs: 'What to look at',
  text: 'Document',
  records: 'Records',
  ask: 'Ask',
  name: 'View of the document',
  sheets: 'Page',
  rendered: 'Rendered',
  renderedBesidePages: 'Text',
  source: 'Source',
  both: 'Both',
  asRead: 'The text as it reads',
  asWritten: 'The text as it is written',
  table: 'Table',
  coloured: (label: string) => `${label}, coloured by chunk. Arrow keys step from chunk to chunk.`,
} as const;

export const CHUNK = {
  name: 'Chunk',
  of: (chunk: number, count: number) => `Chunk ${whole(chunk)} of ${whole(count)}`,
  hint: 'Point at a chunk to see its length, its page and its headings. Click it to keep it here.',
  hintKeys:
    'The arrow keys step from chunk to chunk. A line and a number mark where each begins; text that a chunk repeats of the one before is hatched.',
  added: 'Added before it for search',
  before: 'Chunk before',
  next: 'Next chunk',
  ofCopy: 'the chunk',
  length: 'Length',
  characters: (count: number) => `${whole(count)} characters, `,
  tokens: (count: number | undefined) => (count === undefined ? '… tokens' : `${whole(count)} tokens`),
  repeats: 'Repeats',
  repeated: (count: number) => `${whole(count)} characters of the chunk before`,
  position: 'Position',
  page: 'Page',
  headings: 'Headings',
  cutting: 'It is being cut …',
  notCut: 'It could not be cut.',
  notSent: 'Not cut by this tier yet: the service cuts what is sent to it.',
  away: 'This tier is not available here; choose another one.',
} as const;

export const RECORDS = {
  format: 'Format',
  download: 'Download',
  kinds: { json: 'JSON', jsonl: 'JSONL', csv: 'CSV', markdown: 'Markdown' },
  loading: 'Code that loads them',
  writing: 'Writing records …',
  first: (shown: number, count: number) => `The first ${shown} of ${whole(count)} records`,
  program: 'The same by a program',
  language: 'Language',
  sameIn: 'The same in',
  objection: (kinds: string) => `This service takes uploads of ${kinds}; UPLOAD_KINDS=all widens that.`,
} as const;

export const ASK = {
  question: 'Your question',
  ask: 'Ask',
  searching: 'Searching …',
  changed: 'The chunks have changed: ask again.',
  about:
    'Each tier’s best chunks for your question. A small model for English ranks them, by words more than by meaning. It runs in this page; the first question loads it (3 MB).',
  foundBy: (tier: string) => `Found by ${tier}`,
  chunk: (chunk: number) => `Chunk ${whole(chunk)}`,
  similarity: (score: number) => `similarity ${score.toFixed(2)}`,
} as const;

export const KEYS = {
  title: 'Keyboard shortcuts',
  groups: [
    {
      where: 'In the text and on the pages',
      keys: [
        ['↓  →  j', 'Next chunk'],
        ['↑  ←  k', 'Chunk before'],
        ['Home  End', 'First and last chunk'],
        ['Esc', 'Let go of the chunk'],
      ],
    },
    {
      where: 'On the pages of a PDF',
      keys: [
        ['+  −  0', 'Larger, smaller, as wide as the window'],
        ['Page Up  Page Down', 'Scroll by a window'],
        ['Ctrl P  ⌘ P', 'Print the pages with their chunks'],
      ],
    },
    { where: 'On a tier, a slider or a tab', keys: [['← → ↑ ↓', 'Choose the next one, or move the slider']] },
    {
      where: 'Anywhere',
      keys: [
        ['Ctrl V  ⌘ V', 'Open the copied text or file'],
        ['?', 'This list'],
        ['Esc', 'Close the open panel'],
      ],
    },
  ],
} as const;

export const PAGES = {
  larger: 'Larger',
  smaller: 'Smaller',
  fit: 'Fit width',
  toolbar: 'Pages and zoom',
  name: 'The pages, coloured by chunk. Arrow keys step from chunk to chunk, plus and minus zoom. The view Text has the same as text.',
  field: 'Page',
  page: (page: number, count: number) => `Page ${whole(page)} of ${whole(count)}`,
  /** Behind the field of the page. */
  ofPages: (count: number) => `of ${whole(count)}`,
  percent: (factor: number) => `${whole(Math.round(100 * factor))} %`,
  notDrawn: 'This page cannot be drawn. The view Text has what could be read of it.',
  print: (first: number, last: number, count: number) =>
    last - first + 1 === count ? 'Print' : `Print pages ${whole(first)} to ${whole(last)}`,
  printing: (done: number, all: number) => `Drawing page ${whole(done)} of ${whole(all)} for the printer …`,
  noPrint: 'The pages could not be drawn for the printer. Print again, or print the file itself.',
} as const;

/** Errors of the page itself; those of reading and cutting have messages of their own. */
export const ERRORS = {
  // The server also has the page's parts, and parts of an older page may be gone.
  notReached: 'The service could not be reached. Try again when you are online; if you are, reload the page.',
  notUnderstood: 'The service gave an answer that this page does not understand.',
  status: (status: number) => `The service answered ${status}.`,
  unknown: 'Something went wrong.',
  unreadable: 'The file could not be read: it is a folder, or was moved or changed. Choose it once more.',
  stopped: 'The part of the page that reads and cuts has stopped. Bring the document once more.',
  noService: 'The service does not answer, and only it can fetch links.',
  noText: 'There is no text in it.',
  keepsNothing: 'The browser keeps nothing.',
  lost: 'The browser has lost this answer. Choose its document and send it again; within an hour of the payment the service repeats the answer for it.',
} as const;

export const JOBS = {
  of: (tier: string) => `Job: ${tier}`,
  worksOn: (file: string) => ` works on ${file}. You may close this page and come back within the hour.`,
  stop: 'Stop waiting',
  pay: (tier: string) => `Pay for ${tier}`,
  begun: (tier: string) => `Begun payment: ${tier}`,
  codeShown: 'A payment code was shown for ',
  paymentBegun: 'A payment was begun for ',
  noAnswer: (filename: string | undefined, ms: number) =>
    `${filename === undefined ? '' : ` of ${filename}`} at ${timeOfDay(ms)}, and no answer has come.`,
  search: 'Look for the payment',
  notPaid: 'I did not pay',
  forget: 'Forget it',
} as const;

export const RECEIPT = {
  name: 'Receipt',
  origins: {
    bought: '',
    repeated: 'The service has sent it again for the same payment; nothing was paid this time.',
    stored: 'Shown from this browser; nothing was sent or paid this time.',
  },
  paid: (amount: number, asset: string, tier: string) => `Paid ${amount} ${asset} for ${tier}`,
  when: (ms: number, network: string) => `${dayAndTime(ms)} on ${network}`,
  transaction: 'Transaction ',
  ofTransaction: 'the transaction',
  kept: 'Kept in this browser.',
  notKept: (untilMs: number) =>
    `Not kept in this browser. Until ${dayAndTime(untilMs)} the service sends it again for the same payment.`,
  list: 'Your paid answers',
  entry: (tier: string, chunks: number, amount: number, asset: string, ms: number) =>
    `${tier}, ${counted(chunks, 'chunk')}, paid ${amount} ${asset} on ${dayAndTime(ms)}`,
  gone: 'Choose the document again: the service repeats the answer for its payment.',
  openOf: (filename: string, tier: string) => `Open ${filename}, ${tier}`,
  open: 'Open',
  about: (bytes: string) => `Kept in this browser only (${bytes}), with the text of their documents. `,
  forget: 'Forget them',
} as const;

export const RECEIPT_CHECK = {
  keys: { service: 'the keys that this service publishes', file: 'the keys that you brought' },
  invalid: 'This receipt is not valid',
  reason: (keys: string, reason: string) => `Checked with ${keys}: ${reason} It proves nothing.`,
  otherService:
    'For a receipt of another service, bring its keys too: the file at /.well-known/jwks.json there, together with the receipt.',
  chunks: {
    equal: 'The chunks beside it are the delivered ones, each character of them.',
    other:
      'The chunks beside it are not the delivered ones: something in them was changed, or they are another answer.',
    absent: 'It was checked without chunks. Bring the answer as JSON with the receipt, to compare them.',
  },
  ofOther: 'This receipt is for other chunks',
  valid: 'This receipt is valid',
  signed: (keys: string) => `The holder of one of ${keys} has signed that `,
  delivered: ' delivered the chunks of one document in the tier ',
  on: (ms: number) => ` on ${dayAndTime(ms)}, for `,
  otherAsset: 'of the asset below',
  paidBy: ', paid by ',
  facts: [
    'Transaction',
    'Network and asset',
    'SHA-256 of the chunks',
    'SHA-256 of the text',
    'Hash of the request',
  ],
  limits:
    'It does not prove that the payment stands on the chain; look its transaction up there. It is worth as much as the keys: take them from the service while you trust it.',
} as const;

export const PAY = {
  stages: {
    searching: 'Looking for an earlier payment of this …',
    measuring: 'The service reads the document behind the link, before you pay …',
    connecting: 'Waiting for the wallet to connect …',
    preparing: 'Asking the service for the transfer …',
    signing: 'Waiting for you to confirm in the wallet …',
    sending: 'Handing the transfer to the network …',
    confirming: 'Waiting for the network to confirm …',
    requesting: 'Waiting for the answer …',
  },
  title: (price: string) => `Pay ${price} for `,
  play: 'Play money: nothing here is worth anything.',
  waiting: 'Waiting for the payment …',
  otherWay: 'Another way to pay',
  next: { pay: 'Try again', find: 'Look for it again', get: 'Ask for the answer again', check: 'Try again' },
  code: (ms: number) =>
    `A code for another device was shown at ${timeOfDay(ms)}, and no payment by it has arrived. If you pay in another way now, do not use that code any more.`,
  noWallet: 'No wallet for this network was found in this browser. Install one, or pay from a phone.',
  demo: 'built into this page',
  otherDevice: 'Pay from another device',
  qr: 'Solana Pay code of this payment',
  scan: 'Scan it with a wallet, or ',
  scanHere: 'open it in a wallet on this device',
} as const;

/** Ends of a payment that went wrong. */
export const TROUBLE = {
  nothingPaid: 'Nothing was paid.',
  otherNetwork: 'Choose that network in the wallet, or another wallet. Nothing was paid.',
  unknown:
    'The payment may be under way: the wallet or the network has not said how it ended. You will not be asked to pay twice.',
  kept: 'The payment is kept in this browser.',
  unused: 'The payment was not used: it stays good for this request, or the operator can give it back.',
  silent: 'The wallet said nothing but that it failed',
  noAnswer: 'The wallet gave nothing back.',
  noAccount: (wallet: string, chain: string) => `${wallet} has no account on ${chain}.`,
  noEarlier: 'There is no earlier payment.',
  notSold: 'The service does not sell this tier.',
} as const;

/** Reasons behind a payment that failed, as the ends of sentences. */
export const REASONS = {
  cannotSend: 'it cannot send',
  mayCome: 'it is not on the network yet, and may still come',
  notAgreed: (error: string) => `the transaction is not the transfer that was agreed: ${error}`,
  declined: 'you declined it in the wallet',
  notHanded: 'the service could not hand it to the network',
  late: 'the network did not take it in time',
  long: 'it takes long',
  unsigned: 'the wallet did not sign it',
} as const;
