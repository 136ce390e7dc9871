import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { createClient, Login } from '@slipway/client';
import {
  type Address,
  advanceNonce,
  associatedTokenAddress,
  compileMessage,
  createAssociatedTokenIdempotent,
  generateKeypair,
  type Instruction,
  type Keypair,
  readonlySigner,
  setComputeUnitLimit,
  setComputeUnitPrice,
  systemTransfer,
  TOKEN_PROGRAM,
  tokenTransferChecked,
  unsignedTransaction,
} from '@slipway/wire';
import type { KeyName } from '../../server/dist/signer/index.js';
import { findTriggerOrder, type TriggerOrderRow } from '../../server/dist/store/trigger-orders.js';
import { feesPaidBy, solOf } from './balances.js';
import { startProduction } from './production.js';
import { eventually } from './rounds.js';
import { type Answer, request } from './service.js';
import { SOL, tokensIn, tokensOf, USDC } from './swap.js';
import { tokensAt } from './trigger-user.js';
import { signText } from './trigger-wallet.js';
import { rpc } from './wallet.js';

export const ONE_SOL = 1_000_000_000n;
export const ONE_USDC = 1_000_000n;
/** What a SOL is sold for at least, by orders that accept what these do. */
export const LEAST_OF_A_SOL = 145n * ONE_USDC;
/** A price in USD that SOL does not have. */
export const NEVER = 1_000_000;
/** What each owner begins with. */
export const FUNDED = 5n * ONE_SOL;
const HOUR = 3_600_000;
const LOGIN = '/trigger/v2/auth';

/** A wallet with SOL that has logged in. */
export interface Owner {
  wallet: Keypair;
  client: ReturnType<typeof createClient>;
  session: Login;
}

export interface Placed extends Owner {
  id: string;
  /** Where what it sells lies. */
  account: Address;
}

