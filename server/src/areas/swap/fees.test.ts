import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Address,
  addressToBytes,
  associatedTokenAddress,
  encodeTokenAccount,
  findProgramAddress,
  generateKeypair,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import type { ChainAccount, Rpc } from '../../chain/index.js';
import { createFeeAccounts } from './fee-accounts.js';
import { defaultFee, type FeeSettings, mayBeNew } from './fees.js';
import { createTokenAges } from './token-age.js';

const newAddress = () => generateKeypair().address;
const [usd, eur, lst, otherLst, chip, platform, meme, dog] = Array.from({ length: 8 }, newAddress) as Address[];
const sol = WRAPPED_SOL_MINT;
const settings: FeeSettings = {
  table: { newToken: 50, buyPlatform: 1, pegged: 3, solStable: 2, lstStable: 5, other: 10 },
  receiver: newAddress(),
  platform: platform!,
  stables: new Set([usd!, eur!]),
  lsts: new Set([lst!, otherLst!]),
  blueChips: new Set([chip!]),
};

describe('the default fee', () => {
  it('follows from the kinds of the two tokens, and is taken in the better known one on either side', () => {
    const cases: [Address, Address, Address, number][] = [
      [sol, usd!, sol, 2],
      [usd!, sol, sol, 2],
      [usd!, eur!, usd!, 3],
      [lst!, otherLst!, lst!, 3],
      [lst!, usd!, usd!, 5],
      [usd!, lst!, usd!, 5],
      [sol, lst!, sol, 10],
      [meme!, usd!, usd!, 10],
      [meme!, chip!, chip!, 10],
      [chip!, lst!, lst!, 10],
      [meme!, dog!, meme!, 10],
      [sol, platform!, sol, 1],
      [usd!, platform!, usd!, 1],
      [platform!, usd!, usd!, 10],
      [meme!, platform!, meme!, 10],
    ];
    for (const [input, output, mint, bps] of cases) {
      const fee = defaultFee(settings, input, output, false);
      assert.deepEqual(fee, { mint, bps, side: mint === input ? 'input' : 'output' });
      assert.equal(defaultFee(settings, input, output, true).bps, 50);
    }
    assert.deepEqual(
      [sol, usd!, lst!, chip!, platform!, meme!].map((mint) => mayBeNew(settings, mint)),
      [false, false, false, false, false, true],
    );
  });
});

