// Begun payments with their signatures, by request, in localStorage. They outlive a closed tab.
import { type PaymentMemory, readRemembered, writeRemembered } from '@grainline/x402/client';

const PREFIX = 'grainline-payment:';

/** Payments in localStorage, exclusive between tabs. */
export function storedPayments(storage: Storage, locks: LockManager): PaymentMemory {
  const get = (key: string): { version: number; text: string } | null => {
    const [version = '', text = ''] = splitOnce(storage.getItem(PREFIX + key) ?? '');
    return text === '' ? null : { version: Number(version), text };
  };
  return {
    read(key) {
      const entry = get(key);
      const payment = entry === null ? null : readRemembered(entry.text);
      return Promise.resolve(entry === null || payment === null ? null : { payment, version: entry.version });
    },
    write: (key, payment, version) =>
      locks.request(PREFIX + key, () => {
        if ((get(key)?.version ?? 0) !== version) return false;
        storage.setItem(PREFIX + key, `${version + 1} ${writeRemembered(payment)}`);
        return true;
      }),
  };
}

function splitOnce(text: string): string[] {
  const at = text.indexOf(' ');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
