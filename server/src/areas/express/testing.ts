import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLocalnet } from '@slipway/localnet';
import {
  type Address,
  associatedTokenAddress,
  createAssociatedTokenIdempotent,
  decodeTokenAccount,
  decodeTransaction,
  encodeMint,
  generateKeypair,
  type Keypair,
  requiredSigners,
  TOKEN_PROGRAM,
  tokenTransferChecked,
} from '@slipway/wire';
import { pino } from 'pino';
import { type Chain, createChain, createLocalRpc, createUnitMeter, type Rpc } from '../../chain/index.js';
import { base64Of, craftTransaction } from '../../crafting/transaction.js';
import { startTestServer } from '../../http/testing.js';
import { GAS_PURSE, Landing, sealed } from '../../landing/index.js';
import { createClock, steadyNow } from '../../lib/clock.js';
import { PATIENCE_MS, runningNow } from '../../lib/testing.js';
import { JUP, testSigner, USDC } from '../../sandbox/maker/testing.js';
import { SignerHolds } from '../../signer/index.js';
import { findRequest, insertCrafted } from '../../store/ledger.js';
import { openAnyStore } from '../../store/testing.js';
import { findHolders, paidFor } from '../../store/verifications.js';
import { signed } from '../trigger-v1/testing.js';
import { type ExpressDeps, expressArea, registerExpress } from './index.js';
import type { CraftTxnAnswer, ExecuteAnswer } from './schema.js';

/** 1,000 platform tokens. */
export const PRICE = 1_000_000_000n;

const headers = { 'x-api-key': 'good-key' };
const log = pino({ level: 'silent' });

function signersOf(wire: string): Address[] {
  return requiredSigners(decodeTransaction(Buffer.from(wire, 'base64')).decoded);
}