describe('fee accounts', () => {
  const program = 'REFER4ZgmyYx9c6He5XfaTMiGfdLwRnkV4RPp9t9iF3' as Address;
  const referral = newAddress();
  const token = { mint: usd!, tokenProgram: TOKEN_PROGRAM };
  const seeds = [new TextEncoder().encode('referral_ata'), addressToBytes(referral), addressToBytes(token.mint)];
  const ofProgram = findProgramAddress(seeds, program).address;
  const associated = associatedTokenAddress(referral, token.mint);

  function sourcesOf(accounts: Map<Address, ChainAccount>, now = () => 0) {
    const chain = { account: async (address: Address) => accounts.get(address) };
    const kept = createFeeAccounts({ steadyNow: now, receiver: () => settings.receiver });
    return {
      ofOperator: (asked: typeof token) => kept.ofOperator(chain, asked),
      ofReferral: (of: Address, asked: typeof token) => kept.ofReferral(chain, of, asked),
    };
  }
  const plain = (owner: Address, data: Uint8Array = new Uint8Array(), executable = false): ChainAccount => ({
    lamports: 1n,
    owner,
    executable,
    data,
  });
  const holding = (mint: Address, state: 'initialized' | 'frozen' = 'initialized') =>
    plain(
      TOKEN_PROGRAM,
      encodeTokenAccount({ mint, owner: referral, amount: 0n, state, delegatedAmount: 0n, isNative: false }),
    );

  it("are the referral program's where it is on the chain, else the associated ones", async () => {
    const both: [Address, ChainAccount][] = [
      [ofProgram, holding(token.mint)],
      [associated, holding(token.mint)],
    ];
    assert.equal(await sourcesOf(new Map(both)).ofReferral(referral, token), associated);
    const withProgram = new Map([...both, [program, plain(newAddress(), new Uint8Array(), true)] as const]);
    assert.equal(await sourcesOf(withProgram).ofReferral(referral, token), ofProgram);
    withProgram.delete(ofProgram);
    assert.equal(await sourcesOf(withProgram).ofReferral(referral, token), undefined);
  });

  it('are none where the account cannot take the token', async () => {
    const requiringMemos = plain(TOKEN_PROGRAM, Buffer.from([...holding(token.mint).data, 2, 8, 0, 1, 0, 1]));
    const others = [plain(SYSTEM_PROGRAM), plain(TOKEN_PROGRAM), requiringMemos];
    for (const wrong of [holding(eur!), holding(token.mint, 'frozen'), ...others]) {
      assert.equal(await sourcesOf(new Map([[associated, wrong]])).ofReferral(referral, token), undefined);
    }
  });

  it('are asked for again after two seconds, and at once after a failed reading', async () => {
    let now = 0;
    const accounts = new Map<Address, ChainAccount>();
    const sources = sourcesOf(accounts, () => now);
    const own = associatedTokenAddress(settings.receiver, token.mint);
    assert.equal(await sources.ofOperator(token), undefined);
    accounts.set(own, holding(token.mint));
    assert.equal(await sources.ofOperator(token), undefined);
    now = 2_001;
    assert.equal(await sources.ofOperator(token), own);
    assert.equal(await sources.ofReferral(referral, token), undefined);
    accounts.set(associated, holding(token.mint));
    assert.equal(await sources.ofReferral(referral, token), associated, 'an integrator need not wait');
    let isAway = true;
    const chain = {
      account: async () => {
        if (isAway) throw new Error('away');
        return holding(token.mint);
      },
    };
    const flaky = createFeeAccounts({ steadyNow: () => 0, receiver: () => settings.receiver });
    await assert.rejects(flaky.ofOperator(chain, token), /away/);
    isAway = false;
    assert.equal(await flaky.ofOperator(chain, token), own);
  });

  it('attack: a free key asks for quotes whose fee accounts wait in its turn: others that pay the same account read it in theirs', async () => {
    const accounts = createFeeAccounts({ steadyNow: () => 0, receiver: () => settings.receiver });
    const behind = { account: () => new Promise<never>(() => {}) };
    const other = { account: async (address: Address) => (address === program ? undefined : holding(token.mint)) };
    void accounts.ofOperator(behind, token);
    void accounts.ofReferral(behind, referral, token);
    const own = associatedTokenAddress(settings.receiver, token.mint);
    assert.equal(await accounts.ofOperator(other, token), own);
    assert.equal(await accounts.ofReferral(other, referral, token), associated);
    assert.equal(await accounts.ofOperator(behind, token), own, 'it is known to all then');
  });
});

describe('the age of a token', () => {
  const day = 86_400;
  const ageOf = async (rows: { blockTime: number | null }[] | Error) => {
    const rpc: Rpc = {
      name: 'test',
      call: async <T>() => {
        if (rows instanceof Error) throw rows;
        return rows as T;
      },
    };
    let now = 0;
    const isNew = createTokenAges({ clock: { now: () => 10 * day * 1_000 }, steadyNow: () => now });
    assert.equal(await isNew(rpc, meme!), false, 'by one answer');
    now += 10_000;
    return isNew(rpc, meme!);
  };
  const at = (blockTime: number | null) => ({ blockTime });

  it('is below a day only where its first transaction is known to be', async () => {
    assert.equal(await ageOf([at(10 * day), at(9 * day + 1)]), true);
    assert.equal(await ageOf([at(10 * day), at(9 * day - 1)]), false);
    assert.equal(await ageOf([]), false);
    assert.equal(await ageOf([at(null)]), false);
    assert.equal(await ageOf(Array.from({ length: 1_000 }, () => at(10 * day))), false);
    assert.equal(await ageOf(new Error('away')), false);
  });
});
