import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Address } from '@slipway/wire';
import { lamportsOf } from '../../lib/decimal.js';
import { challengePrefixOf } from '../challenge.js';
import { SANDBOX_PROGRAMS } from '../cosign.js';
import type { ServiceWords } from '../guarded-keys.js';
import type { LossLimit, Payer } from '../loss-limits.js';
import type { KnownPrograms } from '../policies/index.js';
import { type CallerRole, callerRoles } from '../socket/protocol.js';
import {
  between,
  dictionary,
  list,
  Misshapen,
  oneOf,
  optional,
  record,
  type ShapeOf,
  text,
  whole,
} from '../socket/shapes.js';

const PATH = text(1_000, /./, 'a path');

const ADDRESS = text<Address>(44, /^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'an address');

/** In SOL, because people write it. */
const SOL = between(0, 1_000_000);
const LIMIT = record({ solPerHour: SOL, solPerDay: SOL });
/** Where the settings do not say: what a small service needs, and no more than its wallets should hold. */
const USUAL_LIMIT = { solPerHour: 2, solPerDay: 10 };

/** By its id, its ARN, or an alias. */
const KMS_KEY = text(
  2_048,
  /^(?:arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:(?:key|alias)\/|alias\/)?[A-Za-z0-9/_-]{1,256}$/,
  'the id, the ARN or the alias of a key, such as alias/slipway-gas',
);
const Kms = record({
  region: text(40, /^[a-z]{2}(?:-[a-z]+)+-\d+$/, 'a region, such as eu-central-1'),
  endpoint: optional(text(300, /^https?:\/\/[^\s/?#@]+\/?$/, 'the URL of an endpoint of AWS KMS')),
  keys: record({ gas: KMS_KEY, keeper: KMS_KEY, tracker: KMS_KEY, seed: KMS_KEY }),
});

const File = record({
  file: PATH,
  state: optional(PATH),
  limits: optional(record({ gas: optional(LIMIT), keeper: optional(LIMIT) })),
  token: optional(record({ module: PATH, label: text(32, /./, 'the label of a token') })),
  kms: optional(Kms),
  publicUrl: optional(text(1_000, /^https?:\/\/[^\s/]/, 'the URL at which clients reach the service')),
  challengePrefix: optional(text(330, /./, 'how login challenges begin')),
  maxUnsignedSlippageBps: optional(whole(0, 10_000)),
  programs: optional(record({ router: optional(ADDRESS), tokenSwap: ADDRESS, limitOrder: ADDRESS, invite: ADDRESS })),
  callers: dictionary(
    /^[a-z0-9][a-z0-9.-]{0,62}$/,
    record({
      roles: list(oneOf(...callerRoles), callerRoles.length),
      socket: optional(PATH),
      mode: optional(oneOf('0600', '0660')),
    }),
  ),
  tls: optional(
    record({ host: text(255, /./, 'a host'), port: whole(0, 65_535), certificate: PATH, key: PATH, ca: PATH }),
  ),
});

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** A caller, and where it is let in: by a socket of its own, or by a certificate with its name. */
export interface CallerSettings {
  readonly name: string;
  readonly roles: readonly CallerRole[];
  readonly socket: { readonly path: string; readonly mode: number } | undefined;
}

export interface SignerSettings {
  /** The encrypted seed. */
  readonly file: string;
  /** The folder of what it writes: its record, what its wallets have signed for, and what is stopped. */
  readonly state: string;
  readonly limits: Readonly<Record<Payer, LossLimit>>;
  /** Has the keys of the wallets, and opens the file. */
  readonly token?: { readonly module: string; readonly label: string } | undefined;
  /** Like a token. */
  readonly kms?: ShapeOf<typeof Kms> | undefined;
  /** What wallets sign names this service; undefined where no caller has logins. */
  readonly service: ServiceWords | undefined;
  /** The programs that policies know. */
  readonly programs: KnownPrograms;
  readonly callers: readonly CallerSettings[];
  /** Where callers without a socket connect; the paths are those of PEM files. */
  readonly tls:
    | {
        readonly host: string;
        readonly port: number;
        readonly certificate: string;
        readonly key: string;
        readonly ca: string;
      }
    | undefined;
}

/** The settings file of the signer cannot be used; the message names the field, and what was expected. */
export class SignerSettingsError extends Error {
  override readonly name = 'SignerSettingsError';
}

/** Reads the settings of a signer; paths in it are relative to its folder. @throws SignerSettingsError */
export async function readSignerSettings(path: string): Promise<SignerSettings> {
  const fault = (why: string, cause?: unknown) => new SignerSettingsError(`${path}: ${why}`, { cause });
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw fault(error.code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${error.code})`, error);
  });
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    throw fault('it is no valid JSON', error);
  }
  try {
    return settingsOf(File.read(value, ''), dirname(path));
  } catch (error) {
    if (error instanceof Misshapen) throw fault(error.message, error);
    throw error;
  }
}

function settingsOf(read: ReturnType<typeof File.read>, folder: string): SignerSettings {
  const { file, state, limits, token, kms, programs, callers, tls } = read;
  const absolute = (path: string) => resolve(folder, path);
  const found = Object.entries(callers).map(([name, { roles, socket, mode = '0600' }]): CallerSettings => {
    if (roles.length === 0) throw new Misshapen(`callers.${name}.roles: expected at least one role`);
    if (socket === undefined && tls === undefined) {
      throw new Misshapen(`callers.${name}.socket: expected a path, because there is no tls`);
    }
    return {
      name,
      roles,
      socket: socket === undefined ? undefined : { path: absolute(socket), mode: Number.parseInt(mode, 8) },
    };
  });
  if (token !== undefined && kms !== undefined) throw new Misshapen('kms: expected none beside a token');
  if (kms?.endpoint !== undefined) requireEndpoint(kms.endpoint);
  if (found.length === 0) throw new Misshapen('callers: expected at least one caller');
  const paths = found.flatMap(({ socket }) => socket?.path ?? []);
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice !== undefined)
    throw new Misshapen(`callers: expected a socket of its own for each, and ${twice} is of two`);
  return {
    file: absolute(file),
    state: state === undefined ? join(dirname(absolute(file)), 'signer-state') : absolute(state),
    limits: { gas: limitOf(limits?.gas), keeper: limitOf(limits?.keeper) },
    token: token && { ...token, module: absolute(token.module) },
    kms,
    service: serviceOf(read),
    programs: programs ?? usualPrograms(found),
    callers: found,
    tls: tls && { ...tls, certificate: absolute(tls.certificate), key: absolute(tls.key), ca: absolute(tls.ca) },
  };
}

/**
 * Of a sandbox all. Elsewhere anybody can put a program of his where a sandbox has the router, because its secret key is public: a
 * vault that trades by that one would sign whatever it does.
 */
function usualPrograms(callers: readonly CallerSettings[]): KnownPrograms {
  const isSandbox = callers.some(({ roles }) => roles.includes('sandbox'));
  return isSandbox ? SANDBOX_PROGRAMS : { ...SANDBOX_PROGRAMS, router: undefined };
}

/** The seed goes there and back: without TLS only on this machine. */
function requireEndpoint(endpoint: string): void {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url?.protocol === 'https:' || (url !== undefined && LOOPBACK.includes(url.hostname))) return;
  throw new Misshapen('kms.endpoint: expected a URL with https://');
}

function limitOf({ solPerHour, solPerDay } = USUAL_LIMIT): LossLimit {
  return { hour: lamportsOf(solPerHour), day: lamportsOf(solPerDay) };
}

/** The same as in the settings of the service, which the signer does not take its callers' word for. */
function serviceOf({
  callers,
  publicUrl,
  challengePrefix,
  maxUnsignedSlippageBps = 2_000,
}: ReturnType<typeof File.read>): ServiceWords | undefined {
  if (publicUrl === undefined) {
    const named = Object.entries(callers).find(([, { roles }]) => roles.includes('api'));
    if (named) throw new Misshapen(`publicUrl: expected that of the service, because ${named[0]} has the role api`);
    return undefined;
  }
  if (!URL.canParse(publicUrl)) throw new Misshapen('publicUrl: expected the URL at which clients reach the service');
  return {
    challengePrefix: () => challengePrefix ?? challengePrefixOf(publicUrl),
    host: () => new URL(publicUrl).host,
    maxUnsignedSlippageBps,
  };
}
