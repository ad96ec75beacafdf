// Faults that an endpoint can have, for tests of whoever relies on it.
import { isObject } from './params.ts';

/** What is wrong with an endpoint. Nothing, when empty. */
export interface Faults {
  /** The calls that it is wrong for; all when absent. */
  readonly methods?: readonly string[];
  /**
   * `down` closes the connection, `hang` never answers, `limited` answers 429, `broken` answers 500, `garbage` no JSON.
   */
  readonly kind?: 'down' | 'hang' | 'limited' | 'broken' | 'garbage';
  /** Milliseconds before an answer. */
  readonly delayMs?: number;
  /** Replaces results with others. */
  readonly rewrite?: (result: unknown, method: string) => unknown;
  /** True when transactions are taken with thanks and thrown away. */
  readonly swallows?: boolean;
}

/** Answers of getTransaction without `meta`, as nodes give them that lost it. */
export const WITHOUT_META: Faults = {
  methods: ['getTransaction'],
  rewrite: (result) => (isObject(result) ? { ...result, meta: null } : result),
};

/** Answers of getTransaction whose meta has no token balances, as nodes give them that do not record any. */
export const WITHOUT_TOKEN_BALANCES: Faults = {
  methods: ['getTransaction'],
  rewrite: (result) => {
    if (!isObject(result) || !isObject(result['meta'])) return result;
    const meta = Object.entries(result['meta']).filter(([name]) => !name.endsWith('TokenBalances'));
    return { ...result, meta: Object.fromEntries(meta) };
  },
};

/** Answers of getTransaction in which every token account has gained so much more. */
export function lyingAbout(more: bigint): Faults {
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
