import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Address,
  associatedTokenAddress,
  encodeTokenAccount,
  generateKeypair,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import type { ChainAccount } from '../../chain/index.js';
import { walletMinimum } from '../../crafting/wallet.js';
import { JUP, USDC } from '../../sandbox/maker/testing.js';
import { letOthersPay } from './give-way.js';
import type { PaymentPayload } from './payload.js';

const sender = generateKeypair().address;
const NEEDED = 2_500_000n;
const ENOUGH = NEEDED + walletMinimum();

const NEWEST = 1_000n;

/**
 * Whether a payment that would fail by now gives way, when its sender has so much; otherwise it is sent again, if its sender pays
 * for it. `slots`: of the nodes that tell so, in turn.
 */
async function givesWay(
  payload: PaymentPayload,
  has: { lamports?: bigint; tokens?: bigint; owner?: Address; space?: number },
  slots = [NEWEST],
) {
  const mint = payload.currency === 'USDC' ? USDC.mint : JUP.mint;
  const { lamports, tokens, owner = sender, space = 0 } = has;
  const accounts = new Map<Address, Partial<ChainAccount>>();
  if (lamports !== undefined) accounts.set(sender, { owner: SYSTEM_PROGRAM, lamports, data: Buffer.alloc(space) });
  if (tokens !== undefined) {
    const data = encodeTokenAccount({
      mint,
      owner,
      amount: tokens,
      state: 'initialized',
      delegatedAmount: 0n,
      isNative: false,
    });
    accounts.set(associatedTokenAddress(sender, mint), { owner: TOKEN_PROGRAM, data: Buffer.from(data) });
  }
  const cosigners = 'lamports' in payload ? [] : ['gas'];
  const row = { id: 'request', area: 'express', wallet: sender, state: 'sending', payload, cosigners };
  const [freed, sent]: [unknown[], unknown[]] = [[], []];
  const deps = {
    store: {
      transaction: (run: (tx: object) => unknown) =>
        run({ query: async (_: string, [id]: unknown[]) => freed.push(id) }),
    },
    clock: { now: () => 1_000_000 },
    findHolders: async () => [row.id],
    findRequest: async () => row,
    landing: { wouldFail: async () => true, sendAgain: (held: unknown) => sent.push(held) },
    chain: {
      newestSlot: async () => NEWEST,
      async accountReading(of: Address) {
        const slot = slots.length > 1 ? slots.shift()! : slots[0]!;
        // A node that is behind does not have what was sent to it lately.
        return { account: slot < NEWEST ? undefined : accounts.get(of), slot };
      },
      mint: async () => ({ tokenProgram: TOKEN_PROGRAM }),
    },
    platform: JUP,
    stable: JUP,
    usdc: USDC,
  } as unknown as Parameters<typeof letOthersPay>[0];
  await letOthersPay(deps, 'token', ['verification']);
  assert.equal(sent.length, freed.length === 0 && cosigners.length === 0 ? 1 : 0);
  return freed.length === 1;
}

describe('a payment that would fail gives way to others only where its sender lacks what it takes, and is sent again where he has it and pays the fee:', () => {
  it('SOL that it swaps, with fee and rent', async () => {
    const payload = { currency: 'SOL', amount: '1000', paid: '100', lamports: `${NEEDED}` } as const;
    assert.equal(await givesWay(payload, { lamports: ENOUGH }), false);
    assert.equal(await givesWay(payload, { lamports: ENOUGH - 1n }), true);
    assert.equal(await givesWay(payload, {}), true);
    assert.equal(await givesWay(payload, { lamports: ENOUGH, space: 80 }), true, 'such an account pays no fee');
  });

  it('tokens that it swaps, or SOL for its fee', async () => {
    const payload = { currency: 'USDC', amount: '1000', paid: '100', lamports: `${NEEDED}` } as const;
    assert.equal(await givesWay(payload, { lamports: ENOUGH, tokens: 100n }), false);
    assert.equal(await givesWay(payload, { lamports: ENOUGH, tokens: 99n }), true);
    assert.equal(await givesWay(payload, { lamports: ENOUGH - 1n, tokens: 100n }), true);
    assert.equal(await givesWay(payload, { lamports: ENOUGH }), true);
    const owner = generateKeypair().address;
    assert.equal(await givesWay(payload, { lamports: ENOUGH, tokens: 100n, owner }), true);
  });

  it('platform tokens alone where the gas wallet pays, or an earlier version has crafted it', async () => {
    const payload = { currency: 'PLATFORM_TOKEN', amount: '1000' } as const;
    assert.equal(await givesWay(payload, { tokens: 1_000n }), false);
    assert.equal(await givesWay(payload, { tokens: 999n }), true);
  });

  it('not where a node that is behind says so', async () => {
    const sol = { currency: 'SOL', amount: '1000', paid: '100', lamports: `${NEEDED}` } as const;
    assert.equal(await givesWay(sol, { lamports: ENOUGH }, [NEWEST - 100n]), false, 'no other answers');
    const tokens = { currency: 'PLATFORM_TOKEN', amount: '1000' } as const;
    assert.equal(await givesWay(tokens, { tokens: 1_000n }, [NEWEST - 100n, NEWEST]), false);
    assert.equal(await givesWay(tokens, { tokens: 999n }, [NEWEST - 100n, NEWEST]), true);
  });
});
