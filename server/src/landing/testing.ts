import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLocalnet } from '@slipway/localnet';
import {
  compileMessage,
  encodeTransaction,
  generateKeypair,
  type Instruction,
  initializeNonce,
  type Keypair,
  SYSTEM_PROGRAM,
  sign,
  systemCreateAccount,
  unsignedTransaction,
} from '@slipway/wire';
import { pino } from 'pino';
import { createChain, createLocalRpc, type Rpc } from '../chain/index.js';
import { type Clock, createClock, steadyNow } from '../lib/clock.js';
import { PATIENCE_MS, runningNow } from '../lib/testing.js';
import { testSigner } from '../sandbox/maker/testing.js';
import type { LedgerRow } from '../store/ledger.js';
import { openAnyStore } from '../store/testing.js';
import { isBadTransaction, Landing, readSigned } from './index.js';
import { nonceIn } from './lifetime.js';

export const FEES = { percentile: 50, maxMicroLamports: 1_000_000n };
const LIMITS = { underWayPerKey: 3, underWay: 5 };
export const log = pino({ level: 'silent' });

export function signedBy(instructions: Instruction[], blockhash: string, ...signers: [Keypair, ...Keypair[]]) {
  const message = compileMessage({ version: 0, feePayer: signers[0].address, instructions, blockhash });
  const transaction = { signatures: signers.map((signer) => sign(signer, message)), message };
  const signed = readSigned(Buffer.from(encodeTransaction(transaction)).toString('base64'));
  if (isBadTransaction(signed)) throw new Error(signed.reason);
  return signed;
}

/** A transaction that does nothing, as a node is given it, of somebody new by default. */
export function emptyWire(blockhash: string, feePayer = generateKeypair().address): Uint8Array {
  return unsignedTransaction(compileMessage({ version: 0, feePayer, instructions: [], blockhash }));
}

/**
 * The sandbox's chain, which loses what strangers send while `node.swallows`, and tells of it what `node.instead` says; landing, whose
 * time `time.ahead` moves; and the calls that strangers' transactions cause.
 */
export async function openWorld() {
  const net = await startLocalnet({ rpcPort: 0 });
  const rpc = createLocalRpc((method, params) => net.call(method, params));
  const calls = new Map<string, number>();
  const node = {
    swallows: false,
    /** In place of an answer; undefined for what is answered as always. */
    instead: (_method: string, _params: unknown[]): unknown => undefined,
  };
  const counting: Rpc = {
    name: 'counting',
    async call<T>(method: string, params: unknown[]): Promise<T> {
      calls.set(method, (calls.get(method) ?? 0) + 1);
      if (method === 'sendTransaction' && node.swallows) return '' as T;
      return ((await node.instead(method, params)) as T | undefined) ?? rpc.call<T>(method, params);
    },
  };
  const [store, clock, time] = [await openAnyStore(), createClock(), { ahead: 0 }];
  const ended: LedgerRow[] = [];
  const chain = createChain({ rpc: counting, steadyNow, fees: FEES });
  const newLanding = (by: Clock) =>
    new Landing({
      store,
      clock: by,
      steadyNow: () => steadyNow() + time.ahead,
      log,
      signer: testSigner(),
      settlements: {},
      chain: createChain({ rpc, steadyNow, fees: FEES }),
      sendRpcs: [rpc],
      strangers: { chain, sendRpcs: [counting], ...LIMITS },
      observe: (row) => void ended.push(row),
    });
  const landing = newLanding(clock);
  return {
    rpc,
    store,
    clock,
    chain,
    landing,
    /** Of another copy, with its own clock. */
    newLanding,
    calls,
    node,
    time,
    ended,
    blockhash: async () => (await createChain({ rpc, steadyNow, fees: FEES }).latestBlockhash()).blockhash,
    async wallet(lamports: number) {
      const keypair = generateKeypair();
      await rpc.call('requestAirdrop', [keypair.address, lamports]);
      return keypair;
    },
    /** Has a nonce account made, with what it holds. */
    async nonce(owner: Keypair) {
      const nonce = generateKeypair();
      const account = { payer: owner.address, newAccount: nonce.address, lamports: 1_447_680n, space: 80 };
      const creation = [
        systemCreateAccount({ ...account, owner: SYSTEM_PROGRAM }),
        initializeNonce({ nonce: nonce.address, authority: owner.address }),
      ];
      await landing.submit(signedBy(creation, await this.blockhash(), owner, nonce), { id: 'owner' });
      await this.haveEnded(1);
      return { nonce: nonce.address, value: nonceIn((await chain.account(nonce.address))!.data)! };
    },
    async haveEnded(count: number) {
      for (const end = runningNow() + PATIENCE_MS; ended.length < count; await sleep(5))
        assert.ok(runningNow() < end, `${ended.length} of ${count} have ended`);
    },
    async close() {
      landing.close();
      await store.close();
      await net.close();
    },
  };
}
