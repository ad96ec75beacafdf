// Failures of an endpoint, for tests of its clients.
import { isObject } from './params.ts';

/** Failures of an endpoint; an empty object makes none. */
export interface RpcFailures {
  /** The affected methods; all when absent. */
  readonly methods?: readonly string[];
  /**
   * `down` closes the connection, `hang` never answers, `limited` answers 429, `broken` answers 500, `garbage` no JSON.
   */
  readonly kind?: 'down' | 'hang' | 'limited' | 'broken' | 'garbage';
  /** Milliseconds before an answer. */
  readonly delayMs?: number;
  /** Replaces results with others. */
  readonly rewrite?: (result: unknown, method: string) => unknown;
  /** True when transactions are accepted and dropped. */
  readonly swallows?: boolean;
}

/** Answers of getTransaction without `meta`, as from a node that lost it. */
export const WITHOUT_META: RpcFailures = {
  methods: ['getTransaction'],
  rewrite: (result) => (isObject(result) ? { ...result, meta: null } : result),
};

/** Answers of getTransaction without token balances, as from a node that does not record them. */
export const WITHOUT_TOKEN_BALANCES: RpcFailures = {
  methods: ['getTransaction'],
  rewrite: (result) => {
    if (!isObject(result) || !isObject(result['meta'])) return result;
    const meta = Object.entries(result['meta']).filter(([name]) => !name.endsWith('TokenBalances'));
    return { ...result, meta: Object.fromEntries(meta) };
  },
};

/** Answers of getTransaction in which every token account has gained `more` units. */
export function lyingAbout(more: bigint): RpcFailures {
  return {
    methods: ['getTransaction'],
    rewrite: (result) => {
      if (!isObject(result) || !isObject(result['meta'])) return result;
      const balances = result['meta']['postTokenBalances'];
      const postTokenBalances = Array.isArray(balances)
        ? balances.map((entry: unknown) => raised(entry, more))
        : balances;
      return { ...result, meta: { ...result['meta'], postTokenBalances } };
    },
  };
}

function raised(entry: unknown, more: bigint): unknown {
  if (!isObject(entry) || !isObject(entry['uiTokenAmount'])) return entry;
  const amount = BigInt(String(entry['uiTokenAmount']['amount'])) + more;
  return { ...entry, uiTokenAmount: { ...entry['uiTokenAmount'], amount: amount.toString() } };
}
