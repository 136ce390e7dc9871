import { startLocalnet } from '@slipway/localnet';
import { INVITE_PROGRAM } from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  decodeTokenAccount,
  generateKeypair,
  type Instruction,
  type Keypair,
} from '@slipway/wire';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { ChainUnavailable, createChain, createLocalRpc, type Rpc } from '../../chain/index.js';
import { craftTransaction } from '../../crafting/transaction.js';
import { startTestServer } from '../../http/testing.js';
import { createInviteIndex, type InviteIndexDeps } from '../../indexes/invites/index.js';
import { KeeperWallet } from '../../keeper/wallet.js';
import { INVITE_PURSE, Landing, sealed } from '../../landing/index.js';
import { createClock, steadyNow } from '../../lib/clock.js';
import { testSigner, USDC } from '../../sandbox/maker/testing.js';
import { clearInviteIndex } from '../../store/invites.js';
import { findRequest, insertCrafted, type NewRequest } from '../../store/ledger.js';
import { openAnyStore } from '../../store/testing.js';
import { signed } from '../trigger-v1/testing.js';
import { registerSend, sendArea } from './index.js';
import type { Invite } from './schema.js';

export { JUP, USDC } from '../../sandbox/maker/testing.js';
export { signed } from '../trigger-v1/testing.js';

/** The fields of all the area's answers. */
interface SendBody {
  tx: string;
  requestId: string;
  signature: string;
  expiry: string;
  totalFeeLamports: string;
  invites: Invite[];
  hasMoreData: boolean;
  error: string;
  /** Set if the limit is the reason. */
  message: string;
}

const log = pino({ level: 'silent' });

/** The sandbox's chain, and the area behind HTTP. */
export async function openSendWorld() {
  const net = await startLocalnet({ rpcPort: 0 });
  const rpc = createLocalRpc((method, params) => net.call(method, params));
  const clock = createClock();
  const chain = createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 1_000_000n } });
  const store = await openAnyStore();
  const signer = testSigner();
  const program = INVITE_PROGRAM;
  const keeper = signer.address('keeper');
  const time = { ahead: 0 };
  await rpc.call('requestAirdrop', [keeper, 10_000_000_000]);
  const landing = new Landing({
    store,
    clock,
    steadyNow,
    chain,
    signer,
    log,
    sendRpcs: [rpc],
    settlements: { invites: { keys: ['keeper'], purse: INVITE_PURSE }, ...sendArea.settlement!(clock, log) },
    observe: () => {},
  });
  /** An index of its own over the same store: another instance of the service, with another node. */
  const newIndex = (given: Partial<InviteIndexDeps> = {}) =>
    createInviteIndex({ store, chain, program, clock, steadyNow, log, registry: new Registry(), ...given });
  const index = newIndex();
  const deps = {
    store,
    clock,
    chain,
    signer,
    landing,
    keeperWallet: new KeeperWallet({ chain, address: keeper, steadyNow: () => steadyNow() + time.ahead, log }),
    program,
    index: { ...index, fresh: index.sync },
    async remember(request: NewRequest) {
      const row = await sealed(signer, request);
      await store.single((tx) => insertCrafted(tx, [row]));
    },
    findRequest: (id: string) => findRequest(store, id),
  };
  const keys = (id: string) => ({ id, tier: 'free', prefixes: [], origins: [] });
  const { app } = await startTestServer((server) => registerSend(server, deps), { keys });
  const call = async (method: 'GET' | 'POST', path: string, payload?: object, key = 'good-key') => {
    const headers = { 'x-api-key': key };
    const answer = await app.inject({ method, url: `/send/v1/${path}`, headers, ...(payload && { payload }) });
    return { status: answer.statusCode, body: answer.json() as SendBody };
  };
  return {
    net,
    rpc,
    clock,
    chain,
    store,
    landing,
    keeper,
    time,
    program,
    index,
    newIndex,
    deps,
    log,
    get: (path: string) => call('GET', path),
    post: (path: string, body: object, key?: string) => call('POST', path, body, key),
    /** A chain whose node answers some calls in its own way: with what `answer` returns, unless that is undefined. */
    chainThat(answer: (method: string, params: unknown[]) => unknown) {
      const own: Rpc = {
        ...rpc,
        call: async <T>(method: string, params: unknown[]) =>
          ((await answer(method, params)) ?? rpc.call<T>(method, params)) as T,
      };
      return { chain: { ...chain, rpc: own } };
    },
    /** The chain's clock and the service's. */
    async advance(seconds: number) {
      await rpc.call('localnet_advanceClock', [seconds]);
      clock.setOffset(clock.offsetMs + seconds * 1_000);
      chain.forget();
    },
    async close() {
      await app.close();
      landing.close();
      await store.close();
      await net.close();
    },
  };
}
export type SendWorld = Awaited<ReturnType<typeof openSendWorld>>;

