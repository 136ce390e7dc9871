import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClient, SlipwayError, SOL } from '@slipway/client';
import {
  type Address,
  associatedTokenAddress,
  decodeLookupTable,
  decodeTokenAccount,
  decodeTransaction,
  type Keypair,
  type LookupTable,
} from '@slipway/wire';
import fc from 'fast-check';
import { callbackSigner } from './client.js';
import { mutationsOf } from './mutations.js';
import { type Service, startService } from './service.js';
import { USDC } from './swap.js';
import { JUP, newToken, newWallet, rpc } from './wallet.js';

const RUNS = 1_000;
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
const SOL_FEES = 3_000_000n;

/** The flow up to its signature, with what the service says kept: it can be had again with another transaction. */
async function record(wallet: Keypair, kind: Kind) {
  const answers = new Map<string, string>();
  let original = '';
  const run = async (url: string, replay: (text: string) => string, fetching: typeof fetch): Promise<unknown> => {
    const signer = {
      ...callbackSigner(wallet),
      signTransaction(wire: Uint8Array): never {
        original ||= Buffer.from(wire).toString('base64');
        throw SIGNED;
      },
    };
    const keeping: typeof fetch = async (input, init) => {
      const name = `${init?.method} ${input} ${init?.body}`;
      if (!answers.has(name)) answers.set(name, await (await fetching(input, init)).text());
      return new Response(replay(answers.get(name)!));
    };
    const client = createClient({ url, apiKey: 'sandbox', signer, rpcUrl: service.rpcUrl, fetch: keeping });
    return kind.flow(client).then(
      () => assert.fail('nothing was signed'),
      (error: unknown) => error,
    );
  };
  const first = await run(service.url, (text) => text, fetch);
  assert.ok(isSigned(first), String(first));
  return {
    original: Buffer.from(original, 'base64'),
    /** What becomes of the flow when the service gives this transaction in place of its own. */
    given: (wire: Uint8Array) => {
      const base64 = Buffer.from(wire).toString('base64');
      return run(
        service.url,
        (text) => text.replaceAll(original, base64),
        () => assert.fail('a new request'),
      );
    },
  };
}

const isSigned = (error: unknown) => error instanceof SlipwayError && error.code === 'signer' && error.cause === SIGNED;

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
  const lost = BigInt(held[0]!.lamports) - BigInt(value.accounts[0]?.lamports ?? 0);
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
      if (outcome instanceof SlipwayError && ['refused_to_sign', 'network'].includes(outcome.code)) {
        refused += 1;
        return;
      }
      assert.ok(isSigned(outcome), String(outcome));
      assert.equal(await harmOf(wallet.address, wire, kind), undefined);
      harmless += 1;
    }),
    { numRuns: RUNS },
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
});
