import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import {
  type Address,
  addressToBytes,
  base58Decode,
  compileMessage,
  encodeTransaction,
  generateKeypair,
  type Instruction,
  type Keypair,
  keypairFromSecret,
  METADATA_PROGRAM,
  metadataAddress,
  readonlySigner,
  sign,
  systemCreateAccount,
  TOKEN_2022_PROGRAM,
  tokenInitializeMint2,
  WRAPPED_SOL_MINT,
  writableAccount,
} from '@slipway/wire';
import type { FastifyInstance } from 'fastify';
import { createChain, createLocalRpc } from '../../chain/index.js';
import { createTokenList } from '../../config/index.js';
import { startTestServer } from '../../http/testing.js';
import { steadyNow } from '../../lib/clock.js';
import type { Store } from '../../store/sql.js';
import { openAnyStore } from '../../store/testing.js';
import { registerTokens } from './index.js';
import type { MintInformation, ShieldAnswer } from './schema.js';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' as Address;

let localnet: Localnet;
let app: FastifyInstance;
let payer: Keypair;
let store: Store;
before(async () => {
  localnet = await startLocalnet({ rpcPort: 0 });
  const { wallets } = (await localnet.call('localnet_info')) as { wallets: { secretKey: string }[] };
  payer = keypairFromSecret(base58Decode(wallets[0]!.secretKey)!);
  const rpc = createLocalRpc(localnet.call);
  const chain = createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 1n } });
  const tokenList = createTokenList({ tokens: { usdc: { symbol: 'USDC', mint: USDC } }, tokenList: [] });
  store = await openAnyStore();
  ({ app } = await startTestServer((server) =>
    registerTokens(server, {
      chain,
      shownUsd: () => 2,
      store,
      tokens: tokenList,
    }),
  ));
});
after(async () => {
  await app?.close();
  await store?.close();
  await localnet?.close();
});

async function get<T>(url: string): Promise<T> {
  const answer = await app.inject({ url, headers: { 'x-api-key': 'good-key' } });
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json() as T;
}

/** Type, severity of each warning. */
async function warningsOf(mint: Address): Promise<string[]> {
  const { warnings } = await get<ShieldAnswer>(`/ultra/v1/shield?mints=${mint}`);
  assert.deepEqual(Object.keys(warnings), [mint]);
  for (const { message } of warnings[mint]!) assert.match(message, /\w{3}/);
  return warnings[mint]!.map(({ type, severity }) => `${type} ${severity}`);
}

/** Instruction of Token-2022 on the mint alone, before or after it is initialized. */
type OnMint = (mint: Address) => Instruction;
const onMint =
  (...parts: (number | Address | Uint8Array)[]): OnMint =>
  (mint) => ({
    program: TOKEN_2022_PROGRAM,
    accounts: [writableAccount(mint)],
    data: Buffer.concat(
      parts.map((part) =>
        typeof part === 'number' ? Buffer.of(part) : typeof part === 'string' ? addressToBytes(part) : part,
      ),
    ),
  });

const NOBODY = new Uint8Array(32);
const u16 = (value: number) => Buffer.from(Uint16Array.of(value).buffer);
const u64 = (value: bigint) => Buffer.from(BigUint64Array.of(value).buffer);
const borsh = (text: string) => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(text)]);
};

interface MintInput {
  /** Size of the account when it is created: the base, the type, and what the extensions take. */
  size: number;
  extensions?: OnMint[];
  afterwards?: OnMint[];
  freezeAuthority?: Address;
}

/** A mint that the chain's real Token-2022 program has created. */
async function newMint({ size, extensions = [], afterwards = [], freezeAuthority }: MintInput): Promise<Address> {
  const mint = generateKeypair();
  const made = tokenInitializeMint2({
    mint: mint.address,
    decimals: 6,
    mintAuthority: payer.address,
    tokenProgram: TOKEN_2022_PROGRAM,
    ...(freezeAuthority && { freezeAuthority }),
  });
  const instructions = [
    systemCreateAccount({
      payer: payer.address,
      newAccount: mint.address,
      lamports: 100_000_000n,
      space: size,
      owner: TOKEN_2022_PROGRAM,
    }),
    ...extensions.map((make) => make(mint.address)),
    made,
    ...afterwards.map((make) => make(mint.address)),
  ];
  const { value } = (await localnet.call('getLatestBlockhash')) as { value: { blockhash: string } };
  const message = compileMessage({ version: 0, feePayer: payer.address, instructions, blockhash: value.blockhash });
  const wire = encodeTransaction({ message, signatures: [payer, mint].map((signer) => sign(signer, message)) });
  await localnet.call('sendTransaction', [Buffer.from(wire).toString('base64'), { encoding: 'base64' }]);
  return mint.address;
}

