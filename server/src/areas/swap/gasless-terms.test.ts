import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Address, encodeMint, generateKeypair, TOKEN_2022_PROGRAM, WRAPPED_SOL_MINT } from '@slipway/wire';
import type { SwapDeps } from './deps.js';
import type { Order } from './swap-order.js';
import { gaslessTerms } from './terms.js';

const newAddress = () => generateKeypair().address;

/** A mint of Token-2022 with one empty extension. */
function mintWith(extension: number): Uint8Array {
  const data = Buffer.alloc(170);
  data.set(encodeMint({ decimals: 6, supply: 0n, initialized: true }));
  data[165] = 1;
  data.writeUInt16LE(extension, 166);
  return data;
}

it('attack: a wallet has the gas wallet make accounts that cost more than is counted, of a mint that only market makers trade: it pays for them itself', async () => {
  const [paid, bought] = [newAddress(), newAddress()];
  const usd = new Map<Address, number>([
    [paid, 1],
    [WRAPPED_SOL_MINT, 150],
  ]);
  const termsFor = (extension: number, exists: boolean) => {
    const account = async () => ({
      lamports: 1n,
      owner: TOKEN_2022_PROGRAM,
      executable: false,
      data: mintWith(extension),
    });
    const prices = {
      usd: (mint: Address) => usd.get(mint),
      quote: (mint: Address) => ({ usd: usd.get(mint)!, source: 'fixed', stale: false }),
      poolWitness: () => undefined,
    };
    const fees = { stables: new Set([paid]), lsts: new Set(), blueChips: new Set() };
    const deps = { chain: { account, computeUnitPrice: async () => 0n }, prices, fees };
    const order = {
      asked: { amount: 20_000_000n },
      input: { mint: paid, decimals: 6 },
      output: { mint: bought, tokenProgram: TOKEN_2022_PROGRAM, decimals: 6 },
      wallets: { destination: { account: newAddress(), exists }, lamports: { gasWallet: 10n ** 10n } },
      terms: { side: 'input', mint: paid, bps: 0, platformBps: 0, account: newAddress() },
    };
    return gaslessTerms(deps as unknown as SwapDeps, order as unknown as Order, 'rent');
  };
  const [metadataPointer, pausable] = [18, 26];
  assert.equal((await termsFor(metadataPointer, false))?.gasless?.maxLamports, 2_074_080n);
  assert.equal(await termsFor(pausable, false), undefined);
  assert.equal((await termsFor(pausable, true))?.gasless?.maxLamports, 0n);
});
