// What the page asks the service for, and the door to the part that pays for it.
import type { Overview } from './overview.ts';

/** A request for chunks: what is sent once it is paid, or at once where nothing is charged. */
export type ChunkRequest =
  | { readonly kind: 'json'; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: 'upload'; readonly file: File; readonly fields: Readonly<Record<string, string>> };

/** A request and what it is sent to. */
export interface Order {
  /** Id of the tier; of an upload it decides the path, `Overview.tiers[].path`. */
  readonly tier: string;
  readonly request: ChunkRequest;
  readonly overview: Overview;
  /** An earlier visit has begun to pay for it, and may have paid. */
  readonly resumes?: { readonly id: string; readonly beganMs: number };
}

/** What the paying part is given. */
export interface PayProps {
  readonly order: Order;
  /** Takes the JSON of the answer to the request once it was paid. */
  readonly onAnswer: (answer: unknown) => void;
}
