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

/** Checks the launch of a token, uploads its picture and metadata, signs it, and waits until it has landed. */
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
  const beforeSigning = async () => {
    await upload(connection, crafted.imagePresignedUrl, image.contentType, new Uint8Array(image.bytes), signal);
    await upload(connection, crafted.metadataPresignedUrl, 'application/json', metadata, signal);
  };
  const loadCheck = async () => {
    const { checkAskedLaunch } = await import('./check-launch.js');
    return checkAskedLaunch.bind(undefined, { creator, mint }, request);
  };
  const signing = { ...options, signer, beforeSigning };
  const { signed, signature } = await checkAndSign(connection, crafted.transaction, loadCheck, signing);
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
  requireUploadHost(connection, url);
  const put = connection.fetch ?? fetch;
  // Where the page has cookies at a host that is not the service's, they are not for what the service says.
  const isElsewhere = URL.canParse(connection.url) && hostOf(connection.url) !== hostOf(url);
  const init: RequestInit = {
    method: 'PUT',
    headers: { 'content-type': contentType },
    body,
    redirect: 'error',
    credentials: isElsewhere ? 'omit' : 'same-origin',
    ...(signal && { signal }),
  };
  const answer = await put(url, init).catch((cause: unknown) => {
    signal?.throwIfAborted();
    throw new SlipwayError('network', `the upload of ${contentType} was not answered`, { retryable: true, cause });
  });
  if (answer.ok) return;
  const details = await readText(answer, connection.maxAnswerBytes).catch(() => '');
  const why = reasonIn(details);
  const message = `the upload of ${contentType} was answered ${answer.status}${why && `: ${why}`}`;
  throw new SlipwayError('upload_failed', message, { status: answer.status, details });
}

/**
 * The service says where files go. In another program's network, that could be what only this machine reaches: what is not
 * the service, a host that was named, or one with a certificate gets nothing. A page reaches no more than its browser lets any
 * page: that asks the other host first.
 */
function requireUploadHost({ url: service, uploadHosts = [] }: Connection, url: string): void {
  const { protocol, host } = URL.canParse(url) ? new URL(url) : { protocol: '', host: '' };
  if (protocol === 'https:' || (protocol === 'http:' && 'document' in globalThis)) return;
  const known = [service, ...uploadHosts.map((each) => `http://${each}`)];
  if (protocol === 'http:' && known.map(hostOf).includes(hostOf(url))) return;
  const message = `the service has files uploaded to ${host || 'nowhere'}, which is not its own host and has no https: if it is yours, name it in uploadHosts of createClient`;
  throw new SlipwayError('upload_failed', message);
}

/** With its port. The names of this machine are one. */
function hostOf(url: string): string {
  const { hostname, port } = new URL(url);
  const name = ['127.0.0.1', '[::1]'].includes(hostname) ? 'localhost' : hostname;
  return port === '' ? name : `${name}:${port}`;
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
