import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLocalnet } from '@slipway/localnet';
import {
  addressToBytes,
  base58Decode,
  base58Encode,
  decodeTransaction,
  generateKeypair,
  type Keypair,
  systemTransfer,
  withSignature,
} from '@slipway/wire';
import { ChainUnavailable, createChain, createLocalRpc, type Rpc, RpcError } from '../chain/index.js';
import { craftTransaction } from '../crafting/transaction.js';
import { createClock, steadyNow } from '../lib/clock.js';
import { PATIENCE_MS } from '../lib/testing.js';
import { testSigner } from '../sandbox/maker/testing.js';
import { insertCrafted, type LedgerRow } from '../store/ledger.js';
import { openAnyStore } from '../store/testing.js';
import { Landing, rememberOwn } from './index.js';
import { FEES, log } from './testing.js';

const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
/** By so many bytes of a signature a node knows the transactions of the last two minutes. */
const KNOWN_BYTES = 20;
const LAMPORTS = 1_000_000_000n;
const FEE = 5_000n;

/** Little-endian. */
const numberIn = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);

/** By what the base point is multiplied. */
function scalarOf({ secretKey }: Keypair): bigint {
  const digest = createHash('sha512').update(secretKey.subarray(0, 32)).digest().subarray(0, 32);
  digest[0]! &= 248;
  digest[31] = (digest[31]! & 127) | 64;
  return numberIn(digest);
}

/** A valid signature that begins with the address of `nonce`, as all do that are made with it, whatever key signs what. */
function signWith(nonce: Keypair, keypair: Keypair, message: Uint8Array): Uint8Array {
  const [first, key] = [nonce, keypair].map(({ address }) => addressToBytes(address)) as [Uint8Array, Uint8Array];
  const hash = createHash('sha512').update(first).update(key).update(message).digest();
  const last = (scalarOf(nonce) + numberIn(hash) * scalarOf(keypair)) % GROUP_ORDER;
  return Buffer.concat([first, Buffer.from(last.toString(16).padStart(64, '0'), 'hex').reverse()]);
}

const beginningOf = (signature: string) =>
  Buffer.from(base58Decode(signature)!.subarray(0, KNOWN_BYTES)).toString('hex');

/** The sandbox's chain behind a node that tells statuses as those of mainnet do, and landing with a time of its own. */
async function openWorld() {
  const net = await startLocalnet({ rpcPort: 0 });
  const inner = createLocalRpc((method, params) => net.call(method, params));
  const landed: string[] = [];
  let expected = 0;
  /** Whether it knows what has landed by whole signatures only, as after a while. */
  let isLongAgo = false;
  const time = { ahead: 0 };
  const node = {
    /** Comes before the next transaction that is sent, which then cannot land any more. */
    before: undefined as Uint8Array | undefined,
    /** How it answers `getSignaturesForAddress`. */
    history: (answer: () => Promise<unknown>): Promise<unknown> => answer(),
  };
  const send = async (wire: Uint8Array) => {
    const encoded = Buffer.from(wire).toString('base64');
    landed.push(await inner.call<string>('sendTransaction', [encoded, { encoding: 'base64', skipPreflight: true }]));
  };
  const rpc: Rpc = {
    name: 'node',
    async call<T>(method: string, params: unknown[]): Promise<T> {
      if (method === 'getSignaturesForAddress')
        throw new ChainUnavailable('landing waits for no lists of what clients post');
      if (method === 'getSignatureStatuses') {
        const [asked, ...options] = params as [string[]];
        const known = (signature: string) => landed.find((each) => beginningOf(each) === beginningOf(signature));
        return inner.call<T>(method, [asked.map((each) => (isLongAgo ? each : (known(each) ?? each))), ...options]);
      }
      if (method !== 'sendTransaction') return inner.call<T>(method, params);
      const wire = Buffer.from(params[0] as string, 'base64');
      if (node.before === undefined) await send(wire);
      else if (landed.length < expected) await send(node.before);
      return base58Encode(decodeTransaction(wire).signatures[0]!) as T;
    },
  };
  const endsRpc: Rpc = {
    name: 'node',
    call: <T>(method: string, params: unknown[]) => node.history(() => inner.call(method, params)) as Promise<T>,
  };
  const [store, clock] = [await openAnyStore(), createClock()];
  const chain = createChain({ rpc, steadyNow, fees: FEES });
  const landing = new Landing({
    store,
    clock,
    steadyNow: () => steadyNow() + time.ahead,
    chain,
    endsChain: createChain({ rpc: endsRpc, steadyNow, fees: FEES }),
    sendRpcs: [rpc],
    signer: testSigner(),
    settlements: {},
    observe: () => {},
    log,
  });
  return {
    node,
    landed,
    landing,
    /** A wallet with a SOL, which it sends somebody for a request, and the same again, each signed with one nonce. */
    async payments() {
      const [payer, nonce] = [generateKeypair(), generateKeypair()];
      await inner.call('requestAirdrop', [payer.address, Number(LAMPORTS)]);
      const { blockhash, lastValidBlockHeight } = await chain.latestBlockhash();
      const [paid, other] = [0, 1].map(() => {
        const transfer = { from: payer.address, to: generateKeypair().address, lamports: LAMPORTS - FEE };
        const budget = { computeUnitLimit: 1_000, computeUnitPrice: 0n };
        const instructions = [systemTransfer(transfer)];
        const crafted = craftTransaction({ feePayer: payer.address, instructions, blockhash, budget });
        const transaction = decodeTransaction(crafted.wire);
        const signature = signWith(nonce, payer, transaction.message);
        const wire = Buffer.from(crafted.wire);
        wire.set(signature, 1);
        return { crafted, wire, signed: withSignature(transaction, payer.address, signature) };
      }) as [Payment, Payment];
      const own = { area: 'paid', wallet: payer.address, lastValidBlockHeight, cosigners: [], payload: {} };
      const insert = (each: Parameters<typeof insertCrafted>[1][number]) =>
        store.single((tx) => insertCrafted(tx, [each]));
      const row = await rememberOwn(insert, { ...own, crafted: paid.crafted }, clock);
      expected = landed.length + 1;
      return { row, paid, other };
    },
    /** What has become of it once the blockhash is dead, and then, if that is open, once it is long ago. */
    async endOf(end: Promise<LedgerRow>): Promise<LedgerRow> {
      isLongAgo = false;
      let row: LedgerRow | undefined;
      end.then((ended) => {
        row = ended;
      });
      for (let waited = 0; landed.length < expected; waited += 5) {
        assert.ok(waited < PATIENCE_MS);
        await sleep(5);
      }
      for (const seconds of [120, 240]) {
        await net.call('localnet_advanceClock', [seconds]);
        chain.forget();
        for (let waited = 0; row === undefined && waited < (isLongAgo ? PATIENCE_MS : 1_000); waited += 20) {
          time.ahead += 1_000;
          await sleep(20);
        }
        if (row !== undefined) return row;
        isLongAgo = true;
      }
      return assert.fail('it never ended');
    },
    async close() {
      landing.close();
      await store.close();
      await net.close();
    },
  };
}
type Payment = {
  crafted: ReturnType<typeof craftTransaction>;
  wire: Buffer;
  signed: ReturnType<typeof withSignature>;
};

