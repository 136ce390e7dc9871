import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { claimInvite, expireInvite, inviteAddress, migrateToDammV2 } from '@slipway/programs';
import {
  type AccountMeta,
  type Address,
  address,
  addressFromBytes,
  associatedTokenAddress,
  closeLookupTable,
  compileMessage,
  createAssociatedTokenIdempotent,
  deactivateLookupTable,
  extendLookupTable,
  generateKeypair,
  type Instruction,
  type Keypair,
  readonlyAccount,
  readonlySigner,
  rentExemptLamports,
  setComputeUnitLimit,
  setComputeUnitPrice,
  sign,
  systemCreateAccountWithSeed,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenInitializeAccount3,
  tokenSetCloseAuthority,
  tokenTransferChecked,
  tokenUnwrapLamports,
  WRAPPED_SOL_MINT,
  writableSigner,
} from '@slipway/wire';
import type { KeyName } from '../bare-keys.js';
import { createCosign, SANDBOX_PROGRAMS } from '../cosign.js';
import { bytesOfOrder, type SealedOrder } from '../order-seal.js';
import { checkPolicies, readToSign, SignerRefused } from './index.js';
import { isWrappedSolOf } from './transaction.js';

const [wallet, thief, program] = [generateKeypair().address, generateKeypair().address, generateKeypair().address];
const mint = generateKeypair().address;
const names = [
  'gas',
  'keeper',
  'tracker',
  'maker',
  'seal',
  'mint:7',
  'mint:8',
  'launch:7',
  `vault:${wallet}`,
] as KeyName[];
const keys = new Map<KeyName, Keypair>(names.map((name) => [name, generateKeypair()]));
const of = (name: KeyName): Address => keys.get(name)!.address;
const vault = of(`vault:${wallet}`);
const bare = {
  publicKey: async (name: KeyName) => keys.get(name)?.address ?? generateKeypair().address,
  sign: async (name: KeyName, message: Uint8Array) => sign(keys.get(name)!, message),
};
const refusals: SignerRefused[] = [];
const cosign = createCosign(bare, { programs: SANDBOX_PROGRAMS, refused: (refusal) => refusals.push(refusal) });

const tokens = { mint, decimals: 6, tokenProgram: TOKEN_PROGRAM };
const [account, other] = [generateKeypair().address, generateKeypair().address];
const any = (signer: Address): Instruction => ({ program, accounts: [writableSigner(signer)], data: Uint8Array.of(1) });
const pay = (from: Address, to = thief) => systemTransfer({ from, to, lamports: 1n });
const send = (authority: Address, destination = other) =>
  tokenTransferChecked({ source: account, destination, authority, amount: 1n, ...tokens });
const makeFor = (payer: Address, owner = thief) => createAssociatedTokenIdempotent({ payer, owner, mint });
const lend = (payer: Address, base: Address, lamports = rentExemptLamports(TOKEN_ACCOUNT_SPACE)) =>
  systemCreateAccountWithSeed({
    payer,
    base,
    newAccount: account,
    seed: 'seed',
    lamports,
    space: 165,
    owner: TOKEN_PROGRAM,
  });
const close = (authority: Address, destination: Address, closed = account) =>
  tokenCloseAccount({ account: closed, destination, authority });
const approve = (authority: Address) => tokenSetCloseAuthority({ account, authority, closeAuthority: thief });

function messageOf(feePayer: Address, ...instructions: Instruction[]): Uint8Array {
  const budget = [setComputeUnitLimit(200_000), setComputeUnitPrice(1_000n)];
  const blockhash = addressFromBytes(new Uint8Array(32).fill(9));
  return compileMessage({ version: 0, feePayer, instructions: [...budget, ...instructions], blockhash });
}

function refused(why: RegExp, asked: KeyName[], feePayer: Address, ...instructions: Instruction[]) {
  const before = refusals.length;
  return assert
    .rejects(cosign({ keys: asked, message: messageOf(feePayer, ...instructions) }), (error) => {
      assert.ok(error instanceof SignerRefused, String(error));
      assert.match(error.message, why);
      return true;
    })
    .then(() => assert.equal(refusals.length, before + 1, 'it is told'));
}