/** The sandbox's chain, and payments in the platform token whose gas the service pays, or the sender. */
export async function openExpressWorld(gasless = true) {
  const net = await startLocalnet({ rpcPort: 0 });
  const rpc = createLocalRpc((method, params) => net.call(method, params));
  const clock = createClock();
  /** Whether the node simulates by what was true before, whose transactions it drops, and what error it tells of these. */
  const node = { isBehind: false, error: null as unknown, drops: new Set<Address>() };
  /** Whether the gas wallet may sign for nothing more. */
  const limit = { isUsedUp: false };
  /** Milliseconds that have passed for the landing, beyond those that have. */
  const skipped = { ms: 0 };
  const simulated: Address[] = [];
  const behind: Rpc = {
    ...rpc,
    async call<T>(method: string, params: unknown[]): Promise<T> {
      if (method === 'sendTransaction' && signersOf(params[0] as string).some((each) => node.drops.has(each))) {
        return 'dropped' as T;
      }
      return rpc.call<T>(method, params);
    },
  };
  const real = createChain({ rpc: behind, steadyNow, fees: { percentile: 50, maxMicroLamports: 0n } });
  const chain: Chain = {
    ...real,
    simulate: async (wire, options) => {
      const signers = signersOf(Buffer.from(wire).toString('base64'));
      simulated.push(...signers);
      return node.isBehind || (node.error && signers.some((each) => node.drops.has(each)))
        ? { err: node.error, logs: [], unitsConsumed: 5_000 }
        : real.simulate(wire, options);
    },
  } as Chain;
  const store = await openAnyStore();
  const plain = testSigner();
  let signings = 0;
  const signer: typeof plain = {
    ...plain,
    cosign(request) {
      signings += 1;
      return limit.isUsedUp ? Promise.reject(new SignerHolds('gas', 'its hour is used up')) : plain.cosign(request);
    },
  };
  const gasWallet = signer.address('gas');
  await rpc.call('requestAirdrop', [gasWallet, 10_000_000_000]);
  const warnings: string[] = [];
  const told = pino({ level: 'warn' }, { write: (line) => void warnings.push(line) });
  const landing = new Landing({
    store,
    clock,
    steadyNow: () => steadyNow() + skipped.ms,
    chain,
    signer,
    log,
    sendRpcs: [behind],
    // Swaps spend from the same purse.
    settlements: { ...expressArea.settlement!(clock, told), swap: { purse: GAS_PURSE } },
    observe: () => {},
  });
  const platform = { symbol: 'JUP', ...JUP };
  const deps = {
    store,
    clock,
    chain,
    landing,
    gasWallet,
    platform,
    stable: platform,
    usdc: { symbol: 'USDC', ...USDC },
    tokens: new Map(),
    unitsOf: createUnitMeter({ chain, steadyNow }),
    prices: { usd: () => undefined },
    async remember(request) {
      const row = await sealed(signer, request);
      await store.single((tx) => insertCrafted(tx, [row]));
    },
    findRequest: (id) => findRequest(store, id),
    paidFor: async (id) => (await paidFor(store, [id])).get(id) ?? [],
    findHolders: async (holding) => (await findHolders(store, [holding]))[0]!,
    receiver: generateKeypair().address,
    gasless,
  } as Pick<ExpressDeps, 'remember' | 'findRequest' | 'paidFor' | 'findHolders'> as ExpressDeps;
  const { app, logged } = await startTestServer((server) => registerExpress(server, deps));
  return {
    rpc,
    clock,
    store,
    chain,
    landing,
    gasWallet,
    receiver: deps.receiver,
    node,
    limit,
    skipped,
    /** What the settlement has told the operator. */
    warnings,
    /** What the server has logged, one JSON line after the other. */
    logged,
    /** How often transactions were simulated that this wallet signs. */
    simulationsOf: (signer: Address) => simulated.filter((each) => each === signer).length,
    /** How often the signer was asked for signatures. */
    signings: () => signings,
    async craft(sender: Address): Promise<CraftTxnAnswer> {
      const url = `/tokens/v2/verify/express/craft-txn?senderAddress=${sender}`;
      return (await app.inject({ url, headers })).json();
    },
    async execute(sender: Keypair, { requestId, transaction }: CraftTxnAnswer, tokenId: Address, more: object = {}) {
      const payload = {
        requestId,
        transaction: 'transaction' in more ? '' : signed(transaction, sender),
        senderAddress: sender.address,
        tokenId,
        twitterHandle: 'somebody',
        description: '',
        ...more,
      };
      const url = '/tokens/v2/verify/express/execute';
      const answer = await app.inject({ method: 'POST', url, headers, payload });
      const body = answer.json() as Omit<ExecuteAnswer, 'code'> & { code: number | string; message?: string };
      return { status: answer.statusCode, retryAfter: answer.headers['retry-after'], body };
    },
    async mayVerify(tokenId: Address): Promise<boolean> {
      const url = `/tokens/v2/verify/express/check-eligibility?tokenId=${tokenId}`;
      return (await app.inject({ url, headers })).json().canVerify;
    },
    /** The chain's clock and the service's. */
    async advance(seconds: number) {
      await rpc.call('localnet_advanceClock', [seconds]);
      clock.setOffset(clock.offsetMs + seconds * 1_000);
      chain.forget();
    },
    async lamports(of: Address): Promise<bigint> {
      return (await chain.account(of))?.lamports ?? 0n;
    },
    async tokens(of: Address): Promise<bigint> {
      const account = await chain.account(associatedTokenAddress(of, JUP.mint));
      return account ? decodeTokenAccount(account.data)!.amount : 0n;
    },
    /** A token that exists, to be verified. */
    async newMint(): Promise<Address> {
      const mint = generateKeypair().address;
      const data = Buffer.from(encodeMint({ decimals: 6, supply: 0n, initialized: true })).toString('base64');
      const account = { lamports: 10_000_000, owner: TOKEN_PROGRAM, executable: false, data };
      await rpc.call('localnet_setAccount', [mint, account]);
      return mint;
    },
    /** Moves platform tokens by a transaction of their owner's own. */
    async move(from: Keypair, to: Address, amount: bigint, payer: Keypair): Promise<void> {
      const { mint, decimals, tokenProgram } = JUP;
      const [source, destination] = [from.address, to].map((owner) => associatedTokenAddress(owner, mint));
      const instructions = [
        createAssociatedTokenIdempotent({ payer: payer.address, owner: to, mint, tokenProgram }),
        tokenTransferChecked({
          source: source!,
          mint,
          destination: destination!,
          authority: from.address,
          amount,
          decimals,
          tokenProgram,
        }),
      ];
      const { blockhash } = await chain.latestBlockhash();
      const budget = { computeUnitLimit: 100_000, computeUnitPrice: 0n };
      const crafted = craftTransaction({ feePayer: payer.address, instructions, blockhash, budget });
      await rpc.call('sendTransaction', [signed(base64Of(crafted), from, payer), { encoding: 'base64' }]);
    },
    /** By a way that the service knows nothing of, as a wallet does that signs and sends. Resolves when the receiver is paid. */
    async landElsewhere(wire: string): Promise<void> {
      await rpc.call('sendTransaction', [wire, { encoding: 'base64' }]);
      const account = associatedTokenAddress(deps.receiver, JUP.mint);
      for (const end = runningNow() + PATIENCE_MS; !(await chain.account(account)); await sleep(20))
        assert.ok(runningNow() < end, 'it has not landed');
    },
    /** A wallet with so many platform tokens, and SOL. */
    async newWallet(tokens: bigint, lamports = 1_000_000_000n): Promise<Keypair> {
      const wallet = generateKeypair();
      if (lamports > 0n) await rpc.call('requestAirdrop', [wallet.address, Number(lamports)]);
      await rpc.call('localnet_airdropToken', [wallet.address, JUP.mint, `${tokens}`]);
      return wallet;
    },
    async close() {
      await app.close();
      landing.close();
      await store.close();
      await net.close();
    },
  };
}
