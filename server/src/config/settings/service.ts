import { type Static, Type } from 'typebox';
import {
  AddressRange,
  BaseUrl,
  Choice,
  Flag,
  group,
  HeaderText,
  HostName,
  List,
  Origin,
  Port,
  PostgresUrl,
  SignerUrl,
  Text,
} from './kinds.js';

/** The API key of every sandbox but a public one. */
export const SANDBOX_KEY = 'sandbox';

/** The key of a sandbox that everybody knows; undefined where keys are secrets. */
export function knownKeyOf(mode: { readonly sandbox: boolean; readonly publicSandbox: boolean }): string | undefined {
  return mode.sandbox && !mode.publicSandbox ? SANDBOX_KEY : undefined;
}

export const roles = ['api', 'keeper'] as const;
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export const mode = group('The mode', {
  variables: {
    SLIPWAY_SANDBOX: Type.Optional(
      Flag({
        description:
          '`1`: a sandbox, where the key `sandbox` works and the `/sandbox` routes exist. `0`: production. Set `1` together with `SLIPWAY_RPC_URL` to share one separately started local chain among several copies.',
        defaultText:
          '`1` with `SLIPWAY_SANDBOX_PUBLIC`; else `0` when `SLIPWAY_RPC_URL` is set or `NODE_ENV` is `production`, and `1` otherwise',
      }),
    ),
    SLIPWAY_SANDBOX_PUBLIC: Flag({
      description:
        '`1`: a sandbox that other machines may reach, as one in a container. It listens on all addresses, and a random key, made at its first start and printed at each, takes the place of `sandbox`. Its chain is reached through the API only. See [A sandbox in a container](deploy.md#a-sandbox-in-a-container).',
      default: false,
    }),
    NODE_ENV: Type.Optional(
      Text({
        description: '`production` ends the sandbox unless `SLIPWAY_SANDBOX` is `1`. Nothing else depends on it.',
        defaultText: 'none',
      }),
    ),
    SLIPWAY_ROLES: List(Choice(roles, { description: '' }), {
      description: 'What this copy does: `api` answers requests, `keeper` works in the background.',
      default: roles,
      examples: [['keeper']],
    }),
    SLIPWAY_CONFIG: Type.Optional(
      Text({
        description: 'Path of the settings file. A file that you name here must exist.',
        defaultText: '`slipway.config.json` in the working directory',
        examples: ['/etc/slipway/slipway.config.json'],
      }),
    ),
    SLIPWAY_DATA_DIR: Text({
      description: 'Folder of the embedded chain, the embedded database, the signer file and generated secrets.',
      default: '.slipway',
      examples: ['/var/lib/slipway'],
    }),
    SLIPWAY_LOG_LEVEL: Choice(logLevels, {
      description:
        'At `debug` every request is one line, at `info` only failures are. Keys, tokens, bodies and paths are in no line.',
      byMode: { sandbox: 'warn', production: 'info' },
    }),
  },
});