/** Fee of transfers in basis points. */
const transferFee = (bps: number, authority = true) =>
  onMint(26, 0, ...(authority ? [1, payer.address] : [0]), 0, u16(bps), u64(1_000n));
const WITH_FEE = 166 + 4 + 108;
const MINTING = 'HAS_MINT_AUTHORITY info';
const UNKNOWN = 'NOT_VERIFIED info';

describe('shield', () => {
  it('has nothing to say of SOL, and of a listed token only what its mint says', async () => {
    assert.deepEqual(await warningsOf(WRAPPED_SOL_MINT), []);
    assert.deepEqual(await warningsOf(USDC), [MINTING]);
  });

  it('says that there is no token where there is none', async () => {
    for (const nothing of [generateKeypair().address, payer.address]) {
      assert.deepEqual(await warningsOf(nothing), [UNKNOWN, 'NOT_SELLABLE critical']);
    }
  });

  const frozen = 'HAS_FREEZE_AUTHORITY';
  const cases: [string, () => MintInput, string[]][] = [
    ['no extension', () => ({ size: 82 }), []],
    ['a freeze authority', () => ({ size: 82, freezeAuthority: payer.address }), [`${frozen} warning`]],
    [
      'accounts that begin frozen',
      () => ({ size: 166 + 5, extensions: [onMint(28, 0, 2)], freezeAuthority: payer.address }),
      [`${frozen} critical`],
    ],
    ['no way to transfer', () => ({ size: 166 + 4, extensions: [onMint(32)] }), ['NON_TRANSFERABLE critical']],
    [
      'a permanent delegate',
      () => ({ size: 166 + 36, extensions: [onMint(35, payer.address)] }),
      ['HAS_PERMANENT_DELEGATE critical'],
    ],
    [
      'a transfer hook',
      () => ({ size: 166 + 68, extensions: [onMint(36, 0, payer.address, generateKeypair().address)] }),
      ['NOT_SELLABLE warning'],
    ],
    [
      'a hook that nobody can set',
      () => ({ size: 166 + 68, extensions: [onMint(36, 0, NOBODY, generateKeypair().address)] }),
      ['NOT_SELLABLE warning'],
    ],
    [
      'a pause that is not used',
      () => ({ size: 166 + 37, extensions: [onMint(44, 0, payer.address)] }),
      [`${frozen} warning`],
    ],
    [
      'a fee that can change',
      () => ({ size: WITH_FEE, extensions: [transferFee(125)] }),
      ['1.25%_TRANSFER_FEES warning', 'MUTABLE_TRANSFER_FEES warning'],
    ],
    [
      'a fee that cannot change',
      () => ({ size: WITH_FEE, extensions: [transferFee(1_000, false)] }),
      ['10%_TRANSFER_FEES warning'],
    ],
    [
      'no fee, but who could set one',
      () => ({ size: WITH_FEE, extensions: [transferFee(0)] }),
      ['MUTABLE_TRANSFER_FEES warning'],
    ],
  ];
  for (const [name, input, expected] of cases) {
    it(`warns of a mint with ${name}`, async () => {
      const warnings = await warningsOf(await newMint(input()));
      assert.deepEqual(warnings.filter((each) => each !== UNKNOWN && each !== MINTING).sort(), [...expected].sort());
      assert.ok(warnings.includes(UNKNOWN) && warnings.includes(MINTING));
    });
  }

  it('attack: an issuer of a token leaves its transfer hook unset, to have it refuse all transfers but his once others have bought: that he can is told', async () => {
    const mint = await newMint({ size: 166 + 68, extensions: [onMint(36, 0, payer.address, NOBODY)] });
    assert.ok((await warningsOf(mint)).includes(`${frozen} warning`));
  });

  it('says that a paused token cannot be sold', async () => {
    const pause: OnMint = (mint) => ({
      program: TOKEN_2022_PROGRAM,
      accounts: [writableAccount(mint), readonlySigner(payer.address)],
      data: Uint8Array.of(44, 1),
    });
    const mint = await newMint({ size: 166 + 37, extensions: [onMint(44, 0, payer.address)], afterwards: [pause] });
    assert.ok((await warningsOf(mint)).includes('NOT_SELLABLE critical'));
  });

  const byPayer =
    (...data: (number | Uint8Array)[]): OnMint =>
    (mint) => ({
      ...onMint(...data)(mint),
      accounts: [writableAccount(mint), readonlySigner(payer.address)],
    });
  const setFee = (bps: number) => byPayer(26, 5, u16(bps), u64(1_000n));

  it('attack: an issuer of a token sets a fee of everything for later, and gives up the right to change it: it is told at once', async () => {
    const giveUp = byPayer(6, 4, 0);
    const mint = await newMint({ size: WITH_FEE, extensions: [transferFee(0)], afterwards: [setFee(10_000), giveUp] });
    const { warnings } = await get<ShieldAnswer>(`/ultra/v1/shield?mints=${mint}`);
    const told = warnings[mint]!.filter(({ type }) => type.includes('TRANSFER_FEES'));
    assert.deepEqual(
      told.map(({ type }) => type),
      ['100%_TRANSFER_FEES'],
    );
    assert.match(told[0]!.message, /^From epoch \d+ on, 100 % of each transfer/);
  });

  it('tells the fee in force, and the next one, also from its epoch on', async () => {
    const mint = await newMint({ size: WITH_FEE, extensions: [transferFee(100)], afterwards: [setFee(500)] });
    const fees = (await warningsOf(mint)).filter((each) => each.includes('%'));
    assert.deepEqual(fees, ['1%_TRANSFER_FEES warning', '5%_TRANSFER_FEES warning']);
    // The program takes a new fee two epochs later.
    await localnet.call('localnet_advanceClock', [3 * 432_000 * 0.4]);
    const later = (await warningsOf(mint)).filter((each) => each.includes('%'));
    assert.deepEqual(later, ['5%_TRANSFER_FEES warning']);
  });
});