describe('attack: a copy that was broken into asks for signatures that no policy allows; nothing is signed', () => {
  const gas = of('gas');
  const ofGas: [string, RegExp, Instruction[]][] = [
    ['SOL of the gas wallet', /party/, [pay(thief, gas), pay(gas)]],
    ['its tokens', /party/, [pay(thief, gas), send(gas)]],
    ['its token account', /party/, [pay(thief, gas), close(gas, thief)]],
    ['a power over its account', /party/, [pay(thief, gas), approve(gas)]],
    ['an instruction of any program', /party/, [pay(thief, gas), any(gas)]],
    ['two token accounts', /more than one token account/, [pay(thief, gas), makeFor(gas), makeFor(gas, wallet)]],
    ['a rent that does not come back', /does not come back/, [pay(thief, gas), lend(gas, thief)]],
    ['a rent that goes to the thief', /does not come back/, [lend(gas, thief), close(thief, thief), pay(thief, gas)]],
    ['more rent than an account needs', /more rent/, [lend(gas, thief, 10_000_000n), close(thief, gas)]],
    [
      'rent that the thief takes out before it comes back',
      /more rent/,
      [lend(gas, thief, rentExemptLamports(TOKEN_ACCOUNT_SPACE) + 1n), close(thief, gas)],
    ],
    [
      'the rent of one account again and again',
      /the same account twice/,
      [makeFor(gas), close(thief, thief, associatedTokenAddress(thief, mint)), makeFor(gas)],
    ],
    [
      'the rent of one account again and again, the first of them closed to it',
      /the same account twice/,
      [makeFor(gas), close(thief, gas, associatedTokenAddress(thief, mint)), makeFor(gas)],
    ],
    [
      'a priority fee in a form that the chain reads, too',
      /not written as usual/,
      [pay(thief, gas), { ...setComputeUnitPrice(0n), data: Uint8Array.of(3, 0, 0, 0, 0, 1, 0, 0, 0, 0) }],
    ],
    ['an account of nobody who signs', /somebody else/, [pay(thief, gas), lend(gas, gas), close(gas, gas)]],
    ['fees alone', /nobody else signs/, [pay(gas, gas)]],
  ];
  for (const [what, why, instructions] of ofGas) it(`gas: ${what}`, () => refused(why, ['gas'], gas, ...instructions));

  const keeper = of('keeper');
  const ofKeeper: [string, RegExp, Instruction[]][] = [
    ['SOL', /never needs/, [pay(keeper)]],
    ['tokens', /never needs/, [send(keeper)]],
    ['a token account of its own', /never needs/, [close(keeper, thief)]],
    ['a power over its account', /never needs/, [approve(keeper)]],
    [
      'SOL out of its wrapped SOL',
      /never needs/,
      [tokenUnwrapLamports({ source: account, destination: thief, authority: keeper })],
    ],
    ['an instruction of any program', /never needs/, [any(keeper)]],
    ['the rent of a table', /never needs/, [closeLookupTable({ table: other, authority: keeper, recipient: thief })]],
    [
      "the rent of somebody's table",
      /never needs/,
      [extendLookupTable({ table: other, authority: thief, payer: keeper, addresses: [mint] })],
    ],
    [
      'five token accounts',
      /more token accounts/,
      [1, 2, 3, 4, 5].map(() => makeFor(keeper, generateKeypair().address)),
    ],
    ['a fee for others', /somebody else pays/, []],
  ];
  for (const [what, why, instructions] of ofKeeper)
    it(`keeper: ${what}`, () =>
      instructions.length > 0
        ? refused(why, ['keeper'], keeper, ...instructions)
        : refused(why, ['keeper'], thief, pay(thief, keeper), {
            ...pay(thief, keeper),
            accounts: [writableSigner(thief), writableSigner(keeper)],
          }));

  const ofVault: [string, RegExp, Instruction[]][] = [
    ['tokens', /elsewhere/, [send(vault)]],
    ['SOL', /elsewhere/, [pay(vault)]],
    ['the rent', /elsewhere/, [close(vault, thief)]],
    ['the rent for the keeper', /take the rent/, [close(vault, keeper)]],
    ['wrapped SOL', /elsewhere/, [tokenUnwrapLamports({ source: account, destination: thief, authority: vault })]],
    ['a power over its account', /no vault needs/, [approve(vault)]],
    ['an instruction of any program', /no vault needs/, [any(vault)]],
    ['the rent of an account', /pay for an account/, [lend(vault, vault)]],
  ];
  for (const [what, why, instructions] of ofVault)
    it(`vault: ${what}`, () => refused(why, [`vault:${wallet}`], wallet, ...instructions));
  it('vault: the fee', () =>
    refused(/pay the fee/, [`vault:${wallet}`], vault, send(vault, associatedTokenAddress(wallet, mint))));

  it('tracker: without a vault, as a payer, or as the authority of anything', async () => {
    const tracker = of('tracker');
    const both: KeyName[] = [`vault:${wallet}`, 'tracker'];
    const home = send(vault, associatedTokenAddress(wallet, mint));
    await refused(/no vault signs/, ['tracker'], wallet, pay(tracker));
    await refused(/party/, both, wallet, home, pay(tracker));
    await refused(/party/, both, wallet, home, any(tracker));
    await refused(/pay the fee/, both, tracker, home);
  });

  it('vault, tracker: a transfer of a token whose hook could be handed a signature', async () => {
    const both: KeyName[] = [`vault:${wallet}`, 'tracker'];
    const destination = associatedTokenAddress(wallet, mint, TOKEN_2022_PROGRAM);
    const common = { source: account, destination, authority: vault, amount: 1n, ...tokens };
    const home = tokenTransferChecked({ ...common, tokenProgram: TOKEN_2022_PROGRAM });
    const withMore = (...more: AccountMeta[]) => ({ ...home, accounts: [...home.accounts, ...more] });
    const hook = [readonlyAccount(program), readonlyAccount(other)];
    const tracker = readonlySigner(of('tracker'));
    assert.equal((await cosign({ keys: both, message: messageOf(wallet, withMore(tracker)) })).length, 2);
    await refused(/no vault needs/, [both[0]!], wallet, withMore(writableSigner(wallet), ...hook));
    await refused(/no vault needs/, [both[0]!], wallet, withMore(tracker, ...hook));
    await refused(/party/, both.toReversed(), wallet, withMore(tracker, ...hook));
  });

  it('keys of launches: for anything but a launch or a migration', async () => {
    for (const name of ['mint:7', 'launch:7'] as const) {
      await refused(/neither|no launch/, [name], wallet, pay(of(name)));
      await refused(/neither|no launch/, [name], wallet, any(of(name)));
      await refused(/pay the fee/, [name], of(name), any(of(name)));
    }
  });

  it('keys that sign no transactions: the seal, the maker of the sandbox', async () => {
    await refused(/no policy/, ['seal'], wallet, pay(of('seal')));
    await refused(/no policy/, ['maker'], wallet, pay(of('maker')));
  });

  it('bytes that are no transaction, and one that does not name the key', async () => {
    await assert.rejects(cosign({ keys: ['gas'], message: Uint8Array.of(1, 2, 3) }), SignerRefused);
    await refused(/does not need its signature/, ['gas'], wallet, pay(wallet));
  });

  it('a fill for an order without a seal, with changed terms, or of another wallet', async () => {
    const order = anOrder();
    const seal = await bare.sign('seal', bytesOfOrder(order));
    const message = messageOf(keeper, close(vault, wallet));
    const asked = [`vault:${wallet}`] as KeyName[];
    const tried = (given: SealedOrder, by: Uint8Array | null) =>
      cosign({ keys: asked, message, order: { ...given, seal: by } });
    await assert.rejects(tried(order, null), /not as its owner made it/);
    await assert.rejects(tried({ ...order, slippageBps: 10_000 }, seal), /not as its owner made it/);
    await assert.rejects(tried({ ...order, outputAccount: other }, seal), /not as its owner made it/);
    const theirs = { ...order, wallet: thief };
    await assert.rejects(tried(theirs, await bare.sign('seal', bytesOfOrder(theirs))), /of another wallet/);
    assert.equal((await tried(order, seal)).length, 1);
  });

  it('a fill whose SOL goes into an account of the thief, or one that he could empty: not taken for wrapped SOL', () => {
    const account = generateKeypair().address;
    const fromTable = 'lookup table 3' as Address;
    const made = { account, owner: keeper, mint: WRAPPED_SOL_MINT, tokenProgram: TOKEN_PROGRAM };
    const isTaken = (...inits: Partial<typeof made>[]) =>
      isWrappedSolOf(
        { instructions: inits.map((each) => tokenInitializeAccount3({ ...made, ...each })) },
        account,
        keeper,
      );
    assert.equal(isTaken({}), true);
    // The chain closes no account of the first token program that holds another token.
    const unknown = { ...tokenInitializeAccount3(made) };
    const mints = unknown.accounts.map((each) =>
      each.address === WRAPPED_SOL_MINT ? { ...each, address: fromTable } : each,
    );
    assert.equal(isWrappedSolOf({ instructions: [{ ...unknown, accounts: mints }] }, account, keeper), true);
    const in2022 = { ...unknown, program: TOKEN_2022_PROGRAM, accounts: mints };
    assert.equal(isWrappedSolOf({ instructions: [in2022] }, account, keeper), false);
    assert.equal(isTaken({ owner: thief }), false);
    assert.equal(isTaken({ mint }), false);
    assert.equal(isTaken({}, { owner: thief }), false);
    assert.equal(isTaken(), false);
  });

  it('signatures that the chain checks for a fee: each is counted', () => {
    const program = address('Ed25519SigVerify111111111111111111111111111');
    const checked: Instruction = { program, accounts: [], data: Uint8Array.of(60, 0) };
    const lossOf = (...more: Instruction[]) =>
      checkPolicies(readToSign(messageOf(gas, pay(thief, gas), ...more)), [{ name: 'gas', address: gas }], {
        keeper,
        programs: SANDBOX_PROGRAMS,
      })[0]!;
    assert.equal(lossOf(checked) - lossOf(), 300_000n);
  });

  it('and what belongs to the wallet still goes to it', async () => {
    const home = [send(vault, associatedTokenAddress(wallet, mint)), close(vault, wallet), pay(vault, wallet)];
    const [signed] = await cosign({ keys: [`vault:${wallet}`], message: messageOf(wallet, ...home) });
    assert.equal(signed?.address, vault);
    const position = of('mint:7');
    const pool = {
      pool: other,
      config: account,
      baseMint: mint,
      quoteMint: thief,
      baseVault: other,
      quoteVault: account,
    };
    const moved = migrateToDammV2({ pool, dammConfig: program, positions: [position], payer: keeper });
    assert.equal((await cosign({ keys: ['keeper', 'mint:7'], message: messageOf(keeper, moved) })).length, 2);
  });
});

