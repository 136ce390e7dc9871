/** What the wallet reads of the sandbox's own description. */
export interface Sandbox {
  rpcUrl: string;
  wallets: readonly { name: string; address: string; secretKey: string }[];
  mints: readonly { symbol: string; mint: string; decimals: number }[];
  programs: readonly { name: string; address: string }[];
}

/** @throws Error that says where there is no sandbox */
export async function readSandbox(origin: string, key: string): Promise<Sandbox> {
  const response = await fetch(new URL('/sandbox/info', origin), { headers: { 'x-api-key': key } });
  if (response.status === 401) throw new Error(`${origin} has a key of its own: load wallet.js?key=<the key>`);
  if (!response.ok) throw new Error(`${origin} is no sandbox: it answered ${response.status}`);
  return (await response.json()) as Sandbox;
}

/** A JSON-RPC call to the chain. @throws Error with the node's message */
export async function callChain<T>({ rpcUrl }: Sandbox, method: string, ...params: unknown[]): Promise<T> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const answer = (await response.json()) as { result: T; error?: { message: string } };
  if (answer.error) throw new Error(answer.error.message);
  return answer.result;
}

export const toBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

export const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
