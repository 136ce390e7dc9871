import { ConfigError } from './config-error.js';
import { nearest } from './nearest.js';

/** Every variable that the service or its command line reads, beside NODE_ENV and DATABASE_URL. */
export const variableNames = [
  'SLIPWAY_ADMIN_TOKEN',
  'SLIPWAY_API_KEY',
  'SLIPWAY_CHALLENGE_PREFIX',
  'SLIPWAY_CONFIG',
  'SLIPWAY_CORS_ORIGINS',
  'SLIPWAY_DATA_DIR',
  'SLIPWAY_DFLOW_API_KEY',
  'SLIPWAY_DFLOW_URL',
  'SLIPWAY_FORK_URL',
  'SLIPWAY_HERMES_KEY',
  'SLIPWAY_HERMES_URL',
  'SLIPWAY_HOST',
  'SLIPWAY_LOG_LEVEL',
  'SLIPWAY_OKX_API_KEY',
  'SLIPWAY_OKX_PASSPHRASE',
  'SLIPWAY_OKX_SECRET_KEY',
  'SLIPWAY_OKX_URL',
  'SLIPWAY_PORT',
  'SLIPWAY_PRICES',
  'SLIPWAY_PROGRAMS_DIR',
  'SLIPWAY_PUBLIC_URL',
  'SLIPWAY_ROLES',
  'SLIPWAY_RPC_PORT',
  'SLIPWAY_RPC_URL',
  'SLIPWAY_RPC_WS_URL',
  'SLIPWAY_S3_ACCESS_KEY_ID',
  'SLIPWAY_S3_BUCKET',
  'SLIPWAY_S3_ENDPOINT',
  'SLIPWAY_S3_PUBLIC_URL',
  'SLIPWAY_S3_REGION',
  'SLIPWAY_S3_SECRET_ACCESS_KEY',
  'SLIPWAY_SANDBOX',
  'SLIPWAY_SCORES_URL',
  'SLIPWAY_SEND_URLS',
  'SLIPWAY_SIGNER_FILE',
  'SLIPWAY_SIGNER_PASSPHRASE',
  'SLIPWAY_URL',
] as const;

export type VariableName = (typeof variableNames)[number] | 'DATABASE_URL' | 'NODE_ENV';

/** Reads single variables. An empty one counts as not set. Everything that cannot be used throws a ConfigError. */
export interface Environment {
  text(name: VariableName): string | undefined;
  flag(name: VariableName): boolean | undefined;
  port(name: VariableName): number | undefined;
  /** The URL as given; it may hold credentials, so errors do not repeat it. */
  url(name: VariableName, protocols: readonly string[]): string | undefined;
  urls(name: VariableName, protocols: readonly string[]): string[];
  choice<T extends string>(name: VariableName, choices: readonly T[]): T | undefined;
  /** A comma list. */
  choices<T extends string>(name: VariableName, choices: readonly T[]): T[] | undefined;
  list(name: VariableName): string[] | undefined;
}

/** Throws a ConfigError for a `SLIPWAY_` variable that is not known, with the nearest one that is. */
export function readEnvironment(env: Record<string, string | undefined>): Environment {
  const known: readonly string[] = variableNames;
  for (const name of Object.keys(env)) {
    if (name.startsWith('SLIPWAY_') && !known.includes(name)) {
      throw new ConfigError(`${name} is not a known variable; did you mean ${nearest(name, known)}?`);
    }
  }

  const text = (name: VariableName): string | undefined => env[name] || undefined;

  const list = (name: VariableName): string[] | undefined => {
    const items = text(name)
      ?.split(',')
      .map((item) => item.trim());
    if (items?.includes('')) throw new ConfigError(`${name} must be a comma list without empty items`);
    return items;
  };

  const checkUrl = (name: VariableName, value: string, protocols: readonly string[]): string => {
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol.slice(0, -1))) {
      throw new ConfigError(`${name} must be a URL that begins with ${protocols.map((p) => `${p}://`).join(' or ')}`);
    }
    return value;
  };

  const check = <T extends string>(name: VariableName, value: string, choices: readonly T[]): T => {
    const found = choices.find((choice) => choice === value);
    if (found === undefined) {
      throw new ConfigError(`${name} is ${JSON.stringify(value)}, but must be one of ${choices.join(', ')}`);
    }
    return found;
  };

  return {
    text,
    list,
    flag(name) {
      const value = text(name);
      return value === undefined ? undefined : check(name, value, ['1', '0']) === '1';
    },
    port(name) {
      const value = text(name);
      if (value === undefined) return undefined;
      if (!/^\d{1,5}$/.test(value) || Number(value) > 65535) {
        throw new ConfigError(`${name} is ${JSON.stringify(value)}, but must be a port from 0 to 65535`);
      }
      return Number(value);
    },
    url(name, protocols) {
      const value = text(name);
      return value === undefined ? undefined : checkUrl(name, value, protocols);
    },
    urls: (name, protocols) => (list(name) ?? []).map((value) => checkUrl(name, value, protocols)),
    choice(name, choices) {
      const value = text(name);
      return value === undefined ? undefined : check(name, value, choices);
    },
    choices: (name, choices) => list(name)?.map((value) => check(name, value, choices)),
  };
}
