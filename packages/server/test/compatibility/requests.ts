// The requests that fill a store: every paid tier of both deployments, large and small results, and unreadable
// documents.
import type { FilledRequest } from './manifest.ts';

const SECTIONS = ['Tides', 'Currents', 'Waves', 'Shoals', 'Harbours', 'Lights'];

/** Markdown with chapters of different words. */
function chapters(count: number): string {
  const chapter = (index: number): string => {
    const title = `${SECTIONS[index % SECTIONS.length] ?? ''} ${index}`;
    const sentences = Array.from({ length: 14 }, (_, at) => `${title} was measured at mark ${at + index}.`);
    return `# ${title}\n\n${sentences.join(' ')}`;
  };
  return Array.from({ length: count }, (_, index) => chapter(index)).join('\n\n');
}

const TABLE =
  '# Marks\n\n| mark | depth |\n|---|---|\n| North | 3 m |\n| South | 5 m |\n\nSoundings in metres.';
const DAMAGED_PDF = '%PDF-1.7\nThis is no PDF after its first line.\n';

type RequestFacts = Omit<FilledRequest, 'name' | 'deployment' | 'client'> &
  Partial<Pick<FilledRequest, 'deployment' | 'client'>>;

const requests = {
  'a free upload behind a link': {
    path: '/chunk/free',
    client: '192.0.2.7',
    form: { fields: { chunk_size: '50' }, filename: 'free.md', content: chapters(12) },
  },
  'a free text of a client with an IPv6 address': {
    path: '/chunk',
    client: '2001:db8:1:2:3:4:5:6',
    json: { tier: 'free', text: 'High water follows the moon.' },
  },
  'compact standard': {
    path: '/chunk',
    deployment: 'compact',
    json: { text: chapters(2), filename: 'standard.md' },
  },
  'compact professional': {
    path: '/chunk/professional',
    deployment: 'compact',
    form: { fields: { output_format: 'weaviate' }, filename: 'marks.md', content: TABLE },
  },
  'structure of a text': { path: '/chunk', json: { text: TABLE, filename: 'tafeln-é.md' } },
  'structure without a memo': { path: '/chunk', json: { text: 'Paid by hand.', tier: 'structure' } },
  'structure of an upload behind a link': {
    path: '/chunk/structure',
    form: {
      fields: { chunk_size: '60', chunk_overlap: '10', document_id: 'harbour' },
      filename: 'large.md',
      content: chapters(12),
    },
  },
  'structure for a database': {
    path: '/chunk',
    json: {
      text: chapters(3),
      tier: 'structure',
      output_format: 'qdrant',
      unit: 'tokens',
      chunk_size: 120,
      text_field: 'content',
    },
  },
  'semantic with vectors': {
    path: '/chunk/semantic',
    form: {
      fields: { embeddings: 'true', chunk_size: '2000' },
      filename: 'semantic.txt',
      content: chapters(2),
    },
  },
  ai: { path: '/chunk', json: { tier: 'ai', text: chapters(4), filename: 'ai.md', chunk_size: 400 } },
  'a job that is done': {
    path: '/chunk/ai-pro',
    form: { fields: {}, filename: 'done.md', content: chapters(2) },
  },
  'a damaged upload': {
    path: '/chunk/structure',
    form: { fields: {}, filename: 'damaged.pdf', content: DAMAGED_PDF },
  },
  'a job that failed': {
    path: '/chunk/ai-pro',
    form: { fields: {}, filename: 'damaged.pdf', content: DAMAGED_PDF },
  },
  'a job that is interrupted': {
    path: '/chunk/ai-pro',
    form: { fields: { chunk_size: '700' }, filename: 'interrupted.md', content: chapters(44) },
  },
  'a job that has not begun': {
    path: '/chunk',
    json: { tier: 'ai-pro', text: chapters(3), filename: 'waiting.md', output_format: 'pinecone' },
  },
  'a request in work': { path: '/chunk', json: { tier: 'ai', text: chapters(5), filename: 'work.md' } },
  'an upload in the middle': {
    path: '/chunk/structure',
    form: { fields: {}, filename: 'coming.txt', content: 'The tide was late.' },
  },
} satisfies Readonly<Record<string, RequestFacts>>;

/** Name of a request. */
export type RequestName = keyof typeof requests;

/** The request of a name. */
export function requestOf(name: RequestName): FilledRequest {
  return { name, deployment: 'primary', client: '192.0.2.1', ...requests[name] };
}