export const http = group('HTTP', {
  notes:
    'A request body may have up to 16 KiB, and more on a few routes that need it: the API document says how much under 413. JSON may be nested 16 levels deep, and have 4,000 arrays, objects and commas.',
  variables: {
    SLIPWAY_HOST: Text({
      description:
        'Address to listen on. A sandbox takes a loopback address only, because everybody knows its key, unless it is a public one.',
      default: '127.0.0.1',
      byMode: { publicSandbox: '0.0.0.0' },
      defaultText: '`127.0.0.1`; `0.0.0.0` with `SLIPWAY_SANDBOX_PUBLIC`',
      examples: ['0.0.0.0'],
    }),
    SLIPWAY_PORT: Port({ description: 'Port of the API; `0` takes any free one.', default: 8080 }),
    SLIPWAY_OPERATIONS_PORT: Type.Optional(
      Port({
        description:
          'A port of their own for `/metrics` and `/admin/v1`, on `SLIPWAY_HOST`, beside `/livez` and `/readyz`; the API does not serve them then. Keep it from the public: what cannot be reached cannot be tried.',
        defaultText: 'none: they are on `SLIPWAY_PORT`',
        examples: [9090],
      }),
    ),
    SLIPWAY_PUBLIC_URL: Type.Optional(
      BaseUrl({
        description: 'Where clients reach the API, if not where it listens.',
        defaultText: '`http://<host>:<port>`; of a public sandbox `http://localhost:<port>`',
        examples: ['https://api.example.com'],
      }),
    ),
    SLIPWAY_CORS_ORIGINS: Type.Optional(
      List(Origin(), {
        description:
          'The browser origins that may call, besides the pages that the service itself serves; a page of any other gets 403. When set, it is the whole list.',
        defaultText: 'every origin on this machine in a sandbox; none in production',
        examples: [['https://app.example.com', 'https://example.com']],
      }),
    ),
    SLIPWAY_HOSTS: List(HostName(), {
      description:
        'Names by which clients reach the service, besides `localhost`, IP addresses, and the hosts of `SLIPWAY_HOST` and `SLIPWAY_PUBLIC_URL`. A sandbox and its chain refuse requests under any other name with 403, because whoever owns a name can point it at this machine and call from a page. Production and a public sandbox, whose keys no page knows, do so only where this is set.',
      default: [],
      examples: [['slipway', 'sandbox.example.com']],
    }),
    SLIPWAY_KEYLESS: Flag({
      description:
        '`1`: calls without an API key are served, at the limit of the tier `keyless` for each client address. A wrong key is refused all the same, and `/admin` and `/sandbox` always require theirs.',
      default: false,
    }),
    SLIPWAY_CONSOLE: Flag({
      description:
        '`0`: no [console](console.md). Otherwise a sandbox serves it at `/`, and every deployment the part for its operator at `/overview`, beside `/admin/v1`.',
      default: true,
    }),
    SLIPWAY_TRUSTED_PROXIES: List(AddressRange(), {
      description:
        'The proxies whose `X-Forwarded-For` says which client calls without a key, as the addresses from which they connect. From any other address the header is ignored.',
      default: [],
      examples: [['127.0.0.1', '10.0.0.0/8']],
    }),
    SLIPWAY_STRICT: Flag({
      description:
        '`1`: refuses a request with a parameter or a body field that the route does not know. Otherwise the header `x-slipway-warning` of the answer names it, with the nearest that is known. A client asks for a refusal with the header `x-slipway-strict: 1`.',
      default: false,
    }),
    SLIPWAY_ADMIN_TOKEN: Type.Optional(
      HeaderText({
        description:
          'Bearer token of `/admin/v1`. Printable ASCII without spaces; in production at least 20 characters, best random ones. After thirty wrong tokens within a minute, an address gets 429 for further wrong ones, for up to a minute.',
        defaultText: 'generated, and kept in a file of mode 0600 in the data folder',
        secret: true,
      }),
    ),
    SLIPWAY_CHALLENGE_PREFIX: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x7e][\\x20-\\x7e]{0,198}[\\x21-\\x7e]$',
        expects: '2 to 200 printable ASCII characters, no space at an end',
        unquoted: true,
        description:
          'The beginning of the text that a wallet signs to log in (trigger v2), up to its address: for clients that compare it with the text of another service. With the words of another service, users cannot tell whose login they sign.',
        defaultText: 'names Slipway and the host of `SLIPWAY_PUBLIC_URL`',
      }),
    ),
  },
});

export const data = group('Data and keys', {
  variables: {
    DATABASE_URL: Type.Optional(
      PostgresUrl({
        description: 'PostgreSQL, instead of the embedded database.',
        defaultText: 'the embedded database, in the data folder',
        examples: ['postgres://user:password@host/database'],
        secret: true,
      }),
    ),
    SLIPWAY_EMBEDDED_DATABASE: Flag({
      description:
        '`1`: production keeps its data in the embedded database, in the data folder of this one machine. That database does not wait for the disk: a power failure, not a crash of the process, may cost its last writes or all of it, and with them the record of deposits that have landed. Without this, production needs `DATABASE_URL`.',
      default: false,
    }),
    SLIPWAY_SIGNER_FILE: Type.Optional(
      Text({
        description: "The encrypted file of the service's own signing keys.",
        defaultText: '`signer.json` in the data folder',
      }),
    ),
    SLIPWAY_SIGNER_PASSPHRASE: Type.Optional(
      Text({
        description:
          'Opens the signer file. In production, a new file wants at least 20 characters. Required there without `SLIPWAY_SIGNER_URL`.',
        defaultText: 'generated in a sandbox',
        secret: true,
      }),
    ),
    SLIPWAY_SIGNER_URL: Type.Optional(
      SignerUrl({
        description:
          'Where [`slipway signer`](signer.md) listens, which then has all keys, and this process none: `unix:` and the path of the socket for this caller, or `tls://<host>:<port>`.',
        defaultText: 'none: the keys are in this process',
        examples: ['unix:/run/slipway-signer/api.sock', 'tls://signer.internal:7443'],
      }),
    ),
    SLIPWAY_SIGNER_CERTIFICATE: Type.Optional(
      Text({
        description: 'With `tls://`: the PEM file of the certificate whose common name is the name of this caller.',
        defaultText: 'none',
        examples: ['/etc/slipway/api.crt'],
      }),
    ),
    SLIPWAY_SIGNER_KEY: Type.Optional(
      Text({
        description: 'With `tls://`: the PEM file of its private key, of mode 0600.',
        defaultText: 'none',
        examples: ['/etc/slipway/api.key'],
      }),
    ),
    SLIPWAY_SIGNER_CA: Type.Optional(
      Text({
        description: "With `tls://`: the PEM file of the authority that has signed the signer's certificate.",
        defaultText: 'none',
        examples: ['/etc/slipway/signer-ca.crt'],
      }),
    ),
  },
});

