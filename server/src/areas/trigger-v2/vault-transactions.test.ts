import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import {
  type Address,
  associatedTokenAddress,
  decodeTokenAccount,
  decodeTransaction,
  encodeMint,
  encodeTokenAccount,
  encodeTransaction,
  generateKeypair,
  type Keypair,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  sign,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
  withSignature,
} from '@slipway/wire';
import { type Chain, createChain, createLocalRpc } from '../../chain/index.js';
import type { Crafted } from '../../crafting/transaction.js';
import { steadyNow } from '../../lib/clock.js';
import { orderAccount } from '../../signer/index.js';
import { craftDeposit, craftWithdrawal, type Deposit, type VaultToken } from './vault-transactions.js';

const REQUEST = '01890a5d-ac96-774b-bcce-b302099a8057';
const START = 5_000_000_000n;
const TOKENS = 1_000_000n;

const spl: VaultToken = {
  mint: generateKeypair().address,
  tokenProgram: TOKEN_PROGRAM,
  decimals: 6,
};
const t22: VaultToken = {
  mint: generateKeypair().address,
  tokenProgram: TOKEN_2022_PROGRAM,
  decimals: 9,
};
const sol: VaultToken = { mint: WRAPPED_SOL_MINT, tokenProgram: TOKEN_PROGRAM, decimals: 9 };

let localnet: Localnet;
let chain: Chain;
before(async () => {
  localnet = await startLocalnet({ rpcPort: 0 });
  const rpc = createLocalRpc((method, params) => localnet.call(method, params));
  chain = createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 0n } });
  for (const { mint, tokenProgram, decimals } of [spl, t22]) {
    await write(mint, tokenProgram, 10_000_000n, encodeMint({ decimals, supply: 0n, initialized: true }));
  }
});
after(() => localnet?.close());

async function write(at: Address, owner: Address, lamports: bigint, data: Uint8Array = new Uint8Array()) {
  const account = { lamports: Number(lamports), owner, executable: false, data: Buffer.from(data).toString('base64') };
  await localnet.call('localnet_setAccount', [at, account]);
}

interface Parties {
  wallet: Keypair;
  vault: Keypair;
  tracker: Keypair;
}

/** A wallet with SOL and both tokens, and a vault and a tracker with nothing. */
async function newParties(): Promise<Parties> {
  const parties = { wallet: generateKeypair(), vault: generateKeypair(), tracker: generateKeypair() };
  const owner = parties.wallet.address;
  await write(owner, SYSTEM_PROGRAM, START);
  for (const { mint, tokenProgram } of [spl, t22]) {
    const tokens = { mint, owner, amount: TOKENS, state: 'initialized', delegatedAmount: 0n, isNative: false } as const;
    const account = associatedTokenAddress(owner, mint, tokenProgram);
    await write(account, tokenProgram, rentExemptLamports(165), encodeTokenAccount(tokens));
  }
  return parties;
}

const addresses = ({ wallet, vault, tracker }: Parties) => ({
  wallet: wallet.address,
  vault: vault.address,
  tracker: tracker.address,
});

const lamportsOf = async (address: Address) => (await chain.account(address))?.lamports ?? 0n;
const tokensOf = async (address: Address) => {
  const account = await chain.account(address);
  return account && decodeTokenAccount(account.data)?.amount;
};

function signedBy({ wire }: Crafted, signers: Keypair[]): string {
  const { decoded: _, ...unsigned } = decodeTransaction(wire);
  const signed = signers.reduce((tx, key) => withSignature(tx, key.address, sign(key, tx.message)), unsigned);
  return Buffer.from(encodeTransaction(signed)).toString('base64');
}

/** Sends it; the error as the chain tells it, or null. */
async function land(crafted: Crafted, signers: Keypair[]): Promise<unknown> {
  const params = [signedBy(crafted, signers), { encoding: 'base64', skipPreflight: true }];
  const signature = await chain.rpc.call<string>('sendTransaction', params);
  for (;;) {
    const [status] = (await chain.statuses([signature], { history: true })).found;
    if (status) return status.err;
    await sleep(20);
  }
}

