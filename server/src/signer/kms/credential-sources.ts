import { readFile } from 'node:fs/promises';
import type { CredentialSource, Loaded } from './credentials.js';
import { type Exchange, type Incoming, NoAnswer, type Outgoing } from './exchange.js';
import { KmsError } from './kms-error.js';

type Env = Readonly<Record<string, string | undefined>>;

/** The addresses of the agents of ECS, EKS and EC2, which speak no TLS. */
const ECS_AGENT = 'http://169.254.170.2';
const INSTANCE_METADATA = 'http://169.254.169.254';
const WITHOUT_TLS = [
  'localhost',
  '127.0.0.1',
  '[::1]',
  '169.254.170.2',
  '169.254.170.23',
  '[fd00:ec2::23]',
  '169.254.169.254',
  '[fd00:ec2::254]',
];
/** Of the token of the instance metadata, in seconds: it is used at once. */
const TOKEN_TTL = '60';
const TIMEOUT_MS = 1_000;

/** The source that the environment names: itself, a container's agent, or the metadata of an instance. @throws KmsError */
export function sourceOf(env: Env, exchange: Exchange): CredentialSource {
  const { AWS_ACCESS_KEY_ID: id, AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path } = env;
  if (id) return environmentSource(env);
  const { AWS_CONTAINER_CREDENTIALS_FULL_URI: full } = env;
  // A path that began with @ would make the address a user name.
  if (path && !path.startsWith('/')) throw new KmsError('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI must begin with /');
  const agent = path ? `${ECS_AGENT}${path}` : full;
  if (agent) return containerSource(agent, env, exchange);
  if (env.AWS_EC2_METADATA_DISABLED?.toLowerCase() === 'true') {
    throw new KmsError('there are no credentials for AWS in the environment: see "Keys in AWS KMS" in docs/signer.md');
  }
  return instanceSource(env.AWS_EC2_METADATA_SERVICE_ENDPOINT || INSTANCE_METADATA, exchange);
}

function environmentSource(env: Env): CredentialSource {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = env;
  const name = 'the environment';
  const loaded = credentialsOf({
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    Token: token || undefined,
  });
  if (loaded === undefined) throw new KmsError('AWS_ACCESS_KEY_ID needs AWS_SECRET_ACCESS_KEY beside it');
  return { name, load: async () => loaded };
}

/** The agent of ECS, or of EKS Pod Identity. */
function containerSource(address: string, env: Env, exchange: Exchange): CredentialSource {
  const name = "the container's agent";
  const url = agentUrl(address, 'AWS_CONTAINER_CREDENTIALS_FULL_URI');
  const { AWS_CONTAINER_AUTHORIZATION_TOKEN: given, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file } = env;
  return {
    name,
    async load() {
      const token = file ? await tokenIn(file) : given;
      const headers: Record<string, string> = { accept: 'application/json' };
      if (token) headers.authorization = token;
      return read(name, await ask(name, exchange, { method: 'GET', url, headers }));
    },
  };
}

/** An instance of EC2, by version 2 of its metadata service. */
function instanceSource(address: string, exchange: Exchange): CredentialSource {
  const name = 'the metadata of the instance';
  const base = agentUrl(address, 'AWS_EC2_METADATA_SERVICE_ENDPOINT');
  const at = (path: string) => new URL(path, base);
  return {
    name,
    async load() {
      const ttl = { 'x-aws-ec2-metadata-token-ttl-seconds': TOKEN_TTL };
      const token = await ask(name, exchange, { method: 'PUT', url: at('/latest/api/token'), headers: ttl });
      const headers = { 'x-aws-ec2-metadata-token': token.body };
      const roles = '/latest/meta-data/iam/security-credentials/';
      const list = await ask(name, exchange, { method: 'GET', url: at(roles), headers });
      const [role = ''] = list.body.trim().split('\n');
      if (!/^[\w+=,.@-]{1,64}$/.test(role)) throw new KmsError(`${name} name no role: give the instance one`);
      return read(name, await ask(name, exchange, { method: 'GET', url: at(`${roles}${role}`), headers }));
    },
  };
}

/** The credentials would go to whoever listens between, so that only the machine itself may be asked without TLS. */
function agentUrl(address: string, setting: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isFine = url?.protocol === 'https:' || (url?.protocol === 'http:' && WITHOUT_TLS.includes(url.hostname));
  if (isFine && url.username === '' && url.password === '') return url;
  throw new KmsError(`${setting} must be a URL with https://, or that of an agent of this machine`);
}

async function tokenIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new KmsError(`AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE cannot be read (${error.code})`);
  });
  return text.trim();
}

async function ask(name: string, exchange: Exchange, outgoing: Omit<Outgoing, 'timeoutMs'>): Promise<Incoming> {
  try {
    const answer = await exchange({ ...outgoing, timeoutMs: TIMEOUT_MS });
    if (answer.status === 200) return answer;
    throw new NoAnswer(`status ${answer.status}`);
  } catch (error) {
    // Whatever else it is, such as a header that is none, may repeat a secret.
    const why = error instanceof NoAnswer ? error.message : 'the request cannot be made';
    throw new KmsError(`there are no credentials for AWS from ${name} (${why}), and none in the environment`);
  }
}

function read(name: string, { body }: Incoming): Loaded {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    value = undefined;
  }
  const loaded = credentialsOf((value ?? {}) as Record<string, unknown>);
  if (loaded === undefined) throw new KmsError(`what ${name} give for AWS are no credentials`);
  return loaded;
}

const isWord = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.length <= most && /^[\x21-\x7e]+$/.test(value);

/** Only what can stand in a header; undefined for whatever else. */
function credentialsOf({
  AccessKeyId,
  SecretAccessKey,
  Token,
  Expiration,
}: Record<string, unknown>): Loaded | undefined {
  if (!isWord(AccessKeyId, 128) || !isWord(SecretAccessKey, 256)) return undefined;
  if (Token !== undefined && !isWord(Token, 16_384)) return undefined;
  const expiresAt = typeof Expiration === 'string' ? Date.parse(Expiration) : undefined;
  if (Expiration !== undefined && !Number.isFinite(expiresAt)) return undefined;
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token, expiresAt };
}
