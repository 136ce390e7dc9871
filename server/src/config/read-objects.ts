import type { Config } from './config.js';
import { ConfigError } from './config-error.js';
import type { Environment } from './environment.js';
import type { Settings } from './settings-file.js';

const MINUTE = 60;

/** Where uploads are kept: in a bucket where one is named, else in the data folder. */
export function readObjects(variables: Environment, { uploads = {} }: Settings): Config['objects'] {
  return {
    store: readStore(variables),
    maxImageBytes: uploads.maxImageBytes ?? 5 * 1024 * 1024,
    urlSeconds: uploads.urlSeconds ?? 15 * MINUTE,
  };
}

function readStore(variables: Environment): Config['objects']['store'] {
  const bucket = variables.text('SLIPWAY_S3_BUCKET');
  const region = variables.text('SLIPWAY_S3_REGION');
  const endpoint = bareUrl(variables, 'SLIPWAY_S3_ENDPOINT');
  const publicUrl = bareUrl(variables, 'SLIPWAY_S3_PUBLIC_URL');
  const accessKeyId = variables.text('SLIPWAY_S3_ACCESS_KEY_ID');
  const secretAccessKey = variables.text('SLIPWAY_S3_SECRET_ACCESS_KEY');
  if (bucket === undefined) {
    const others = { REGION: region, ENDPOINT: endpoint, PUBLIC_URL: publicUrl, ACCESS_KEY_ID: accessKeyId };
    const [name] = Object.entries({ ...others, SECRET_ACCESS_KEY: secretAccessKey }).find(([, value]) => value) ?? [];
    if (name) throw new ConfigError(`SLIPWAY_S3_${name} belongs to a bucket, but SLIPWAY_S3_BUCKET is not set`);
    return { kind: 'local' };
  }
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw new ConfigError(
      `SLIPWAY_S3_BUCKET is ${JSON.stringify(bucket)}, but must be the name of a bucket: 3 to 63 of a-z, 0-9, . and -`,
    );
  }
  if (region === undefined || publicUrl === undefined) {
    const missing = region === undefined ? 'SLIPWAY_S3_REGION' : 'SLIPWAY_S3_PUBLIC_URL';
    throw new ConfigError(`${missing} is required where SLIPWAY_S3_BUCKET is set`);
  }
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    throw new ConfigError(
      'SLIPWAY_S3_ACCESS_KEY_ID and SLIPWAY_S3_SECRET_ACCESS_KEY belong together: set both or neither',
    );
  }
  return {
    ...{ kind: 's3', bucket, region, publicUrl },
    ...(endpoint !== undefined && { endpoint }),
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && { credentials: { accessKeyId, secretAccessKey } }),
  };
}

/** Without a slash at the end. */
function bareUrl(variables: Environment, name: 'SLIPWAY_S3_ENDPOINT' | 'SLIPWAY_S3_PUBLIC_URL'): string | undefined {
  const value = variables.url(name, ['http', 'https']);
  if (value === undefined) return undefined;
  const { search, hash, username } = new URL(value);
  if (search || hash || username) throw new ConfigError(`${name} must be a URL without a user, a query and a fragment`);
  return value.replace(/\/+$/, '');
}