async function depositOf(parties: Parties, changes: Partial<Deposit>): Promise<{ deposit: Deposit; crafted: Crafted }> {
  const deposit: Deposit = {
    ...addresses(parties),
    requestId: REQUEST,
    input: spl,
    output: t22,
    amount: 1_000n,
    keepsOutput: false,
    ...changes,
  };
  return { deposit, crafted: craftDeposit(deposit, (await chain.latestBlockhash()).blockhash, 0n) };
}

describe('a deposit and its withdrawal', () => {
  const pairs: [string, Partial<Deposit>][] = [
    ['of a token for one of Token-2022', { input: spl, output: t22 }],
    ['of Token-2022 for SOL', { input: t22, output: sol }],
    ['of SOL for a token', { input: sol, output: spl }],
    ['of a token for one of Token-2022, which the vault keeps', { input: spl, output: t22, keepsOutput: true }],
    ['of Token-2022 for SOL, which the vault keeps', { input: t22, output: sol, keepsOutput: true }],
    ['of SOL for Token-2022, which the vault keeps', { input: sol, output: t22, keepsOutput: true }],
  ];
  for (const [name, changes] of pairs) {
    test(`${name}: all comes back but the fees, and the vault ends empty`, async () => {
      const parties = await newParties();
      const { wallet, vault, tracker } = parties;
      const { deposit, crafted } = await depositOf(parties, changes);
      const { input, output, amount, keepsOutput } = deposit;
      assert.equal(await land(crafted, [wallet, vault, tracker]), null);
      const [from, to] = [input, output].map(({ tokenProgram }, index) =>
        orderAccount(vault.address, REQUEST, index ? 'out' : 'in', tokenProgram),
      ) as [Address, Address];
      assert.equal(await tokensOf(from), amount);
      assert.equal(await tokensOf(to), keepsOutput ? 0n : undefined);
      const rents = BigInt(keepsOutput ? 2 : 1) * rentExemptLamports(165);
      const paid = rents + (input === sol ? amount : 0n) + crafted.feeLamports;
      assert.equal(await lamportsOf(wallet.address), START - paid);

      const holdings = [
        { account: from, token: input, amount },
        ...(keepsOutput ? [{ account: to, token: output, amount: 0n }] : []),
      ];
      const { blockhash } = await chain.latestBlockhash();
      const back = craftWithdrawal(addresses(parties), holdings, blockhash, 0n);
      assert.equal(await land(back, [wallet, vault, tracker]), null);
      assert.equal(await lamportsOf(wallet.address), START - crafted.feeLamports - back.feeLamports);
      if (input !== sol) {
        assert.equal(await tokensOf(associatedTokenAddress(wallet.address, input.mint, input.tokenProgram)), TOKENS);
      }
      for (const address of [from, to, vault.address, tracker.address]) assert.equal(await lamportsOf(address), 0n);
    });
  }

  test('move nothing while one of the three has not signed', async () => {
    const parties = await newParties();
    const all = [parties.wallet, parties.vault, parties.tracker];
    const { deposit, crafted } = await depositOf(parties, { keepsOutput: true });
    const refused = async (transaction: Crafted) => {
      for (const absent of all) {
        const signers = all.filter((key) => key !== absent);
        const params = [signedBy(transaction, signers), { encoding: 'base64', skipPreflight: true }];
        await assert.rejects(chain.rpc.call('sendTransaction', params));
      }
    };
    await refused(crafted);
    assert.equal(await land(crafted, all), null);
    const account = orderAccount(deposit.vault, REQUEST, 'in', TOKEN_PROGRAM);
    const holdings = [{ account, token: spl, amount: deposit.amount }];
    await refused(craftWithdrawal(addresses(parties), holdings, (await chain.latestBlockhash()).blockhash, 0n));
    assert.equal(await tokensOf(account), deposit.amount);
  });
});

test('two deposits of one vault never share an account, and the same one never lands twice', async () => {
  const parties = await newParties();
  const all = [parties.wallet, parties.vault, parties.tracker];
  const first = await depositOf(parties, {});
  assert.equal(await land(first.crafted, all), null);
  const again = await depositOf(parties, { amount: 2_000n });
  assert.notEqual(await land(again.crafted, all), null);
  const other = await depositOf(parties, { requestId: REQUEST.replace('7057', '7058').replace('8057', '8058') });
  assert.equal(await land(other.crafted, all), null);
  const left = await tokensOf(associatedTokenAddress(parties.wallet.address, spl.mint));
  assert.equal(left, TOKENS - 2_000n);
});
