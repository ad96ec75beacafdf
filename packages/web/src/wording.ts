// Numbers in words and digits for the visitor.

const WHOLE = new Intl.NumberFormat('en-GB');
const SHORT = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 });
const SHARE = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 0 });

/** 12,345 */
export function whole(value: number): string {
  return WHOLE.format(value);
}

/** 950, 12K */
export function shortened(value: number): string {
  return SHORT.format(value);
}

/** 72% */
export function share(value: number): string {
  return SHARE.format(value);
}

/** `1 chunk`, `2 chunks` */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${whole(value)} ${value === 1 ? one : many}`;
}

/** `$0.004`, `no charge`; `free` is the name of a tier. */
export function price(usd: number): string {
  return usd === 0 ? 'no charge' : `$${usd}`;
}

const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** `26 Nov 2026, 12:03:20`, in the visitor's time zone. */
export function dayAndTime(ms: number): string {
  return MOMENT.format(ms);
}

const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** `12:03:20`, in the visitor's time zone. */
export function timeOfDay(ms: number): string {
  return TIME.format(ms);
}

/** `1.2 MB`, `35 kB` */
export function bytesOf(bytes: number): string {
  return bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${whole(Math.ceil(bytes / 1e3))} kB`;
}
