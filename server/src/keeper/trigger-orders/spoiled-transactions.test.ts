import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type Address,
  associatedTokenAddress,
  decodeMessage,
  decodeTokenAccount,
  parseTransferChecked,
  unsignedTransaction,
} from '@slipway/wire';
import { type CosignRequest, SANDBOX_PROGRAMS, SignerRefused } from '../../signer/index.js';
import { checkPolicies, NotAllowed, readToSign } from '../../signer/policies/index.js';
import { createRandom, spoil, type Thief } from '../../signer/policies/testing.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const NEVER = { triggerCondition: 'above', triggerPriceUsd: 1_000_000 } as const;
/** Of each transaction. */
const SPOILED = 3_500;

describe('attack: a copy that was broken into asks for signatures under spoiled transactions of vaults and keeper', () => {
  let world: Awaited<ReturnType<typeof openTriggerWorld>>;
  before(async () => {
    world = await openTriggerWorld();
  });
  after(() => world?.close());

  /** What the service asks its signer to sign meanwhile; the first `let` of it is signed, the rest refused. */
  async function asked(signed: number, work: () => Promise<unknown>): Promise<CosignRequest[]> {
    const requests: CosignRequest[] = [];
    const { cosign } = world.signer;
    world.signer.cosign = async (request) => {
      requests.push(request);
      if (requests.length > signed) throw new SignerRefused('all', 'the test wants it only');
      return cosign(request);
    };
    await work().catch((error: Error) => assert.ok(error instanceof SignerRefused, error.stack));
    world.signer.cosign = cosign;
    return requests;
  }

  async function transactions(): Promise<{ request: CosignRequest; wallet: Address; account: Address }[]> {
    const client = world.newClient();
    const keeper = await world.newKeeper();
    const never = await world.deposit(client, NEVER);
    const filled = await world.deposit(client);
    const [fill] = await asked(0, () => keeper.runDue());
    const [withdrawal] = await asked(0, () => client.withdraw(never.wallet, never.id));
    let wallet = never.wallet;
    const [deposit] = await asked(0, async () => {
      const made = await client.register();
      wallet = made;
      await world.fund(made.address, world.sold, AMOUNT);
      const { mint } = world.sold;
      const terms = {
        inputMint: mint,
        outputMint: world.bought.mint,
        triggerMint: mint,
        orderType: 'single',
        ...NEVER,
      } as const;
      await client.open(made, AMOUNT, terms);
    });
    await keeper.close();
    const accountOf = async (id: string) => (await world.rowOf(id)).inputAccount as Address;
    assert.ok(fill && withdrawal && deposit);
    return [
      { request: fill, wallet: filled.wallet.address, account: await accountOf(filled.id) },
      { request: withdrawal, wallet: never.wallet.address, account: await accountOf(never.id) },
      { request: deposit, wallet: wallet.address, account: await accountOf(never.id) },
    ];
  }

  it('10,500 of them: each is refused, or moves nothing to anybody but the wallet', async (context) => {
    const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
    context.diagnostic(`seed ${seed}: run it again with TEST_SEED=${seed}`);
    const random = createRandom(seed);
    const thiefKey = await world.world.wallet();
    const tokens = [world.sold, world.bought];
    await Promise.all(tokens.map((token) => world.fund(thiefKey.address, token, 1n)));
    const counts = { refused: 0, failed: 0, harmless: 0 };
    for (const { request, wallet, account } of await transactions()) {
      const vault = await world.signer.publicKey(`vault:${wallet}`);
      const thief: Thief = { address: thiefKey.address, tokens, wanted: [{ account, owner: vault }] };
      const keys = await Promise.all(
        request.keys.map(async (name) => ({ name, address: await world.signer.publicKey(name) })),
      );
      const facts = { keeper: world.payer, programs: SANDBOX_PROGRAMS, ...(request.order && { order: request.order }) };
      checkPolicies(readToSign(request.message), keys, facts);
      const atas = (owner: Address) =>
        tokens.map((each) => associatedTokenAddress(owner, each.mint, each.tokenProgram));
      const watched = [world.payer, account, ...atas(wallet), ...atas(thief.address)];
      const before = await read(watched);
      for (let i = 0; i < SPOILED; i++) {
        const message = spoil(request.message, thief, random);
        let spends: readonly bigint[];
        try {
          spends = checkPolicies(readToSign(message), keys, facts);
        } catch (error) {
          const isRefusal = error instanceof NotAllowed || ['WireError', 'RangeError'].includes((error as Error).name);
          assert.ok(isRefusal, `${(error as Error).stack}`);
          counts.refused++;
          continue;
        }
        const { err, after } = await simulated(message, watched, before);
        if (err !== null) {
          counts.failed++;
          continue;
        }
        counts.harmless++;
        const gain = (n: number) => after[n]!.tokens - before[n]!.tokens;
        const why = Buffer.from(message).toString('base64');
        const most = spends.reduce((sum, each) => sum + each, 0n);
        assert.ok(after[0]!.lamports >= before[0]!.lamports - most, `the keeper loses more than ${most}: ${why}`);
        // What the wallet itself has signed away is its own business.
        if (paysItself(message, wallet)) continue;
        for (const n of [4, 5]) assert.ok(gain(n) <= 0n, `the thief gains tokens: ${why}`);
        // What left the vault has come to the wallet, at the price of the pool.
        const lost = -gain(1);
        assert.ok(gain(2) + gain(3) >= (lost * 99n) / 100n, `the vault loses ${lost}: ${why}`);
      }
    }
    context.diagnostic(JSON.stringify(counts));
    assert.ok(counts.refused > 1_000 && counts.harmless > 10, JSON.stringify(counts));
  });

  /** What the accounts hold afterwards. A node tells only of as many as a transaction names; others stay as they are. */
  async function simulated(message: Uint8Array, watched: readonly Address[], before: ReturnType<typeof readAccount>[]) {
    const named = new Set<Address>(decodeMessage(message).accounts);
    const asked = watched.filter((account) => named.has(account));
    const { err, accounts } = await world.chain.simulate(unsignedTransaction(message), {
      sigVerify: false,
      accounts: asked,
    });
    const told = new Map(asked.map((account, n) => [account, readAccount(accounts[n])]));
    return { err, after: watched.map((account, n) => told.get(account) ?? before[n]!) };
  }

  async function read(watched: readonly Address[]) {
    return (await Promise.all(watched.map((each) => world.chain.account(each)))).map(readAccount);
  }
});

/** Whether the wallet pays tokens with its own signature. */
function paysItself(message: Uint8Array, wallet: Address): boolean {
  return readToSign(message).instructions.some((each) => parseTransferChecked(each)?.authority === wallet);
}

function readAccount(account: { lamports: bigint; data: Uint8Array } | undefined) {
  const tokens = account && account.data.length >= 165 ? decodeTokenAccount(account.data)?.amount : undefined;
  return { lamports: account?.lamports ?? 0n, tokens: tokens ?? 0n };
}
