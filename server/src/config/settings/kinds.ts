import { isIP } from 'node:net';
import { type Address, isAddress } from '@slipway/wire';
import { type TProperties, type TSchema, Type } from 'typebox';

/**
 * What the table says about a setting besides its type and bounds. `description`, `default` and `examples` are JSON
 * schema's own keywords; the others are ours, and `keywords` lists them.
 */
export interface About<T> {
  /** What it does, in one or two sentences of Markdown. */
  readonly description: string;
  readonly default?: T;
  /** The default, if it depends on the mode. That of a sandbox holds for a public one that has none of its own. */
  readonly byMode?: { readonly sandbox?: T; readonly publicSandbox?: T; readonly production?: T };
  /** The default in words, if it is not a fixed value. */
  readonly defaultText?: string;
  readonly unit?: string;
  readonly examples?: readonly T[];
  /** Never shown, logged or repeated in an error. */
  readonly secret?: true;
  /** The only mode in which it applies. */
  readonly mode?: 'sandbox' | 'production';
  /** The mode that does not start without it. */
  readonly requiredIn?: 'production';
}

/** `expects` follows "must be" in an error; `unquoted` keeps the value out of it, since a URL may hold a key. */
export const keywords = [
  'byMode',
  'defaultText',
  'expects',
  'mode',
  'requiredIn',
  'secret',
  'unit',
  'unquoted',
] as const;

/** A part of the table: what the page and `slipway config` show together. */
export interface Group<V extends TProperties, F extends TProperties> {
  readonly title: string;
  /** A paragraph of Markdown that the page shows below the title. */
  readonly notes?: string;
  /** Environment variables. */
  readonly variables: V;
  /** What the settings file holds at its top level. */
  readonly fields: F;
}

export function group<V extends TProperties = Record<never, never>, F extends TProperties = Record<never, never>>(
  title: string,
  parts: { notes?: string; variables?: V; fields?: F },
): Group<V, F> {
  return {
    title,
    ...(parts.notes !== undefined && { notes: parts.notes }),
    variables: parts.variables ?? ({} as V),
    fields: parts.fields ?? ({} as F),
  };
}

/** Fields of the settings file below one name. Each has a default or is optional, so that any may be left out. */
export const section = <T extends TProperties>(fields: T) =>
  Type.Object(fields, { additionalProperties: false, default: {} });

export const Flag = (about: About<boolean>) => Type.Boolean({ expects: 'one of 1, 0', ...about });

export const Port = (about: About<number>) =>
  Type.Integer({ minimum: 0, maximum: 65_535, expects: 'a port from 0 to 65535', ...about });

export const Text = (about: About<string>) => Type.String({ ...about });

/** A value that is sent in a header. */
export const HeaderText = (about: About<string>) =>
  Type.String({ pattern: '^[\\x21-\\x7e]+$', expects: 'printable ASCII without spaces', ...about });

export function Choice<const T extends string>(choices: readonly T[], about: About<T>) {
  return Type.Unsafe<T>(Type.String({ enum: choices, expects: `one of ${choices.join(', ')}`, ...about }));
}

export const List = <T extends TSchema>(item: T, about: About<readonly unknown[]>) => Type.Array(item, { ...about });

const anAddress = {
  format: 'address',
  pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
  expects: 'a public key in base58 (32 bytes)',
};

export const PublicKey = (about: About<Address>) => Type.Unsafe<Address>(Type.String({ ...anAddress, ...about }));

export const PublicKeys = (about: About<readonly Address[]> & { maxItems?: number }) =>
  Type.Unsafe<readonly Address[]>(Type.Array(Type.String(anAddress), { uniqueItems: true, ...about }));

export const Bps = (about: About<number>) => Type.Integer({ minimum: 0, maximum: 255, unit: 'basis points', ...about });

const url = (format: keyof typeof urlFormats, expects: string) => (about: About<string>) =>
  Type.String({ format, expects, unquoted: true, ...about });

export const HttpUrl = url('http-url', 'a URL that begins with http:// or https://');
export const WebSocketUrl = url('ws-url', 'a URL that begins with ws:// or wss://, without a fragment (#)');
export const PostgresUrl = url('postgres-url', 'a URL that begins with postgres:// or postgresql://');
/** A URL that paths are appended to. */
export const BaseUrl = url(
  'base-url',
  'a URL that begins with http:// or https://, without a user, a query and a fragment',
);
export const SecureUrl = url('secure-url', 'an https URL: credentials are sent there');
export const SignerUrl = url('signer-url', 'unix: and an absolute path, or tls://<host>:<port>');
export const Origin = () =>
  Type.String({ format: 'origin', expects: 'a comma list of origins such as https://app.example.com' });

export const HostName = () =>
  Type.String({
    pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$',
    expects: 'a comma list of host names in lower case, without ports',
  });

export const AddressRange = () =>
  Type.String({
    format: 'address-range',
    expects: 'a comma list of IP addresses and ranges such as 10.0.0.0/8',
  });

const isTlsAddress = (text: string) =>
  /^tls:\/\/(?:[^\s/:@?#[\]]+|\[[0-9a-fA-F:]+\]):\d{1,5}$/.test(text) && URL.canParse(text);
const protocolOf = (text: string) => (URL.canParse(text) ? new URL(text).protocol : '');
const isHttp = (text: string) => /^https?:$/.test(protocolOf(text));
const isBare = (text: string) => {
  const { search, hash, username } = new URL(text);
  return search === '' && hash === '' && username === '';
};

const urlFormats = {
  'http-url': isHttp,
  'ws-url': (text: string) => /^wss?:$/.test(protocolOf(text)) && new URL(text).hash === '',
  'postgres-url': (text: string) => /^postgres(?:ql)?:$/.test(protocolOf(text)),
  'base-url': (text: string) => isHttp(text) && isBare(text),
  /** HTTP without TLS is for this machine only. */
  'secure-url': (text: string) =>
    protocolOf(text) === 'https:' ||
    (protocolOf(text) === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(text).hostname)),
  'signer-url': (text: string) => /^unix:\/[^\0]*[^/\0]$/.test(text) || isTlsAddress(text),
  origin: (text: string) => isHttp(text) && new URL(text).origin === text,
};

function isAddressRange(text: string): boolean {
  const [, address = '', bits] = /^([^/%]+)(?:\/([1-9]\d{0,2}))?$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(bits ?? 1) <= (version === 4 ? 32 : 128);
}

/** How the formats of the table are checked. */
export const formats: Record<string, (text: string) => boolean> = {
  ...urlFormats,
  address: isAddress,
  'address-range': isAddressRange,
};
