import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, SlipwayError, SOL } from '@slipway/client';
import {
  type Address,
  associatedTokenAddress,
  decodeLookupTable,
  decodeTokenAccount,
  decodeTransaction,
  generateKeypair,
  type Keypair,
  type LookupTable,
  unsignedTransaction,
} from '@slipway/wire';
import fc from 'fast-check';
import { callbackSigner, clientOf } from './client.js';
import { mutationsOf } from './mutations.js';
import { type Service, startService } from './service.js';
import { USDC } from './swap.js';
import { JUP, newToken, newWallet, rpc } from './wallet.js';

const RUNS = 1_000;
/** How often the service is asked for the transaction, where it says that it may yet have one. */
const ATTEMPTS = 20;
const PAUSE_MS = 500;
type Client = ReturnType<typeof createClient>;

/** A kind of transaction: the flow that signs it, and the most that the wallet may lose by it. */
interface Kind {
  flow: (client: Client) => Promise<unknown>;
  lamports: bigint;
  /** The least change of the wallet's tokens, by mint; of others nothing may be lost. */
  tokens?: Partial<Record<Address, bigint>>;
}

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

const SIGNED = new Error('this was signed');
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const HOUR_MS = 3_600_000;
/** The client's own bound of fees, and the rent of an account. */
const SOL_FEES = 13_000_000n;
/** Of orders, invites and accounts of a vault. */
const RENTS = SOL_FEES + 12_000_000n;

/** The flow up to its signature, with what the service says kept: it can be had again with another transaction. */
async function record(wallet: Keypair, kind: Kind) {
  const answers = new Map<string, string>();
  let original = '';
  const run = async (replay: (text: string) => string, fetching: typeof fetch): Promise<unknown> => {
    const signer = {
      ...callbackSigner(wallet),
      signTransaction(wire: Uint8Array): never {
        original ||= Buffer.from(wire).toString('base64');
        throw SIGNED;
      },
    };
    const keeping: typeof fetch = async (input, init) => {
      // The key of an invite signs by itself: what it has signed is on its way.
      if (String(input).endsWith('/execute-claim')) {
        const { signedTransaction } = JSON.parse(String(init?.body)) as { signedTransaction: string };
        const { message } = decodeTransaction(Buffer.from(signedTransaction, 'base64'));
        original ||= Buffer.from(unsignedTransaction(message)).toString('base64');
        throw SIGNED;
      }
      const name = `${init?.method} ${input} ${init?.body}`;
      if (!answers.has(name)) {
        const answer = await fetching(input, init);
        // Of a maker that had no time.
        if (!answer.ok) return answer;
        answers.set(name, await answer.text());
      }
      return new Response(replay(answers.get(name)!));
    };
    const client = createClient({
      url: service.url,
      apiKey: 'sandbox',
      signer,
      rpcUrl: service.rpcUrl,
      sandbox: true,
      fetch: keeping,
      attempts: 1,
    });
    return kind.flow(client).then(
      () => assert.fail('nothing was signed'),
      (error: unknown) => error,
    );
  };
  // Not by the client, which would send on what the key of an invite has signed, for a minute and more.
  let first = await run((text) => text, fetch);
  for (let tries = 1; tries < ATTEMPTS && !isSigned(first); tries++) {
    await sleep(PAUSE_MS);
    first = await run((text) => text, fetch);
  }
  assert.ok(isSigned(first), String(first));
  return {
    original: Buffer.from(original, 'base64'),
    /** What becomes of the flow when the service gives this transaction in place of its own. */
    given: (wire: Uint8Array) => {
      const base64 = Buffer.from(wire).toString('base64');
      return run(
        (text) => text.replaceAll(original, base64),
        () => assert.fail('a new request'),
      );
    },
  };
}

const isSigned = (error: unknown) => error instanceof SlipwayError && error.cause === SIGNED;

async function tablesOf(wire: Uint8Array): Promise<LookupTable[]> {
  const names = decodeTransaction(wire).decoded.lookups.map(({ table }) => table);
  if (names.length === 0) return [];
  type Found = { value: { data: [string] }[] };
  const { value } = await rpc<Found>(service, 'getMultipleAccounts', names, { encoding: 'base64' });
  const addresses = (i: number) => decodeLookupTable(Buffer.from(value[i]!.data[0], 'base64'))!.addresses;
  return names.map((address, i) => ({ address, addresses: addresses(i) }));
}

