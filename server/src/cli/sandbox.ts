import type { Answer } from '@slipway/client';
import { type Address, isAddress, WRAPPED_SOL_MINT } from '@slipway/wire';
import { nearest } from '../lib/nearest.js';
import { type CliContext, CommandError, UsageError } from './context.js';
import { apiKeyOf, bodyOf, type Answer as HttpAnswer, requestJson, WrongKey } from './service.js';

export type SandboxInfo = Answer<'get', '/sandbox/info'>;
export type SandboxMint = SandboxInfo['mints'][number];

const NOT_FOUND = 404;

/** What a sandbox says of itself; undefined where the service is none. @throws WrongKey */
export async function askSandbox(context: CliContext, base: string): Promise<SandboxInfo | undefined> {
  const answer = await ask(context, base, '/sandbox/info');
  return answer.status === NOT_FOUND ? undefined : bodyOf<SandboxInfo>(answer);
}

/** As `askSandbox`, for commands that do nothing elsewhere. */
export async function sandboxInfo(context: CliContext, base: string): Promise<SandboxInfo> {
  const info = await askSandbox(context, base);
  if (!info) throw new CommandError(`the service at ${base} is not a sandbox: money, prices and time are real there`);
  return info;
}

/** Posts to a route of the sandbox. */
export async function postToSandbox<T>(context: CliContext, base: string, path: string, body: unknown): Promise<T> {
  return bodyOf<T>(await ask(context, base, path, body));
}

async function ask(context: CliContext, base: string, path: string, body?: unknown): Promise<HttpAnswer> {
  const headers = { 'x-api-key': await apiKeyOf(context) };
  const answer = await requestJson(`${base}${path}`, { headers, ...(body !== undefined && { method: 'POST', body }) });
  if (answer.status === 401) throw new WrongKey();
  return answer;
}

/** An address, or in a sandbox the name of a wallet; `what` names the argument. */
export async function findWallet(context: CliContext, base: string, text: string, what: string): Promise<Address> {
  if (isAddress(text)) return text;
  const info = await askSandbox(context, base);
  if (!info) throw new UsageError(`${what} must be the address of a wallet`);
  return walletOf(info, text, what);
}

/** As `findWallet`, by what the sandbox has said. */
export function walletOf({ wallets }: SandboxInfo, text: string, what: string): Address {
  const address = wallets.find(({ name }) => name === text.toLowerCase())?.address ?? text;
  if (isAddress(address)) return address;
  const names = wallets.map(({ name }) => name).join(', ');
  throw new UsageError(`${what} must be the address of a wallet, or one of ${names}`);
}

const SOL: SandboxMint = { symbol: 'SOL', mint: WRAPPED_SOL_MINT, decimals: 9 };

/** A mint of the sandbox by symbol or address; undefined for the address of another. */
export function mintOf(info: SandboxInfo, name: string): SandboxMint | undefined {
  const mints = [...info.mints, SOL];
  const found = mints.find(({ mint, symbol }) => mint === name || symbol.toLowerCase() === name.toLowerCase());
  if (found || isAddress(name)) return found;
  const symbols = [...new Set(mints.map(({ symbol }) => symbol))];
  throw new UsageError(`no mint is called ${name}: ${suggestion(name.toUpperCase(), symbols)}`);
}

function suggestion(name: string, known: readonly string[]): string {
  const guess = nearest(name, known);
  return guess ? `did you mean ${guess}?` : `there are ${known.join(', ')}`;
}
