import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SlipwayError } from '@slipway/client';
import { type Config, ConfigError, dataFolder, loadConfig, SANDBOX_KEY } from '../config/index.js';
import { createHttpPost, type HttpPost } from '../lib/http-post.js';
import { readBody } from '../lib/read-body.js';
import { readPrivateFile } from '../signer/index.js';
import { type CliContext, CommandError, UsageError } from './context.js';
import { usersListening } from './listeners.js';
import { onOneLine } from './plain.js';

/** The configuration of the folder and environment that the command runs in. Throws ConfigError. */
export function configOf({ env, cwd }: CliContext): Config {
  return loadConfig(env, { cwd });
}

/** The URL at which this machine reaches the service; a wildcard address is replaced by the loopback address. */
export function localUrl({ http }: Config, port = http.port): string {
  const host = http.host === '0.0.0.0' ? '127.0.0.1' : http.host === '::' ? '::1' : http.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The URL of the service: `--url`, SLIPWAY_URL, or that of the configuration. Without a slash at the end. */
export function serviceUrl(context: CliContext, option: string | undefined): string {
  const given = option ?? (context.env.SLIPWAY_URL || undefined);
  if (given === undefined) return localUrl(configOf(context));
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${option === undefined ? 'SLIPWAY_URL' : '--url'} must be an http or https URL`);
  }
  return given.replace(/\/+$/, '');
}

/** As `serviceUrl`, of the admin API: on the port of operations, where the configuration has one. */
export function adminUrl(context: CliContext, option: string | undefined): string {
  if (option !== undefined || context.env.SLIPWAY_URL) return serviceUrl(context, option);
  const config = configOf(context);
  return localUrl(config, config.http.operationsPort);
}

/** There is no token at all. */
export class NoAdminToken extends CommandError {}

/** Somebody else listens where the configuration says that the service does. */
export class NotOurs extends CommandError {}

/**
 * While the service does not run, any other user of the machine can listen in its place. Where the configuration says where it
 * is, it runs as this user, as the one whose the data folder is, or behind a program of root.
 * @throws NotOurs, Unreachable
 */
export function requireOurs(context: CliContext, base: string, users = usersListening(base)): void {
  const config = configIn(context);
  const isNamed = Boolean(context.env.SLIPWAY_URL) || config === undefined;
  const own = process.getuid?.();
  if (isNamed || base !== localUrl(config, config.http.operationsPort) || users === undefined || own === undefined)
    return;
  if (users.length === 0) throw unreachable(base, undefined);
  const owner = ownerOfData(context, config.dataDir, own);
  const stranger = users.find((user) => user !== own && user !== 0 && user !== owner);
  if (stranger === undefined) return;
  throw new NotOurs(
    `another user of this machine (number ${stranger}) listens at ${base}, and is not told the admin token: if that is your service, say so by SLIPWAY_URL=${base}`,
  );
}

/** Unless somebody else may have made the folder: one that nobody has named, in a folder that is another's, or that others may write to. */
function ownerOfData({ env }: CliContext, dataDir: string, own: number): number | undefined {
  const folder = statSync(dataDir, { throwIfNoEntry: false });
  if (folder === undefined || env.SLIPWAY_DATA_DIR) return folder?.uid;
  const { uid, mode } = statSync(dirname(dataDir));
  return (uid === own || uid === 0) && (mode & 0o022) === 0 ? folder.uid : undefined;
}

/** The admin token for the service at `base`: the configured one, or the one that it stored in its data folder. */
export async function adminToken(context: CliContext, base: string): Promise<string> {
  requireOurs(context, base);
  const given = context.env.SLIPWAY_ADMIN_TOKEN;
  if (given) return given;
  const file = dataFolder(configOf(context)).adminToken;
  const content = await readPrivateFile(file);
  if (content === undefined) {
    throw new NoAdminToken(`no admin token: set SLIPWAY_ADMIN_TOKEN, or run this where ${file} is`);
  }
  return content.toString('utf8').trim();
}

export interface Answer {
  status: number;
  body: unknown;
  /** After how many milliseconds the service would be asked again; undefined where it does not say. */
  againAfterMs?: number;
}

/** The service refuses the API key. */
export class WrongKey extends CommandError {
  constructor() {
    super('the service does not know the key: set SLIPWAY_API_KEY');
  }
}

/** Nothing listens there, or the connection was lost. */
export class Unreachable extends CommandError {}

/**
 * The API key: SLIPWAY_API_KEY, or where the configuration is that of a public sandbox the one in its data folder, or else
 * the one of every sandbox.
 */
export async function apiKeyOf(context: CliContext): Promise<string> {
  if (context.env.SLIPWAY_API_KEY) return context.env.SLIPWAY_API_KEY;
  const { publicSandbox, dataDir } = configIn(context) ?? {};
  const own = publicSandbox && dataDir ? await readPrivateFile(dataFolder({ dataDir }).sandboxKey) : undefined;
  return own?.toString('utf8').trim() ?? SANDBOX_KEY;
}

/** Undefined where it is faulty: who names a service asks for no configuration. */
function configIn(context: CliContext): Config | undefined {
  try {
    return configOf(context);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** The service is there, and answers that it cannot now. */
export class Failing extends CommandError {}

/** More than the longest answer: a page of the log. */
const MOST_ANSWER_BYTES = 32 * 1024 * 1024;

/**
 * For what shows a token: a connection that is still open may lead to somebody who listened there when it was made, and has held
 * its answer back until the service was there.
 */
const postAlone = createHttpPost(undefined, { isAlone: true });

/** Sends one JSON request. Throws Unreachable if there is no JSON answer within 30 seconds. */
export async function requestJson(
  url: string,
  init: { method?: string; headers?: Record<string, string>; body?: unknown; signal?: AbortSignal } = {},
): Promise<Answer> {
  const body = init.body === undefined ? undefined : JSON.stringify(init.body);
  const { method = 'GET' } = init;
  const headers: Record<string, string> = {
    ...init.headers,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const signal = AbortSignal.any([AbortSignal.timeout(30_000), ...(init.signal ? [init.signal] : [])]);
  try {
    const response =
      headers.authorization === undefined
        ? await fetch(url, { method, headers, signal, ...(body !== undefined && { body }) })
        : await postAlone(new URL(url), { method: method as HttpPost['method'], headers, signal, body: body ?? '' });
    const again = response.headers.get('retry-after');
    const read = JSON.parse(await readBody(response, MOST_ANSWER_BYTES));
    return { status: response.status, body: read, ...(again && { againAfterMs: Number(again) * 1_000 }) };
  } catch (error) {
    throw unreachable(url, error);
  }
}

/** Nobody answers at `url`. */
export function unreachable(url: string, cause: unknown): Unreachable {
  const { origin } = new URL(url);
  return new Unreachable(
    `the service at ${origin} does not answer: start it with "slipway serve", or say where it is: --url, SLIPWAY_URL or SLIPWAY_PORT`,
    { cause },
  );
}

/** An error of the client of the service at `url` as the command line says it; any other as it is. */
export function inWords(error: unknown, url: string): unknown {
  const { name, code, message = '', status } = error as Partial<SlipwayError>;
  if (name !== 'SlipwayError') return error;
  if (code === 'network') return unreachable(url, error);
  if (status === 401) return new WrongKey();
  return new CommandError(onOneLine(status === undefined ? message : `${message} (${status})`));
}

/** The body of a successful answer. Throws with the service's own message for any other. */
export function bodyOf<T>(answer: Answer): T {
  if (answer.status >= 200 && answer.status < 300) return answer.body as T;
  const { error, message } = (answer.body ?? {}) as { error?: unknown; message?: unknown };
  const text = [error, message].find((part) => typeof part === 'string') ?? 'no reason given';
  throw new (answer.status >= 500 ? Failing : CommandError)(`${onOneLine(`${text}`)} (${answer.status})`);
}

/** What a service that has just started, or is busy, may need. */
const ATTEMPTS = 4;
const LONGEST_PAUSE_MS = 5_000;

/** Asks the API with the key of `apiKeyOf`; again where it says that it cannot answer yet. */
export async function askApi<T>(
  context: CliContext,
  base: string,
  path: string,
  query: Record<string, string | undefined> = {},
): Promise<T> {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const headers = { 'x-api-key': await apiKeyOf(context) };
  for (let attempt = 1; ; attempt++) {
    const answer = await requestJson(`${base}${path}?${new URLSearchParams(given)}`, { headers });
    if (answer.status === 401) throw new WrongKey();
    const { status, againAfterMs: pause = Number.POSITIVE_INFINITY } = answer;
    if (status !== 503 || attempt === ATTEMPTS || !(pause <= LONGEST_PAUSE_MS)) return bodyOf<T>(answer);
    await sleep(pause);
  }
}
