import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Address,
  associatedTokenAddress,
  decodeTransaction,
  generateKeypair,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { ChainUnavailable, type Rpc } from '../chain/index.js';
import { craftPayment, dueOf } from '../crafting/payment.js';
import { base64Of } from '../crafting/transaction.js';
import { whyNotPaid } from './paid.js';

const newAddress = () => generateKeypair().address;
const [receiver, mint, sender] = [newAddress(), newAddress(), newAddress()];
const config = { platform: { mint, decimals: 6 }, receiver };
const due = dueOf('USDC', config);
const PRICE = 1_000_000_000n;

/** A transaction that pays into this account. */
function wireTo(destination: Address, tokenProgram: Address) {
  const source = associatedTokenAddress(sender, mint, tokenProgram);
  const payment = { feePayer: sender, sender, source, receiver, destination, createDestination: false, mint };
  const budget = { computeUnitLimit: 100_000, computeUnitPrice: 0n };
  const more = { tokenProgram, decimals: 6, amount: 1n, reference: 'reference' };
  return craftPayment({ ...payment, ...more }, newAddress(), budget);
}

interface Shown {
  brought: bigint;
  /** What the account held before. */
  before?: bigint;
  destination?: Address;
  tokenProgram?: Address;
  /** Records no balances of tokens. */
  recordsNone?: boolean;
}

/** A node that calls the payment final, and shows this of it; null: it has not got it. */
function node(name: string, shown: Shown | 'away' | null): Rpc {
  return {
    name,
    async call<T>(method: string, params: unknown[]): Promise<T> {
      if (shown === 'away') throw new ChainUnavailable(`${name} is away`);
      if (method !== 'getTransaction') {
        return { context: { slot: 500 }, value: [{ slot: 400, err: null, confirmationStatus: 'finalized' }] } as T;
      }
      if ((params[1] as { commitment: string }).commitment === 'finalized')
        return { slot: 400, meta: { err: null } } as T;
      return (shown && answerOf(shown)) as T;
    },
  };
}

function answerOf({ brought, before = 0n, tokenProgram = TOKEN_PROGRAM, ...shown }: Shown) {
  const { destination = associatedTokenAddress(receiver, mint, tokenProgram) } = shown;
  const crafted = wireTo(destination, tokenProgram);
  const { accounts } = decodeTransaction(crafted.wire).decoded;
  const at = accounts.indexOf(destination);
  const held = (amount: bigint) => [{ accountIndex: at, uiTokenAmount: { amount: `${amount}` } }];
  const lamports = accounts.map(() => 1);
  const balances = shown.recordsNone
    ? { preTokenBalances: null, postTokenBalances: null }
    : { preTokenBalances: held(before), postTokenBalances: held(before + brought) };
  const meta = { err: null, fee: 5_000, preBalances: lamports, postBalances: lamports, ...balances };
  return { slot: 400, transaction: [base64Of(crafted), 'base64'], meta };
}

describe('a payment by swap', () => {
  it('is one where it has brought the price to an account of the receiver, of either token program', async () => {
    for (const tokenProgram of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
      const shown = { brought: PRICE, before: 5n, tokenProgram };
      assert.equal(await whyNotPaid([node('one', shown)], 'paid', due), undefined);
    }
    const enough = node('one', { brought: PRICE + 1n });
    assert.equal(await whyNotPaid([enough, node('two', 'away'), node('three', null)], 'paid', due), undefined);
  });

  it('is not looked at where the node does not answer, nor approved where it does not show it', async () => {
    await assert.rejects(whyNotPaid([node('one', 'away')], 'paid', due), ChainUnavailable);
    const blind = [node('one', null), node('two', { brought: PRICE })];
    assert.match((await whyNotPaid(blind, 'paid', due))!, /^one does not show what its payment has brought$/);
    const silent = node('two', { brought: PRICE, recordsNone: true });
    assert.equal(await whyNotPaid([node('one', { brought: PRICE }), silent], 'paid', due), undefined);
    assert.match((await whyNotPaid([silent], 'paid', due))!, /^two does not show what its payment has brought$/);
  });

  it('in the platform token itself is compared by the chain', async () => {
    assert.equal(await whyNotPaid([node('one', null)], 'paid', dueOf('PLATFORM_TOKEN', config)), undefined);
  });
});

describe('attack: a wallet pays a thousandth of the price of a verification, in a transaction that is final: no token is verified for it', () => {
  it('the node shows that less has arrived, whatever the receiver had before', async () => {
    const why = await whyNotPaid([node('one', { brought: 1_005_000n, before: PRICE })], 'paid', due);
    assert.equal(why, `its payment has brought ${receiver} 1.005 of 1000 tokens, says one`);
    assert.match((await whyNotPaid([node('one', { brought: PRICE - 1n })], 'paid', due))!, / 999\.999999 of 1000 /);
  });

  it('it has paid into another account', async () => {
    const elsewhere = node('one', { brought: PRICE, destination: newAddress() });
    assert.match((await whyNotPaid([elsewhere], 'paid', due))!, / 0 of 1000 tokens, says one$/);
  });

  it('the node makes it up, and another one shows less', async () => {
    const nodes = [node('one', { brought: PRICE }), node('two', 'away'), node('three', { brought: 1n })];
    assert.match((await whyNotPaid(nodes, 'paid', due))!, / 0\.000001 of 1000 tokens, says three$/);
  });
});