let world: Awaited<ReturnType<typeof openWorld>>;
before(async () => {
  world = await openWorld();
});
after(() => world?.close());

it('attack: a wallet signs its payment with the nonce of a transaction that spends the same SOL before it: nodes tell that one’s status for both, and the payment has not landed', async () => {
  const { row, paid, other } = await world.payments();
  world.node.before = other.wire;
  const { state, slot } = await world.endOf(world.landing.execute(row, paid.signed));
  world.node.before = undefined;
  assert.deepEqual([state, slot, world.landed.length], ['expired', null, 1]);
});

it('attack: a wallet does so while its node refuses a list once: that is no word that it keeps none', async () => {
  for (const code of [-32019, -32603]) {
    const { row, paid, other } = await world.payments();
    let asked = 0;
    world.node.history = async (answer) => {
      if (asked++ === 0) throw new RpcError(code, 'Failed to query long-term storage; please try again');
      return answer();
    };
    world.node.before = other.wire;
    const { state, slot } = await world.endOf(world.landing.execute(row, paid.signed));
    world.node.before = undefined;
    assert.deepEqual([state, slot], ['expired', null]);
    assert.ok(asked > 1);
  }
});

it('attack: a wallet does so while its node refuses every list: it is read, and not there', async () => {
  const { row, paid, other } = await world.payments();
  world.node.history = async () => {
    throw new RpcError(-32019, 'Failed to query long-term storage; please try again');
  };
  world.node.before = other.wire;
  const { state, slot } = await world.endOf(world.landing.execute(row, paid.signed));
  world.node.before = undefined;
  assert.deepEqual([state, slot], ['expired', null]);
});

it('what has landed is told so when the node’s history has it later than its statuses, or much later, or cannot be read, or where it keeps none', async () => {
  const late = await world.payments();
  let asked = 0;
  world.node.history = async (answer) => (++asked < 3 ? [] : answer());
  assert.equal((await world.endOf(world.landing.execute(late.row, late.paid.signed))).state, 'landed');
  assert.ok(asked >= 3);

  const later = await world.payments();
  world.node.history = async () => [];
  assert.equal((await world.endOf(world.landing.execute(later.row, later.paid.signed))).state, 'landed');

  const away = await world.payments();
  world.node.history = async () => {
    throw new ChainUnavailable('it fails');
  };
  assert.equal((await world.endOf(world.landing.execute(away.row, away.paid.signed))).state, 'landed');

  const none = await world.payments();
  world.node.history = async () => {
    throw new RpcError(-32011, 'Transaction history is not available from this node');
  };
  assert.equal((await world.endOf(world.landing.execute(none.row, none.paid.signed))).state, 'landed');
});