describe('search by mint, of a token that nobody has listed', () => {
  const find = async (mint: Address) => (await get<MintInformation[]>(`/tokens/v2/search?query=${mint}`))[0]!;

  it('answers from the chain, and calls it neither verified nor by a name that it has not', async () => {
    const mint = await newMint({ size: 82, freezeAuthority: payer.address });
    assert.deepEqual(await find(mint), {
      id: mint,
      name: '',
      symbol: '',
      decimals: 6,
      tokenProgram: TOKEN_2022_PROGRAM,
      mintAuthority: payer.address,
      freezeAuthority: payer.address,
      circSupply: 0,
      totalSupply: 0,
      usdPrice: 2,
      fdv: 0,
      mcap: 0,
      audit: { mintAuthorityDisabled: false, freezeAuthorityDisabled: false },
      isVerified: false,
      tags: [],
    });
  });

  it('takes name and symbol from the metadata within the mint', async () => {
    const pointTo = (mint: Address) => onMint(39, 0, payer.address, mint)(mint);
    const name: OnMint = (mint) => ({
      program: TOKEN_2022_PROGRAM,
      accounts: [writableAccount(mint), ...[payer.address, mint, payer.address].map(readonlySigner)],
      data: Buffer.concat([
        Buffer.from('d2e11ea258b84d8d', 'hex'),
        ...['Good \u202eToken\n', 'GOOD', 'https://x'].map(borsh),
      ]),
    });
    const mint = await newMint({ size: 166 + 68, extensions: [pointTo], afterwards: [name] });
    const found = await find(mint);
    assert.deepEqual([found.name, found.symbol], ['Good Token', 'GOOD']);
  });

  it('takes them from the account of the metadata program, unless it is of another program or mint', async () => {
    const mint = await newMint({ size: 82 });
    const write = (of: Address, owner: string) => {
      const texts = ['Padded'.padEnd(32, '\0'), 'PAD'.padEnd(10, '\0')].map(borsh);
      const data = Buffer.concat([Buffer.of(4), addressToBytes(payer.address), addressToBytes(of), ...texts]);
      const account = { lamports: 5_616_720, owner, executable: false, data: data.toString('base64') };
      return localnet.call('localnet_setAccount', [metadataAddress(mint), account]);
    };
    for (const [of, owner] of [
      [USDC, METADATA_PROGRAM],
      [mint, payer.address],
    ] as const) {
      await write(of, owner);
      assert.equal((await find(mint)).name, '');
    }
    await write(mint, METADATA_PROGRAM);
    const found = await find(mint);
    assert.deepEqual([found.name, found.symbol, found.isVerified], ['Padded', 'PAD', false]);
  });
});