const Tier = Type.Object(
  {
    perMinute: Type.Integer({ minimum: 1, description: 'calls in any 60 seconds' }),
    executePer10s: Type.Integer({ minimum: 1, description: 'calls of execute and submit paths in any 10 seconds' }),
  },
  { additionalProperties: false },
);

export type TierConfig = Readonly<Static<typeof Tier>>;

export const defaultTiers: Readonly<Record<string, TierConfig>> = {
  keyless: { perMinute: 30, executePer10s: 200 },
  free: { perMinute: 60, executePer10s: 500 },
  developer: { perMinute: 600, executePer10s: 1000 },
  launch: { perMinute: 3000, executePer10s: 1000 },
  pro: { perMinute: 9000, executePer10s: 1000 },
};

export const limits = group('Rate limits', {
  notes:
    'Execute and submit paths are counted apart, so that landing stays open when quoting is throttled. A call that costs the node far more than others counts as several: `cancelOrders` as one for each transaction, or as ten where no order is named, what a wallet holds, or what its empty accounts give back, as one for each 200 of its token accounts, a search for names as one for each 10, a page of the limit orders of a wallet that has had more than 10,000 as one for each 10,000, up to 30, the pool of a token that was not launched here as ten, an order as one more for each further search that it takes because pools fail, from the third on. A trigger order whose trigger token has no price yet counts as a call besides its execute call. Of what is posted to `/tx/v1/submit`, each three signatures count as an execute call. Each 64 KiB of what is posted to `express/execute` count as an execute call, and each 256 KiB of an upload: of the key, or by a presigned URL of the client address, in the tier `keyless`; and each 256 KiB that `dbc-pool/submit` reads of what was uploaded for a launch. Of the calls that wait for their answers, a key has at most half (of execute a fifth), and less while others have many; then it gets 429. The tier `unlimited` is built in. The tier `keyless` is for each client address, with `SLIPWAY_KEYLESS`.',
  fields: {
    tiers: Type.Record(Type.String({ pattern: '^[a-z][a-z0-9-]*$' }), Tier, {
      additionalProperties: false,
      default: {},
      description:
        'Rate limits by the tier of a key. A tier that you give is added to the built-in ones, or replaces the one with its name (lower-case letters, digits, hyphens).',
      defaultText: Object.entries(defaultTiers)
        .map(([name, tier]) => `\`${name}\` ${tier.perMinute} and ${tier.executePer10s}`)
        .join(', '),
      examples: [{ partner: { perMinute: 1200, executePer10s: 1000 } }],
    }),
  },
});

export const client = group('The command line and the examples', {
  notes: 'The service does not use these.',
  variables: {
    SLIPWAY_URL: Type.Optional(
      Text({
        description: 'Where the command line and the examples look for the service.',
        defaultText: 'where `SLIPWAY_HOST` and `SLIPWAY_PORT` say',
        examples: ['http://127.0.0.1:8081'],
      }),
    ),
    SLIPWAY_API_KEY: Text({
      description: 'The API key of `slipway quote`, `slipway scores` and the examples.',
      default: SANDBOX_KEY,
      secret: true,
    }),
  },
});