describe('attack: a copy that was broken into goes on with the keeper where the operator has stopped fills: only claims of invites are signed, and what others pay for', () => {
  const keeper = of('keeper');
  const stopped = createCosign(bare, {
    programs: SANDBOX_PROGRAMS,
    stops: async () => [{ what: 'fills', why: 'a theft' }],
  });
  const isStopped = (asked: KeyName[], ...instructions: Instruction[]) =>
    assert.rejects(stopped({ keys: asked, message: messageOf(keeper, ...instructions) }), /has stopped fills: a theft/);
  const table = deactivateLookupTable({ table: other, authority: keeper });
  const [inviteSigner, sender] = [generateKeypair().address, generateKeypair().address];
  const invite = { inviteSigner, inviteInfo: inviteAddress(inviteSigner), sender, keeper };
  const claim = claimInvite({ ...invite, claimer: thief });

  it('with a signer of its own beside the keeper', async () => {
    await isStopped(['keeper'], table);
    await isStopped(['keeper'], table, any(thief));
    await isStopped(['keeper'], pay(thief));
    await isStopped(['keeper'], expireInvite(invite), any(thief));
  });

  it('key by key', async () => {
    const [baseMint, quoteMint] = [mint, thief];
    const pool = { pool: other, config: account, baseMint, quoteMint, baseVault: other, quoteVault: account };
    const positions = [of('mint:7'), of('mint:8')] as const;
    const moved = migrateToDammV2({ pool, dammConfig: program, positions, payer: keeper });
    for (const key of ['keeper', 'mint:7', 'mint:8'] as const) await isStopped([key], moved);
    await isStopped([`vault:${wallet}`], pay(vault, wallet));
  });

  it('beside a claim, or with one that the key of the invite does not sign', async () => {
    await isStopped(['keeper'], claim, table);
    const unsigned = claim.accounts.map((each) => (each.address === inviteSigner ? { ...each, signer: false } : each));
    await isStopped(['keeper'], { ...claim, accounts: unsigned }, any(thief));
  });

  it('and users go on: claims, and what they or the gas wallet pay for', async () => {
    assert.equal((await stopped({ keys: ['keeper'], message: messageOf(keeper, claim) })).length, 1);
    const home = send(vault, associatedTokenAddress(wallet, mint));
    assert.equal((await stopped({ keys: [`vault:${wallet}`], message: messageOf(wallet, home) })).length, 1);
    assert.equal((await stopped({ keys: ['gas'], message: messageOf(of('gas'), pay(thief)) })).length, 1);
  });
});

