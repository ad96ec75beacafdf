// The bucket of OBJECT_STORE, and the credentials for it from the environment variables that AWS's own tools read.

/** The place of objects in a bucket. */
export interface BucketPlace {
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
}

/** A bucket and the credentials for it. */
export interface BucketSettings extends BucketPlace {
  readonly region: string;
  /** Address of another service than AWS, without its final slash. */
  readonly endpoint: string | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

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
  const set = (name: string): string | undefined => {
    const text = environment[name]?.trim();
    return text === '' ? undefined : text;
  };
  const [accessKeyId, secretAccessKey] = [set('AWS_ACCESS_KEY_ID'), set('AWS_SECRET_ACCESS_KEY')];
  const region = set('AWS_REGION') ?? set('AWS_DEFAULT_REGION') ?? 'us-east-1';
  const endpoint = set('AWS_ENDPOINT_URL_S3') ?? set('AWS_ENDPOINT_URL');
  const issues: string[] = [];
  if (accessKeyId === undefined || secretAccessKey === undefined)
    issues.push('OBJECT_STORE needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.');
  if (!/^[a-z0-9-]+$/.test(region)) issues.push('AWS_REGION must be the name of a region.');
  if (endpoint !== undefined && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    issues.push('AWS_ENDPOINT_URL must be an http or https address.');
  if (accessKeyId === undefined || secretAccessKey === undefined || issues.length > 0)
    return { settings: undefined, issues };
  const sessionToken = set('AWS_SESSION_TOKEN');
  const address = endpoint?.replace(/\/+$/, '');
  return {
    settings: { ...place, region, endpoint: address, accessKeyId, secretAccessKey, sessionToken },
    issues,
  };
}
