import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startLocalnet } from '@slipway/localnet';
import {
  advanceNonce,
  compileMessage,
  encodeTransaction,
  generateKeypair,
  type Instruction,
  initializeNonce,
  type Keypair,
  SYSTEM_PROGRAM,
  sign,
  systemCreateAccount,
  systemTransfer,
} from '@slipway/wire';
import { pino } from 'pino';
import { status } from '../areas/submit/status.js';
import { createChain, createLocalRpc, type Rpc } from '../chain/index.js';
import { createClock, steadyNow } from '../lib/clock.js';
import { PATIENCE_MS } from '../lib/testing.js';
import { waitAtMost } from '../lib/wait-at-most.js';
import { testSigner } from '../sandbox/maker/testing.js';
import type { LedgerRow } from '../store/ledger.js';
import { openAnyStore } from '../store/testing.js';
import { isBadTransaction, Landing, readSigned } from './index.js';
import { nonceIn } from './lifetime.js';

const FEES = { percentile: 50, maxMicroLamports: 1_000_000n };

/** The sandbox's chain, which loses all that is sent while `node.swallows`, and landing, whose time `later` moves. */
async function openWorld() {
  const net = await startLocalnet({ rpcPort: 0 });
  const local = createLocalRpc((method, params) => net.call(method, params));
  const node = { swallows: false };
  const rpc: Rpc = {
    name: 'local',
    call: async <T>(method: string, params: unknown[]) =>
      method === 'sendTransaction' && node.swallows ? ('' as T) : local.call<T>(method, params),
  };
  let ahead = 0;
  const now = () => steadyNow() + ahead;
  const store = await openAnyStore();
  const chain = createChain({ rpc, steadyNow: now, fees: FEES });
  let hear = (_: LedgerRow) => {};
  const landing = new Landing({
    store,
    clock: createClock(),
    steadyNow: now,
    log: pino({ level: 'silent' }),
    signer: testSigner(),
    settlements: {},
    chain,
    sendRpcs: [rpc],
    observe: (row) => hear(row),
  });
  const signed = (instructions: Instruction[], blockhash: string, ...signers: [Keypair, ...Keypair[]]) => {
    const message = compileMessage({ version: 0, feePayer: signers[0].address, instructions, blockhash });
    return encodeTransaction({ signatures: signers.map((signer) => sign(signer, message)), message });
  };
  return {
    rpc: local,
    store,
    chain,
    node,
    signed,
    later: (ms: number) => {
      ahead += ms;
    },
    /** Posts it, and waits for its end after `meanwhile`. */
    async submit(wire: Uint8Array, meanwhile = () => {}): Promise<LedgerRow> {
      const read = readSigned(Buffer.from(wire).toString('base64'));
      if (isBadTransaction(read)) throw new Error(read.reason);
      let ended: LedgerRow | undefined;
      const end = new Promise<void>((resolve) => {
        hear = (row) => {
          ended = row;
          resolve();
        };
      });
      await landing.submit(read, { id: 'somebody' });
      meanwhile();
      assert.ok(await waitAtMost(PATIENCE_MS, end));
      return ended!;
    },
    async close() {
      landing.close();
      await store.close();
      await net.close();
    },
  };
}

let world: Awaited<ReturnType<typeof openWorld>>;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

it('attack: a wallet keeps a payment with a durable nonce from landing until it is given up, to be paid anew and to land it then: its payer reads that it may', async () => {
  const [payer, nonce, payee] = [generateKeypair(), generateKeypair(), generateKeypair()];
  await world.rpc.call('requestAirdrop', [payer.address, 1_000_000_000]);
  const account = { payer: payer.address, newAccount: nonce.address, lamports: 1_447_680n, space: 80 };
  const creation = [
    systemCreateAccount({ ...account, owner: SYSTEM_PROGRAM }),
    initializeNonce({ nonce: nonce.address, authority: payer.address }),
  ];
  const { blockhash } = await world.chain.latestBlockhash();
  assert.equal((await world.submit(world.signed(creation, blockhash, payer, nonce))).state, 'landed');
  const value = nonceIn((await world.chain.account(nonce.address))!.data)!;
  const payment = [
    advanceNonce({ nonce: nonce.address, authority: payer.address }),
    systemTransfer({ from: payer.address, to: payee.address, lamports: 10_000_000n }),
  ];
  const wire = world.signed(payment, value, payer);

  world.node.swallows = true;
  const { state, signature } = await world.submit(wire, () => world.later(6 * 60_000));
  assert.equal(state, 'expired');
  const told = await status(world as never, { signature: signature! });
  assert.equal(told.status, 'expired');
  assert.match(told.error ?? 'it never will', /may as long as its nonce stands/);
  const { rows } = await world.store.query<{ pages: string }>(
    `select pages::text from event_outbox where pages::text like '%transaction.expired%'`,
  );
  assert.match(rows[0]!.pages, /may as long as its nonce stands/);

  // So it does.
  await world.rpc.call('sendTransaction', [Buffer.from(wire).toString('base64'), { encoding: 'base64' }]);
  const held = async () => (await world.chain.account(payee.address))?.lamports;
  for (const until = steadyNow() + PATIENCE_MS; (await held()) === undefined && steadyNow() < until; )
    await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(await held(), 10_000_000n);
});
