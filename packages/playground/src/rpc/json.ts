// JSON with numbers of any size: nodes write 64-bit numbers as plain numbers.

/** `JSON.rawJSON` is in Node 24, and not yet in TypeScript's library. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

/** JSON in which a bigint is a plain number. */
export function stringify(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' ? rawJSON(member.toString()) : member,
  );
}
