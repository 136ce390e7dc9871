import {
  compileMessage,
  decodeTransaction,
  encodeTransaction,
  type Instruction,
  type Keypair,
  sign,
  type Transaction,
  unsignedTransaction,
  withSignature,
} from '@slipway/wire';
import { type Localnet, type LocalnetOptions, startLocalnet } from './index.js';

/** What `localnet_info` answers. */
interface Info {
  wallets: { name: string; address: string; secretKey: string }[];
  mints: { symbol: string; mint: string; decimals: number }[];
  receiver: string;
  programs: { name: string; address: string }[];
  forkHost: string | null;
  unixTimestamp: number;
}

export interface TestNet {
  localnet: Localnet;
  info: Info;
  /** The wallet of that name. */
  wallet: (name: string) => { address: string; secretKey: string };
  /** The mint of that symbol. */
  mint: (symbol: string) => string;
  /** A call over HTTP: the whole response. */
  post: (method: string, params?: unknown) => Promise<RpcResponse>;
}

/** A value from outside, into which a test looks without telling its type first. */
export interface Loose {
  [key: string]: Loose;
}

interface RpcResponse {
  jsonrpc: string;
  id: unknown;
  result: Loose;
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

/** A chain in memory on free ports, for tests. */
export async function startTestNet(options: LocalnetOptions = {}): Promise<TestNet> {
  const localnet = await startLocalnet({ rpcPort: 0, ...options });
  const info = (await localnet.call('localnet_info')) as Info;
  return {
    localnet,
    info,
    wallet: (name) => found(info.wallets.find((wallet) => wallet.name === name)),
    mint: (symbol) => found(info.mints.find((mint) => mint.symbol === symbol)).mint,
    post: async (method, params) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const response = await fetch(localnet.rpcUrl, { method: 'POST', body });
      return (await response.json()) as RpcResponse;
    },
  };
}

export function found<T>(value: T | undefined | null): T {
  if (value === undefined || value === null) throw new Error('not found');
  return value;
}

/** A signed transaction in base64, with the recent blockhash of the chain unless another is given. */
export async function signedTransaction(
  net: TestNet,
  signers: Keypair[],
  instructions: Instruction[],
  blockhash?: string,
): Promise<string> {
  const latest = (await net.post('getLatestBlockhash')).result.value?.blockhash;
  const message = compileMessage({
    version: 0,
    feePayer: found(signers[0]).address,
    instructions,
    blockhash: blockhash ?? String(latest),
  });
  let signed: Transaction = decodeTransaction(unsignedTransaction(message));
  for (const keypair of signers) signed = withSignature(signed, keypair.address, sign(keypair, message));
  return Buffer.from(encodeTransaction(signed)).toString('base64');
}
