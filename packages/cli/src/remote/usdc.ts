// Amounts of USDC as text. It stands apart from the budget, which needs the payment library.
import { USDC_DECIMALS } from '../args/request.ts';

/** Millionths in decimal notation: 4000n is `0.004 USDC`. */
export function usdc(micro: bigint): string {
  const digits = micro.toString().padStart(USDC_DECIMALS + 1, '0');
  const [whole, part] = [digits.slice(0, -USDC_DECIMALS), digits.slice(-USDC_DECIMALS)];
  return `${`${whole}.${part}`.replace(/\.?0+$/, '')} USDC`;
}
