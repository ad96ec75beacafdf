// Writes messages for tests (RFC 5322, MIME).

/** A part of a message; bytes are written in base64. */
export interface MailPart {
  readonly type: string;
  /** Name of an attachment. */
  readonly filename?: string;
  readonly body: string | Uint8Array;
}

export const MAIL_HEAD: readonly string[] = [
  'From: Ada Reed <ada@sea.example>',
  'To: Ben Hall <ben@sea.example>, crew@sea.example',
  'Date: Tue, 3 Mar 2026 10:00:00 +0100',
  'Subject: =?utf-8?Q?Tides_for_M=C3=A4rz?=',
  'Message-ID: <1@sea.example>',
  'MIME-Version: 1.0',
];

/** A message of some parts, or of one. */
export function writeMail(
  parts: readonly MailPart[],
  head: readonly string[] = MAIL_HEAD,
  boundary = 'b',
): Uint8Array {
  const lines = parts.flatMap(({ type, filename, body }) => [
    `--${boundary}`,
    `Content-Type: ${type}`,
    ...(filename === undefined ? [] : [`Content-Disposition: attachment; filename="${filename}"`]),
    ...(typeof body === 'string'
      ? ['', body]
      : ['Content-Transfer-Encoding: base64', '', Buffer.from(body).toString('base64')]),
  ]);
  const all = [
    ...head,
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    '',
    ...lines,
    `--${boundary}--`,
    '',
  ];
  return new TextEncoder().encode(all.join('\r\n'));
}
