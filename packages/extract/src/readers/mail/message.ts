// A message as every format of mail has it.

/** A file that a message carries. */
export interface Attachment {
  /** '' when it has no name. */
  readonly filename: string;
  /** Media type without parameters; '' when unknown. */
  readonly mediaType: string;
  /** Undefined when the bytes are unreadable. */
  readonly bytes: Uint8Array | undefined;
  /** True for the body of the message in a format of its own. */
  readonly isBody?: true;
}

/** A message. */
export interface MailMessage {
  readonly subject: string;
  /** The lines of the head that people see, in order: From, To, Cc, Date. */
  readonly head: readonly (readonly [name: string, value: string])[];
  /** The body as a page, when it has one; it says more than the plain text. */
  readonly html: string;
  /** The body as plain text. */
  readonly text: string;
  /** In order; pictures that the body shows are not among them. */
  readonly attachments: readonly Attachment[];
}