/** A new wallet with 10 SOL and 1,000 USDC. */
export async function newWallet({ rpc }: Pick<SendWorld, 'rpc'>): Promise<Keypair> {
  const wallet = generateKeypair();
  await rpc.call('requestAirdrop', [wallet.address, 10_000_000_000]);
  await rpc.call('localnet_airdropToken', [wallet.address, USDC.mint, '1000000000']);
  return wallet;
}

/** Sends a crafted transaction with these signatures added; its signature. */
export function land({ rpc }: Pick<SendWorld, 'rpc'>, tx: string, ...signers: Keypair[]): Promise<string> {
  return rpc.call<string>('sendTransaction', [signed(tx, ...signers), { encoding: 'base64' }]);
}

/** Sends another client's own instructions. */
export async function send(world: SendWorld, signers: Keypair[], instructions: Instruction[]): Promise<string> {
  const { blockhash } = await world.chain.latestBlockhash();
  const budget = { computeUnitLimit: 300_000, computeUnitPrice: 0n };
  const { wire } = craftTransaction({ feePayer: signers[0]!.address, instructions, blockhash, budget });
  return land(world, Buffer.from(wire).toString('base64'), ...signers);
}

/** Creates an invite by the API; returns its key and the answer. */
export async function makeInvite(world: SendWorld, sender: Keypair, amount: bigint, mint?: Address) {
  const key = generateKeypair();
  const body = { inviteSigner: key.address, sender: sender.address, amount: `${amount}`, ...(mint && { mint }) };
  const { status, body: crafted } = await world.post('craft-send', body);
  if (status !== 200) throw new Error(JSON.stringify(crafted));
  return { key, crafted, signature: await land(world, crafted.tx, sender, key) };
}

export async function claim(world: SendWorld, key: Keypair, receiver: Address): Promise<string> {
  const { status, body } = await world.post('craft-claim', { inviteSigner: key.address, receiver });
  if (status !== 200) throw new Error(JSON.stringify(body));
  const claimed = await execute(world, body, key);
  if (claimed.status !== 200) throw new Error(JSON.stringify(claimed.body));
  return claimed.body.signature;
}

/** Posts a crafted claim, signed by these. */
export function execute(world: SendWorld, { tx, requestId }: { tx: string; requestId: string }, ...keys: Keypair[]) {
  return world.post('execute-claim', { requestId, signedTransaction: signed(tx, ...keys) });
}

export async function lamportsOf({ chain }: Pick<SendWorld, 'chain'>, address: Address): Promise<bigint> {
  return (await chain.account(address))?.lamports ?? 0n;
}

export async function tokensOf({ chain }: Pick<SendWorld, 'chain'>, owner: Address, mint: Address): Promise<bigint> {
  const account = await chain.account(associatedTokenAddress(owner, mint));
  return account ? decodeTokenAccount(account.data)!.amount : 0n;
}

/** Everything that the lists show, except what depends on where it was found. */
export async function listsOf({ store }: Pick<SendWorld, 'store'>): Promise<unknown> {
  const queries = [
    'select * from invites order by id',
    'select * from invite_history order by address, number',
    'select * from invite_addresses order by address',
    'select * from invite_blocks order by sender, block',
  ];
  return Promise.all(queries.map(async (text) => (await store.query(text)).rows));
}

export const forget = ({ store }: Pick<SendWorld, 'store'>): Promise<void> =>
  store.transaction((tx) => clearInviteIndex(tx));

/** A node that fails whenever `odds` returns true. */
export function breaking(world: SendWorld, odds: () => boolean) {
  return world.chainThat(() => (odds() ? Promise.reject(new ChainUnavailable('test')) : undefined));
}
