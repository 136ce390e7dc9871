import { base58Encode } from '@slipway/wire/formats';
import type { Connection } from './context.js';
import { expect } from './refuse.js';
import { signMessage } from './sign.js';
import type { Signer } from './signer.js';

const WORDS = /^Sign this message to authenticate with Slipway at (\S+) that you are the owner of$/;
const THIS_MACHINE = /^(?:[a-z0-9-]+\.)*localhost$|^127\.[0-9.]+$|^0\.0\.0\.0$|^\[::1?\]$/;

/**
 * Signs the text of a login: one that names the wallet and this service, and that no chain takes for a transaction. A
 * service could pass on the text of another one, to log in there in the wallet's name.
 */
export async function signLogin(
  connection: Pick<Connection, 'url' | 'challengePrefix'>,
  signer: Signer,
  challenge: string,
  wallet: string,
  signal?: AbortSignal,
): Promise<string> {
  const isText = /^[\x20-\x7e\n]{40,1000}$/.test(challenge);
  const end = challenge.indexOf(` ${wallet}.\n`);
  expect(isText && end > 0, 'the login is no text that names the wallet');
  checkWords(connection, challenge.slice(0, end));
  return base58Encode(await signMessage(signer, new TextEncoder().encode(challenge), signal));
}

function checkWords({ url, challengePrefix }: Pick<Connection, 'url' | 'challengePrefix'>, words: string): void {
  const otherwise = 'if that is your service, give createClient these words as challengePrefix';
  if (challengePrefix !== undefined) {
    expect(words === challengePrefix, `the login says ${JSON.stringify(words)}, not what challengePrefix says`);
    return;
  }
  const named = hostOf(`http://${WORDS.exec(words)?.[1]}`);
  const own = hostOf(url);
  const isOwn = named?.host === own?.host || [named, own].every((each) => THIS_MACHINE.test(each?.hostname ?? ''));
  expect(named && own && isOwn, `the login says ${JSON.stringify(words)}, and not ${own?.host}; ${otherwise}`);
}

/** A relative URL is one of the page. */
function hostOf(url: string): { host: string; hostname: string } | undefined {
  const page = (globalThis as { location?: { href: string } }).location?.href;
  try {
    const { host, hostname } = new URL(url, page);
    return { host, hostname };
  } catch {
    return undefined;
  }
}
