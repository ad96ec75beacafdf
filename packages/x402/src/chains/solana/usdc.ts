// USDC on the networks of Solana.

/**
 * Address of USDC on the networks of the specification. Test chains put a mint of play money at mainnet's address, so
 * that clients need no other address.
 */
export const USDC = {
  'solana-mainnet': 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  'solana-devnet': '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  'solana-localnet': 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
} as const;

/** Decimals of every USDC mint: the smallest unit is a millionth. */
export const USDC_DECIMALS = 6;
