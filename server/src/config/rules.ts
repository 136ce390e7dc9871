import { isIPv6 } from 'node:net';
import { isAddress } from '@slipway/wire';
import { LEAST_SECRET } from '../lib/least-secret.js';
import type { SettingName, Values } from './settings/table.js';

/** A condition between settings. It is not checked if one of them is at fault by itself. */
interface Rule {
  readonly about: readonly SettingName[];
  /** What is wrong, naming a setting first; undefined if all is well. */
  readonly fault: (values: Values) => string | undefined | false;
}

/** The URL of a host and port; not a valid one if the host is not. */
export function listenUrl(host: string, port: number): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

const LOOPBACK = /^(?:localhost|::1|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;

/** The first of them that is set. */
function firstSet<N extends keyof Values>(values: Values, names: readonly N[]): N | undefined {
  return names.find((name) => {
    const value = values[name];
    return value !== undefined && !(Array.isArray(value) && value.length === 0);
  });
}

const ofEmbeddedChain = ['SLIPWAY_PROGRAMS_DIR', 'SLIPWAY_FORK_URL'] as const;
const ofOutsideChain = ['SLIPWAY_RPC_WS_URL', 'SLIPWAY_SEND_URLS'] as const;
const bucketKeys = ['SLIPWAY_S3_ACCESS_KEY_ID', 'SLIPWAY_S3_SECRET_ACCESS_KEY'] as const;
const neededByBucket = ['SLIPWAY_S3_REGION', 'SLIPWAY_S3_PUBLIC_URL'] as const;
const ofBucket = ['SLIPWAY_S3_REGION', 'SLIPWAY_S3_ENDPOINT', 'SLIPWAY_S3_PUBLIC_URL', ...bucketKeys] as const;
const ofSignerFile = ['SLIPWAY_SIGNER_FILE', 'SLIPWAY_SIGNER_PASSPHRASE'] as const;
/** The files with which TLS shows who is who. */
export const ofSignerTls = ['SLIPWAY_SIGNER_CERTIFICATE', 'SLIPWAY_SIGNER_KEY', 'SLIPWAY_SIGNER_CA'] as const;
const ofOkx = ['SLIPWAY_OKX_API_KEY', 'SLIPWAY_OKX_SECRET_KEY', 'SLIPWAY_OKX_PASSPHRASE'] as const;

export const rules: readonly Rule[] = [
  {
    about: ['SLIPWAY_ADMIN_TOKEN'],
    fault: ({ sandbox, SLIPWAY_SANDBOX_PUBLIC: isPublic, SLIPWAY_ADMIN_TOKEN: token }) =>
      (!sandbox || isPublic) &&
      token !== undefined &&
      token.length < LEAST_SECRET &&
      `SLIPWAY_ADMIN_TOKEN has fewer than ${LEAST_SECRET} characters; make one with: node -p "crypto.randomBytes(32).toString('hex')"`,
  },
  {
    about: ['SLIPWAY_SIGNER_PASSPHRASE', 'SLIPWAY_SIGNER_URL'],
    fault: ({ sandbox, SLIPWAY_SIGNER_PASSPHRASE: passphrase, SLIPWAY_SIGNER_URL: url }) =>
      !sandbox &&
      passphrase === undefined &&
      url === undefined &&
      'SLIPWAY_SIGNER_PASSPHRASE is required when SLIPWAY_SANDBOX is off, or SLIPWAY_SIGNER_URL for a signer in a process of its own',
  },
  {
    about: ['SLIPWAY_SIGNER_URL', ...ofSignerFile],
    fault(values) {
      const name = values.SLIPWAY_SIGNER_URL !== undefined && firstSet(values, ofSignerFile);
      return name && `${name} belongs to keys in this process, but SLIPWAY_SIGNER_URL names a signer that has them`;
    },
  },
  {
    about: ['SLIPWAY_SIGNER_URL', ...ofSignerTls],
    fault(values) {
      const isTls = values.SLIPWAY_SIGNER_URL?.startsWith('tls:') ?? false;
      const missing = ofSignerTls.find((name) => values[name] === undefined);
      if (isTls) return missing && `${missing} is required where SLIPWAY_SIGNER_URL begins with tls://`;
      const given = firstSet(values, ofSignerTls);
      return given && `${given} belongs to TLS, but SLIPWAY_SIGNER_URL does not begin with tls://`;
    },
  },
  {
    about: ['DATABASE_URL', 'SLIPWAY_EMBEDDED_DATABASE'],
    fault: ({ sandbox, DATABASE_URL: url, SLIPWAY_EMBEDDED_DATABASE: isWanted }) =>
      !sandbox &&
      url === undefined &&
      !isWanted &&
      'DATABASE_URL is required when SLIPWAY_SANDBOX is off, or SLIPWAY_EMBEDDED_DATABASE=1 for one machine whose last writes a power failure may cost',
  },
  {
    about: ['SLIPWAY_HOST', 'SLIPWAY_PORT'],
    fault: ({ SLIPWAY_HOST: host, SLIPWAY_PORT: port }) =>
      !URL.canParse(listenUrl(host, port)) && `SLIPWAY_HOST is ${JSON.stringify(host)}, which is not a host`,
  },
  {
    about: ['SLIPWAY_OPERATIONS_PORT', 'SLIPWAY_PORT'],
    fault: ({ SLIPWAY_OPERATIONS_PORT: own, SLIPWAY_PORT: port }) =>
      own === port && port !== 0 && `SLIPWAY_OPERATIONS_PORT is ${own}, which is the port of the API (SLIPWAY_PORT)`,
  },
  {
    about: ['SLIPWAY_SANDBOX_PUBLIC', 'SLIPWAY_SANDBOX'],
    fault: ({ sandbox, SLIPWAY_SANDBOX_PUBLIC: isPublic }) =>
      isPublic && !sandbox && 'SLIPWAY_SANDBOX_PUBLIC belongs to a sandbox, but SLIPWAY_SANDBOX is off',
  },
  {
    about: ['SLIPWAY_SANDBOX_PUBLIC', 'SLIPWAY_RPC_URL'],
    fault: ({ sandbox, SLIPWAY_SANDBOX_PUBLIC: isPublic, SLIPWAY_RPC_URL: url }) =>
      isPublic &&
      sandbox &&
      url !== undefined &&
      'SLIPWAY_SANDBOX_PUBLIC wants the embedded chain, which it keeps from strangers, but SLIPWAY_RPC_URL names an outside one',
  },
  {
    about: ['SLIPWAY_HOST', 'SLIPWAY_SANDBOX'],
    fault: ({ sandbox, SLIPWAY_SANDBOX_PUBLIC: isPublic, SLIPWAY_HOST: host }) =>
      sandbox &&
      !isPublic &&
      !LOOPBACK.test(host) &&
      `SLIPWAY_HOST is ${JSON.stringify(host)} while SLIPWAY_SANDBOX is on, but a sandbox, whose key everybody knows, listens on 127.0.0.1, ::1 or localhost only; SLIPWAY_SANDBOX_PUBLIC=1 gives it a key of its own`,
  },
  {
    about: ['SLIPWAY_RPC_PORT', 'SLIPWAY_RPC_URL'],
    fault: ({ SLIPWAY_RPC_PORT: port, SLIPWAY_RPC_URL: url }) =>
      url === undefined &&
      port === 65_535 &&
      'SLIPWAY_RPC_PORT is 65535, but must be at most 65534: the WebSocket takes the next port',
  },
  {
    about: ['SLIPWAY_PORT', 'SLIPWAY_RPC_PORT', 'SLIPWAY_RPC_URL'],
    fault: ({ SLIPWAY_PORT: port, SLIPWAY_RPC_PORT: rpcPort, SLIPWAY_RPC_URL: url }) =>
      url === undefined &&
      rpcPort !== 0 &&
      (port === rpcPort || port === rpcPort + 1) &&
      `SLIPWAY_PORT is ${port}, but the chain takes ${rpcPort} and ${rpcPort + 1} (SLIPWAY_RPC_PORT and the next)`,
  },
  {
    about: ['SLIPWAY_RPC_URL'],
    fault(values) {
      const name = values.SLIPWAY_RPC_URL !== undefined && firstSet(values, ofEmbeddedChain);
      return name && `${name} belongs to the embedded chain, but SLIPWAY_RPC_URL names an outside one`;
    },
  },
  {
    about: ['SLIPWAY_RPC_URL', ...ofOutsideChain],
    fault(values) {
      const name = values.SLIPWAY_RPC_URL === undefined && firstSet(values, ofOutsideChain);
      return name && `${name} belongs to an outside chain, but SLIPWAY_RPC_URL is not set`;
    },
  },
  {
    about: ['SLIPWAY_PRICES', 'SLIPWAY_SANDBOX'],
    fault({ sandbox, SLIPWAY_PRICES: sources }) {
      const source = sources.find((each) => each === 'fixed' || each === 'simulated');
      return !sandbox && source && `SLIPWAY_PRICES has ${source}, but only a sandbox has prices that are made up`;
    },
  },
  {
    about: ofOkx,
    fault: (values) =>
      firstSet(values, ofOkx) !== undefined &&
      ofOkx.some((name) => values[name] === undefined) &&
      'OKX wants all three of SLIPWAY_OKX_API_KEY, SLIPWAY_OKX_SECRET_KEY and SLIPWAY_OKX_PASSPHRASE: set the others, or none',
  },
  {
    about: ['SLIPWAY_S3_BUCKET'],
    fault(values) {
      const name = values.SLIPWAY_S3_BUCKET === undefined && firstSet(values, ofBucket);
      return name && `${name} belongs to a bucket, but SLIPWAY_S3_BUCKET is not set`;
    },
  },
  ...neededByBucket.map((name) => ({
    about: [name, 'SLIPWAY_S3_BUCKET'] as const,
    fault: (values: Values) =>
      values.SLIPWAY_S3_BUCKET !== undefined &&
      values[name] === undefined &&
      `${name} is required where SLIPWAY_S3_BUCKET is set`,
  })),
  {
    about: bucketKeys,
    fault: (values) =>
      values.SLIPWAY_S3_BUCKET !== undefined &&
      bucketKeys.filter((name) => values[name] === undefined).length === 1 &&
      `${bucketKeys.join(' and ')} belong together: set both or neither`,
  },
  {
    about: ['tiers.unlimited'],
    fault: ({ tiers }) => Object.hasOwn(tiers, 'unlimited') && 'tiers.unlimited is built in and cannot be set',
  },
  {
    about: ['prices.feeds'],
    fault({ prices }) {
      const mint = Object.keys(prices.feeds).find((each) => !isAddress(each));
      return mint && `prices.feeds has ${mint}, which is not the address of a mint`;
    },
  },
  {
    about: ['scores.games'],
    fault({ scores }) {
      const simulated = Object.keys(scores.games).find((eventId) => eventId.startsWith('SIM-'));
      return simulated && `scores.games has ${simulated}, but SIM- begins the ids of a sandbox's simulated games`;
    },
  },
  {
    about: ['submit.minTipLamports', 'submit.tipAccounts'],
    fault: ({ submit }) =>
      submit.minTipLamports !== '0' &&
      submit.tipAccounts.length === 0 &&
      'submit.minTipLamports asks for a tip, but submit.tipAccounts names nobody to receive it',
  },
];