/** Production, and owners whose orders somebody is after. */
export async function openOwners() {
  const production = await startProduction();
  const { store } = production;

  async function newOwner(tokens: Readonly<Record<string, bigint>> = {}): Promise<Owner> {
    const wallet = generateKeypair();
    await production.fund(wallet.address, FUNDED, tokens);
    const client = production.clientOf(wallet);
    return { wallet, client, session: await client.login() };
  }

  async function rowOf(id: string): Promise<TriggerOrderRow> {
    return (await findTriggerOrder(store, id))!;
  }

  /** An order that sells SOL when it costs so much. */
  async function place(owner: Owner, triggerPriceUsd: number, inputAmount = ONE_SOL): Promise<Placed> {
    const { id } = await owner.client.placePriceOrder(owner.session, {
      inputMint: SOL,
      outputMint: USDC,
      inputAmount,
      orderType: 'single',
      triggerCondition: 'above',
      triggerPriceUsd,
      slippageBps: 300,
      expiresAt: new Date(Date.now() + HOUR),
    });
    return { ...owner, id, account: (await rowOf(id)).inputAccount as Address };
  }

  const ask = <T = Record<string, unknown>>(
    path: string,
    { token, ...options }: { method?: string; body?: unknown; token?: string } = {},
  ): Promise<Answer<T>> =>
    request<T>(`${production.url}${path}`, {
      ...options,
      headers: { 'x-api-key': production.apiKey, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    });

  const write = (text: string, values: readonly unknown[] = []) => store.single((tx) => tx.query(text, values));

  /** What the transaction of a thief is, and its hash as the ledger has it; he alone signs. */
  async function crafted(thief: Keypair, instructions: Instruction[], feePayer = thief.address) {
    const { value } = await rpc<{ value: { blockhash: string } }>(production, 'getLatestBlockhash');
    const message = compileMessage({ version: 0, feePayer, instructions, blockhash: value.blockhash });
    const transaction = Buffer.from(unsignedTransaction(message)).toString('base64');
    return { message, transaction, hash: createHash('sha256').update(message).digest() };
  }

  function moveTo({ account, session: { vault } }: Placed, thief: Address): Instruction[] {
    const [mint, tokenProgram] = [SOL, TOKEN_PROGRAM];
    const transfer = tokenTransferChecked({
      source: account,
      mint,
      destination: associatedTokenAddress(thief, SOL),
      authority: vault as Address,
      amount: ONE_SOL,
      decimals: 9,
      tokenProgram,
    });
    const tracked = { ...transfer, accounts: [...transfer.accounts, readonlySigner(production.tracker)] };
    return [createAssociatedTokenIdempotent({ payer: thief, owner: thief, mint, tokenProgram }), tracked];
  }

  /** He has what he began with, less the fees of his own transactions, and has sold nothing. */
  async function assertWhole({ wallet: { address } }: Owner): Promise<void> {
    assert.equal(await solOf(production, address), FUNDED - (await feesPaidBy(production, address)));
    assert.equal(await tokensOf(production, address, USDC), 0n);
  }

  return {
    production,
    newOwner,
    place,
    rowOf,
    write,
    crafted,
    newOrder: async (triggerPriceUsd: number) => place(await newOwner(), triggerPriceUsd),
    /** Has the keeper read these orders anew, as each change of the service does. */
    tell: (...ids: string[]) => write(`select pg_notify('orders', $1)`, [ids.join(' ')]),
    /** Whose the account is that an order sells from. */
    ownerOf: async ({ account }: Placed) => (await tokensAt(production, account))?.owner,
    held: ({ account }: Placed) => tokensIn(production, account),
    usdcOf: ({ wallet }: Owner) => tokensOf(production, wallet.address, USDC),

    /** As the wallet of a login, or as nobody, by the proxy. */
    ask,

    challenge: ({ wallet }: Owner) =>
      ask<{ challenge: string }>(`${LOGIN}/challenge`, { body: { walletPubkey: wallet.address, type: 'message' } }),
    /** Posts the wallet's signature under a challenge, each time that it is called. */
    answerTo:
      ({ wallet }: Owner, { challenge }: { challenge: string }) =>
      () =>
        ask(`${LOGIN}/verify`, {
          body: { type: 'message', walletPubkey: wallet.address, signature: signText(wallet, challenge) },
        }),

    /** Until an order that fires now is filled: whatever else fires has been looked at. */
    async turn(): Promise<void> {
      const owner = await newOwner();
      const { id } = await place(owner, 100);
      await owner.client.waitForPriceOrder(owner.session, id, { states: ['filled'] });
    },

    /** Until the keeper has said so about each of these orders. */
    async keeperSays(what: string, ids: readonly string[]): Promise<void> {
      await eventually(`the keeper says of all: ${what}`, async () => {
        const lines = production.copies.keeper.log().split('\n');
        return ids.every((id) => lines.some((line) => line.includes(id) && line.includes(what))) || undefined;
      });
    },

    /** The transaction that moves what an order holds into an account of the thief. */
    theft: (placed: Placed, thief: Keypair) => crafted(thief, moveTo(placed, thief.address)),

    /** All that the keys behind a socket could be asked to sign for the thief, each with the keys that it takes. */
    async thefts(placed: Placed, thief: Keypair): Promise<{ keys: KeyName[]; message: Uint8Array }[]> {
      const { gas, keeper } = production.wallets;
      const vault: KeyName = `vault:${placed.wallet.address}`;
      const to = thief.address;
      const lamports = ONE_SOL;
      const budget = [setComputeUnitLimit(1_000), setComputeUnitPrice(1n)];
      const pay = (from: Address) => systemTransfer({ from, to, lamports });
      const nonce = advanceNonce({ nonce: generateKeypair().address, authority: to });
      const wanted: [KeyName[], Instruction[], Address][] = [
        [[vault, 'tracker'], moveTo(placed, to), to],
        [[vault, 'tracker', 'gas'], moveTo(placed, to), gas],
        [[vault], [pay(placed.session.vault as Address)], to],
        [['gas'], [...budget, pay(gas)], gas],
        [['keeper'], [...budget, pay(keeper)], keeper],
        [['gas', 'keeper'], [...budget, pay(keeper)], gas],
        // A payment of his own, which the gas wallet would pay for, but that lives on.
        [['gas'], [nonce, ...budget, systemTransfer({ from: to, to: gas, lamports: 1n })], gas],
      ];
      return Promise.all(
        wanted.map(async ([keys, instructions, payer]) => ({
          keys,
          message: (await crafted(thief, instructions, payer)).message,
        })),
      );
    },

    assertWhole,

    /** Its owner has sold what it held, and not a unit more. */
    async assertSold({ wallet: { address }, account }: Placed): Promise<void> {
      const due = async () => FUNDED - ONE_SOL - (await feesPaidBy(production, address));
      // The rent of an order's account may come back a moment after its fill.
      await eventually(
        'every rent is back',
        async () => (await solOf(production, address)) === (await due()) || undefined,
      );
      assert.equal(await tokensIn(production, account), 0n);
    },

    /** The row as it is now; the result puts it back. */
    async keep(table: 'orders' | 'ledger', id: string): Promise<() => Promise<void>> {
      const { rows } = await write(`select to_jsonb(t)::text as row from ${table} t where id = $1`, [id]);
      const [{ row }] = rows as [{ row: string }];
      return () =>
        store.transaction(async (tx) => {
          await tx.query(`delete from ${table} where id = $1`, [id]);
          await tx.query(`insert into ${table} select (jsonb_populate_record(null::${table}, $1::jsonb)).*`, [row]);
        });
    },

    /** Nothing of it is sold, and its owner takes everything back. */
    async assertAllBack(placed: Placed): Promise<void> {
      assert.equal(await tokensIn(production, placed.account), ONE_SOL);
      await placed.client.cancelPriceOrder(placed.session, placed.id);
      await assertWhole(placed);
    },
  };
}

export type Owners = Awaited<ReturnType<typeof openOwners>>;
