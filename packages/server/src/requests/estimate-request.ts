// Reads a body of POST /estimate: that of POST /chunk, with the options of a form anywhere. Its options are checked for
// each tier, because tiers accept different ones.
import { type Deployment, findTier, type TierEntry } from '../catalog.ts';
import { HttpError } from '../errors/http-error.ts';
import type { HttpRequest } from '../http/message.ts';
import type { Settings } from '../settings/settings.ts';
import {
  type BodyKind,
  type ChunkRequest,
  formSource,
  jsonSource,
  maxBodyBytes,
  openDocumentForm,
  readJson,
  type RequestSource,
} from './chunk-request.ts';
import { checkJsonFields, checkUploadFields, type RequestOptions } from './fields.ts';

/** The request of one tier, or the error of its options. */
export interface EstimatedRequest {
  readonly tier: TierEntry;
  readonly request: ChunkRequest | HttpError;
}

/**
 * The same request for each tier of the deployment, or for the tier that the body names.
 *
 * @throws HttpError `invalid_fields` when no tier accepts the options, `empty_document`, and errors of the body
 */
export async function readEstimateRequest(
  httpRequest: HttpRequest,
  kind: BodyKind,
  deployment: Deployment,
  settings: Pick<Settings, 'maxJsonBytes' | 'maxUploadBytes'>,
): Promise<readonly EstimatedRequest[]> {
  return kind === 'json'
    ? readJsonEstimate(httpRequest, deployment, maxBodyBytes('json', settings))
    : readFormEstimate(httpRequest, deployment, settings);
}

async function readJsonEstimate(
  httpRequest: HttpRequest,
  deployment: Deployment,
  maxBytes: number,
): Promise<readonly EstimatedRequest[]> {
  const members = await readJson(httpRequest, maxBytes);
  return forTiers(members, deployment, (given) => {
    const { options, ...document } = checkJsonFields(given, deployment);
    return { options, source: jsonSource(document) };
  });
}

async function readFormEstimate(
  httpRequest: HttpRequest,
  deployment: Deployment,
  settings: Pick<Settings, 'maxJsonBytes' | 'maxUploadBytes'>,
): Promise<readonly EstimatedRequest[]> {
  const form = await openDocumentForm(httpRequest, settings, true);
  try {
    const upload = await form.readDocument(false);
    const source = formSource(form, upload);
    return forTiers(form.fields, deployment, (given) => ({
      options: checkUploadFields(given, deployment, undefined).options,
      source,
    }));
  } finally {
    form.leave();
  }
}

function forTiers<Value>(
  given: ReadonlyMap<string, Value>,
  deployment: Deployment,
  read: (given: ReadonlyMap<string, Value | string>) => { options: RequestOptions; source: RequestSource },
): readonly EstimatedRequest[] {
  const name = given.get('tier');
  const named = typeof name === 'string' ? findTier(deployment, name) : undefined;
  // The check reports an unknown name.
  if (given.has('tier') && named === undefined) read(given);
  const requests = (named === undefined ? deployment.tiers : [named]).map((tier): EstimatedRequest => {
    try {
      return {
        tier,
        request: { tier, ...read(new Map<string, Value | string>([...given, ['tier', tier.id]])) },
      };
    } catch (error) {
      if (error instanceof HttpError) return { tier, request: error };
      throw error;
    }
  });
  const [first] = requests;
  if (first?.request instanceof HttpError && requests.every(({ request }) => request instanceof HttpError))
    throw first.request;
  return requests;
}