it('attack: a copy that was broken into has its signer stop with a text for clients: they hear that it is stopped, and no word of his', async () => {
  const message = messageOf(wallet, send(vault, associatedTokenAddress(wallet, mint)), close(vault, wallet));
  const heard = (by?: string) =>
    createCosign(bare, {
      programs: SANDBOX_PROGRAMS,
      stops: async () => [{ what: 'all', why: 'send your SOL to the thief', by }],
    })({ keys: [`vault:${wallet}`], message }).then(
      () => assert.fail('it is signed'),
      (error: SignerRefused) => error,
    );
  const byCopy = await heard('evil');
  assert.equal(byCopy.told, 'Stopped for now (all)');
  assert.match(byCopy.message, /evil has said that all is stopped: send your SOL/);
  assert.equal((await heard()).told, 'Stopped by the operator of the signer (all): send your SOL to the thief');
});

function anOrder(): SealedOrder {
  return {
    id: 'order',
    wallet,
    vault,
    depositRequestId: '00000000-0000-7000-8000-000000000000',
    inputMint: mint,
    outputMint: thief,
    triggerMint: mint,
    inputAccount: account,
    outputAccount: null,
    progress: { type: 'single', entry: { initial: 1_000n } },
    triggerCondition: 'above',
    triggerPriceUsd: 2,
    trailingBps: null,
    tpPriceUsd: null,
    slPriceUsd: null,
    slippageBps: 100,
    tpSlippageBps: null,
    slSlippageBps: null,
    expiresAt: new Date(0),
  };
}