interface Account {
  lamports: number;
  data: [string, string];
}

/** What signing this would cost the wallet, by the chain; undefined where it would fail. */
async function harmOf(wallet: Address, wire: Uint8Array, { lamports, tokens = {} }: Kind): Promise<string | undefined> {
  const mints = [USDC, JUP, SOL as Address];
  const addresses = [wallet, ...mints.map((mint) => associatedTokenAddress(wallet, mint))];
  const { value: held } = await rpc<{ value: (Account | null)[] }>(service, 'getMultipleAccounts', addresses, {
    encoding: 'base64',
  });
  const options = {
    encoding: 'base64',
    sigVerify: false,
    replaceRecentBlockhash: true,
    accounts: { encoding: 'base64', addresses },
  };
  type Simulated = { value: { err: unknown; accounts: (Account | null)[] } };
  const { value } = await rpc<Simulated>(service, 'simulateTransaction', Buffer.from(wire).toString('base64'), options);
  if (value.err) return undefined;
  const lost = BigInt(held[0]?.lamports ?? 0) - BigInt(value.accounts[0]?.lamports ?? 0);
  if (lost > lamports) return `${lost} lamports lost, ${lamports} were agreed`;
  for (const [i, mint] of mints.entries()) {
    const read = (account: Account | null | undefined) =>
      account?.data[0] ? decodeTokenAccount(Buffer.from(account.data[0], 'base64')) : undefined;
    const [was, is] = [read(held[i + 1]), read(value.accounts[i + 1])];
    const change = (is?.amount ?? 0n) - (was?.amount ?? 0n);
    if (change < (tokens[mint] ?? 0n)) return `${change} of ${mint}`;
    if (is && (is.owner !== wallet || is.delegate || is.closeAuthority)) return `${mint} is another’s`;
  }
  return undefined;
}

async function check(wallet: Keypair, kind: Kind): Promise<void> {
  const { original, given } = await record(wallet, kind);
  assert.equal(await harmOf(wallet.address, original, kind), undefined);
  const same = Buffer.from(original);
  let refused = 0;
  let harmless = 0;
  const mutations = mutationsOf(original, wallet.address, await tablesOf(original)).filter(
    (wire) => !same.equals(wire),
  );
  await fc.assert(
    fc.asyncProperty(mutations, async (wire) => {
      const outcome = await given(wire);
      if (outcome instanceof SlipwayError && !isSigned(outcome)) {
        assert.ok(['refused_to_sign', 'network'].includes(outcome.code), String(outcome));
        refused += 1;
        return;
      }
      assert.ok(isSigned(outcome), String(outcome));
      assert.equal(await harmOf(wallet.address, wire, kind), undefined);
      harmless += 1;
    }),
    { numRuns: RUNS, includeErrorInReport: true },
  );
  assert.ok(refused > harmless, `${refused} refused, ${harmless} harmless`);
}

