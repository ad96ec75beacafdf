// The bucket of OBJECT_STORE, and the credentials for it.
import { type BucketAccess, readBucketAccess } from '@grainline/pipeline/bucket';

/** The place of objects in a bucket. */
export interface BucketPlace {
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
}

/** A bucket and the credentials for it. */
export type BucketSettings = BucketPlace & BucketAccess;

/** `s3://bucket/prefix`. The characters of a prefix are those that no address escapes. */
export function parseBucket(text: string): BucketPlace | undefined {
  const [, bucket, path = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/((?:[\w-][\w.-]*\/)*(?:[\w-][\w.-]*)?))?$/.exec(text) ??
    [];
  if (bucket === undefined || path.length > 100) return undefined;
  return { bucket, prefix: path === '' || path.endsWith('/') ? path : `${path}/` };
}

/** Reads the credentials. The issues name variables, never their values. */
export function readBucket(
  place: BucketPlace,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly settings: BucketSettings | undefined; readonly issues: readonly string[] } {
  const { access, issues } = readBucketAccess('OBJECT_STORE', environment);
  return { settings: access && { ...place, ...access }, issues: issues.map((issue) => `${issue}.`) };
}
