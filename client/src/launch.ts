import type { paths } from './api-types.js';
import { readText } from './call.js';
import { type Connection, type FlowOptions, signerOf } from './context.js';
import { SlipwayError } from './errors.js';
import { answered, checkAndSign } from './flow.js';

type CreateBody = paths['/studio/v1/dbc-pool/create-tx']['post']['requestBody']['content']['application/json'];

/** A token to launch on a bonding curve. */
export type LaunchRequest = Omit<CreateBody, 'creator' | 'tokenImageContentType'> & {
  image: { contentType: CreateBody['tokenImageContentType']; bytes: Uint8Array };
  description?: string | undefined;
  /** For the token's page. */
  content?: string | undefined;
};

export interface Launched {
  mint: string;
  config: string;
  imageUrl: string;
  /** Of the transaction that has made it. */
  signature: string;
}

/** Uploads a token's picture and metadata, checks and signs its launch, and waits until it has landed. */
export async function launch(
  connection: Connection,
  request: LaunchRequest,
  options: FlowOptions = {},
): Promise<Launched> {
  const { signer, wallet: creator } = signerOf(connection, options);
  const { signal } = options;
  const { image, description, content, ...terms } = request;
  const body = { ...terms, creator, tokenImageContentType: image.contentType };
  const crafted = await connection.api.post('/studio/v1/dbc-pool/create-tx', { body, signal });
  const { mint, imageUrl } = crafted;
  const { tokenName: name, tokenSymbol: symbol } = request;
  const metadata = JSON.stringify({ name, symbol, image: imageUrl, ...(description && { description }) });
  await upload(connection, crafted.imagePresignedUrl, image.contentType, new Uint8Array(image.bytes), signal);
  await upload(connection, crafted.metadataPresignedUrl, 'application/json', metadata, signal);
  const loadCheck = async () => {
    const { checkAskedLaunch } = await import('./check-launch.js');
    return checkAskedLaunch.bind(undefined, { creator, mint }, request);
  };
  const { signed, signature } = await checkAndSign(connection, crafted.transaction, loadCheck, { ...options, signer });
  const form = new FormData();
  form.set('transaction', signed);
  form.set('owner', creator);
  if (content !== undefined) form.set('content', content);
  options.onProgress?.({ step: 'sent' });
  const post = connection.api.post('/studio/v1/dbc-pool/submit', { form, signal, repeatable: true });
  const { data } = await answered(signature, post);
  options.onProgress?.({ step: 'landed' });
  return { mint: data.mint, config: data.configKey, imageUrl, signature: signature ?? '' };
}

async function upload(
  connection: Connection,
  url: string,
  contentType: string,
  body: string | Uint8Array<ArrayBuffer>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const put = connection.fetch ?? fetch;
  const headers = { 'content-type': contentType };
  const answer = await put(url, { method: 'PUT', headers, body, ...(signal && { signal }) }).catch((cause: unknown) => {
    signal?.throwIfAborted();
    throw new SlipwayError('network', `the upload of ${contentType} was not answered`, { retryable: true, cause });
  });
  if (answer.ok) return;
  const details = await readText(answer, connection.maxAnswerBytes).catch(() => '');
  const why = reasonIn(details);
  const message = `the upload of ${contentType} was answered ${answer.status}${why && `: ${why}`}`;
  throw new SlipwayError('upload_failed', message, { status: answer.status, details });
}

/** The addresses of a launched token's pools. */
export async function launchAddresses({ api }: Connection, mint: string, { signal }: FlowOptions = {}) {
  return (await api.get('/studio/v1/dbc-pool/addresses/{mint}', { path: { mint }, signal })).data;
}

const LONGEST_REASON = 300;

/** Why an upload was refused, where the service itself says it; S3 says it in another form. */
function reasonIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'string' ? error.slice(0, LONGEST_REASON) : '';
  } catch {
    return '';
  }
}