describe('attack: a lying service gives clients other transactions than they asked for, and gets no signature', () => {
  const swaps: [string, string, string, bigint, string][] = [
    ['SOL for tokens by a router', SOL, USDC, 100_000_000n, 'jupiterz'],
    ['tokens for SOL by a router', JUP, SOL, 100_000_000n, 'jupiterz'],
    ['SOL for tokens by a market maker', SOL, USDC, 100_000_000n, 'metis'],
    ['tokens for tokens by a market maker', JUP, USDC, 100_000_000n, 'metis'],
  ];
  for (const [name, inputMint, outputMint, amount, excludeRouters] of swaps) {
    it(`a swap of ${name}`, async () => {
      const wallet = await newWallet(service, 3_000_000_000n, 2_000_000_000n);
      const isSol = inputMint === SOL;
      await check(wallet, {
        flow: (client) => client.swap({ inputMint, outputMint, amount, excludeRouters }),
        lamports: SOL_FEES + (isSol ? amount : 0n),
        tokens: { ...(!isSol && { [inputMint]: -amount }), ...(outputMint === USDC && { [USDC]: 1n }) },
      });
    });
  }

  for (const paymentCurrency of [undefined, 'SOL'] as const) {
    it(`a payment in ${paymentCurrency ?? "the platform's token"}`, async () => {
      const wallet = await newWallet(service, 30_000_000_000n);
      const tokenId = await newToken(service);
      await check(wallet, {
        flow: (client) =>
          client.payVerification({
            tokenId,
            twitterHandle: '',
            description: '',
            paymentCurrency,
            maxAmount: 20_000_000_000n,
          }),
        lamports: paymentCurrency ? 20_000_000_000n : SOL_FEES,
        tokens: paymentCurrency ? {} : { [JUP]: -1_000_000_000n },
      });
    });
  }

  it('limit orders, of SOL and of tokens', async () => {
    const wallet = await newWallet(service, 3_000_000_000n, 200_000_000n);
    const expiresAt = new Date(Date.now() + HOUR_MS);
    const order = { outputMint: USDC, makingAmount: 100_000_000n, takingAmount: 10n ** 12n, expiresAt };
    await check(wallet, {
      flow: (client) => client.createLimitOrder({ ...order, inputMint: SOL }),
      lamports: RENTS + 100_000_000n,
    });
    await check(wallet, {
      flow: (client) => client.createLimitOrder({ ...order, inputMint: JUP }),
      lamports: RENTS,
      tokens: { [JUP]: -100_000_000n },
    });
    for (const inputMint of [SOL, JUP]) {
      const opened = await clientOf(service, wallet).createLimitOrder({ ...order, inputMint });
      await check(wallet, { flow: (client) => client.cancelLimitOrder(opened.order), lamports: SOL_FEES });
    }
  });

  it('invites, of SOL and of tokens, that are made, claimed and taken back', async () => {
    for (const mint of [undefined, JUP]) {
      const wallet = await newWallet(service, 3_000_000_000n, 200_000_000n);
      const amount = 50_000_000n;
      const code = mint ? '111111111112' : '111111111113';
      const lamports = RENTS + (mint ? 0n : amount);
      const tokens = { ...(mint && { [mint]: -amount }) };
      await check(wallet, { flow: (client) => client.send({ amount, mint, code }), lamports, tokens });
      const sent = await clientOf(service, wallet).send({ amount, mint });
      await check(wallet, { flow: (client) => client.takeBack(sent.invite), lamports: SOL_FEES });
      const receiver = generateKeypair();
      await check(receiver, {
        flow: (client) => client.claim({ code: sent.code, receiver: receiver.address }),
        lamports: mint ? 0n : -amount,
        tokens: { ...(mint && { [mint]: amount }) },
      });
    }
  });

  it('deposits of trigger orders, of SOL and of tokens, and their withdrawals', async () => {
    const wallet = await newWallet(service, 3_000_000_000n, 200_000_000n);
    const own = clientOf(service, wallet);
    const session = await own.login();
    const expiresAt = new Date(Date.now() + HOUR_MS);
    const terms = { orderType: 'single', triggerCondition: 'above', triggerPriceUsd: 1e6, expiresAt } as const;
    for (const inputMint of [SOL, JUP]) {
      const order = {
        ...terms,
        inputMint,
        triggerMint: SOL,
        outputMint: inputMint === SOL ? USDC : SOL,
        inputAmount: 150_000_000n,
      };
      await check(wallet, {
        flow: (client) => client.placePriceOrder(session, order),
        lamports: RENTS + (inputMint === SOL ? order.inputAmount : 0n),
        tokens: { ...(inputMint === JUP && { [JUP]: -order.inputAmount }) },
      });
      const { id } = await own.placePriceOrder(session, order);
      await check(wallet, { flow: (client) => client.cancelPriceOrder(session, id), lamports: SOL_FEES });
    }
  });

  it('launches', async () => {
    const wallet = await newWallet(service, 3_000_000_000n);
    const none = { totalLockedVestingAmount: 0, cliffUnlockAmount: 0, numberOfVestingPeriod: 0 } as const;
    const lockedVestingParam = { ...none, totalVestingDuration: 0, cliffDurationFromMigrationTime: 0 } as const;
    const caps = { initialMarketCap: 16_000, migrationMarketCap: 69_000 };
    const curve = { quoteMint: USDC, tokenQuoteDecimal: 6, ...caps, lockedVestingParam } as const;
    await check(wallet, {
      flow: (client) =>
        client.launch({
          buildCurveByMarketCapParam: curve,
          antiSniping: true,
          fee: { feeBps: 100 },
          tokenName: 'Example',
          tokenSymbol: 'EXMPL',
          image: { contentType: 'image/png', bytes: Buffer.from(PIXEL, 'base64') },
        }),
      lamports: 100_000_000n,
    });
  });
});
