import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bondingCurvePool, launchConfig, parseCreateCurveConfig, parseInitializeCurvePool } from '@slipway/programs';
import {
  type Address,
  decodeTransaction,
  decompileInstructions,
  generateKeypair,
  type Keypair,
  requiredSigners,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { request, type Service, startService } from './service.js';
import {
  addressesOf,
  assertRefused,
  type Creation,
  changed,
  claimTransaction,
  createPool,
  feesOf,
  indie,
  type PoolBody,
  putPool,
  type Refused,
} from './studio.js';
import { JUP, newWallet, rpc } from './wallet.js';

let service: Service;
let creator: Keypair;
let body: PoolBody;
before(async () => {
  service = await startService();
  creator = await newWallet(service);
  body = indie(creator.address);
});
after(() => service?.close());

async function created(wanted: unknown = body): Promise<Creation> {
  const { status, body: creation } = await createPool(service, wanted);
  assert.equal(status, 200, JSON.stringify(creation));
  return creation;
}

describe('creating a pool, by its bytes', () => {
  it('makes configuration and pool of the preset in one transaction', async () => {
    const creation = await created();
    const wire = Buffer.from(creation.transaction, 'base64');
    assert.ok(wire.length <= 1_232);
    const { decoded } = decodeTransaction(wire);
    const [price, configured, opened] = decompileInstructions(decoded, []);
    assert.equal(price!.program, 'ComputeBudget111111111111111111111111111111');
    const config = parseCreateCurveConfig(configured!)!;
    const pool = parseInitializeCurvePool(opened!)!;
    assert.deepEqual(new Set(requiredSigners(decoded)), new Set([creator.address, creation.mint, config.config]));
    assert.equal(requiredSigners(decoded)[0], creator.address);
    assert.equal(config.terms.migrationQuoteThreshold / 1_000_000n, 57_775n);
    assert.equal(config.feeClaimer, config.leftoverReceiver);
    assert.deepEqual(
      pool.pool,
      bondingCurvePool(config.config, creation.mint, body.buildCurveByMarketCapParam.quoteMint as Address),
    );
    assert.deepEqual([pool.name, pool.symbol, pool.creator], ['Indie Token', 'INDIE', creator.address]);
    assert.equal(pool.uri, `${service.url}/objects/metadata/${creation.mint}.json`);
    assert.equal(creation.imageUrl, `${service.url}/objects/images/${creation.mint}`);
    const { terms } = launchConfig({
      initialMarketCap: 32_000_000_000n,
      migrationMarketCap: 240_000_000_000n,
      feeBps: 100,
      sniperFee: undefined,
      vesting: { total: 100_000_000n, cliff: 0n, periods: 365, durationSeconds: 31_536_000, cliffSeconds: 0 },
      isLpLocked: true,
    });
    assert.deepEqual(config.terms, terms);
  });

  it('does what is said of fee, snipers and lock', async () => {
    const termsOf = async (wanted: unknown) => {
      const { decoded } = decodeTransaction(Buffer.from((await created(wanted)).transaction, 'base64'));
      return parseCreateCurveConfig(decompileInstructions(decoded, [])[1]!)!.terms;
    };
    const plain = await termsOf(changed(changed(body, 'fee', {}) as PoolBody, 'isLpLocked', undefined));
    assert.equal(plain.baseFee.cliffFeeNumerator, 10_000_000n);
    assert.equal(plain.creatorPermanentLockedLiquidityPercentage, 50);
    assert.equal(plain.creatorLiquidityVesting.cliffDurationFromMigrationTime, 31_536_000);
    // What describes the fall of a fee that does not fall.
    const idle = { feeBps: 100, totalDuration: 60, baseFeeMode: 'exponential' };
    const flat = await termsOf(changed(changed(body, 'antiSniping', false) as PoolBody, 'fee', idle));
    assert.deepEqual(flat.baseFee, plain.baseFee);
    const free = await termsOf(changed(body, 'isLpLocked', false));
    assert.deepEqual([free.creatorPermanentLockedLiquidityPercentage, free.creatorLiquidityPercentage], [10, 90]);
    const drawn = await termsOf(changed(changed(body, 'antiSniping', true) as PoolBody, 'fee', { feeBps: 200 }));
    assert.deepEqual([drawn.baseFee.cliffFeeNumerator, drawn.baseFee.numberOfPeriod], [990_000_000n, 97]);
    assert.ok(drawn.baseFee.periodFrequency >= 1n && drawn.baseFee.periodFrequency <= 3n);
    assert.equal(drawn.baseFee.reductionFactor, 10_000_000n);
    const fee = { feeBps: 100, totalDuration: 240, baseFeeMode: 'exponential' };
    const said = await termsOf(changed(changed(body, 'antiSniping', true) as PoolBody, 'fee', fee));
    assert.equal(BigInt(said.baseFee.numberOfPeriod) * said.baseFee.periodFrequency, 240n);
    assert.equal(said.baseFee.mode, 1);
  });

  it('takes SOL and the platform token as quote', async () => {
    for (const [mint, decimals] of [
      [WRAPPED_SOL_MINT, 9],
      [JUP, 6],
    ] as const) {
      const quoted = changed(body, 'buildCurveByMarketCapParam.quoteMint', mint) as PoolBody;
      await created(changed(quoted, 'buildCurveByMarketCapParam.tokenQuoteDecimal', decimals));
    }
  });

  it('gives every launch a mint of its own', async () => {
    const mints = await Promise.all(Array.from({ length: 5 }, async () => (await created()).mint));
    assert.equal(new Set(mints).size, 5);
  });

  it('needs a creator who can pay', async () => {
    const poor = await newWallet(service, 1_000_000n, 0n);
    assertRefused(await createPool<Refused>(service, indie(poor.address)), 'creator', /needs 0\.0\d+ SOL more/);
  });
});

describe('a pool that cannot be', () => {
  const curve = 'buildCurveByMarketCapParam';
  const vesting = `${curve}.lockedVestingParam`;
  const cases: [path: string, value: unknown, expected: RegExp][] = [
    [curve, undefined, /required/],
    [curve, 'x', /an object/],
    [`${curve}.quoteMint`, undefined, /required/],
    [`${curve}.quoteMint`, 'abc', /public key/],
    [`${curve}.quoteMint`, 'JuprjznTrTSp2UFa3ZBUFgwdAmtZCq4MQCwysN55USD', /expected one of SOL .* USDC .* JUP/],
    [`${curve}.initialMarketCap`, undefined, /required/],
    [`${curve}.initialMarketCap`, 0, /more than 0/],
    [`${curve}.initialMarketCap`, -5, /more than 0/],
    [`${curve}.initialMarketCap`, '32000', /a number/],
    [`${curve}.initialMarketCap`, 0.0000001, /6 digits/],
    [`${curve}.initialMarketCap`, 1e16, /at most/],
    [`${curve}.initialMarketCap`, 0.000001, /.+/],
    [`${curve}.migrationMarketCap`, undefined, /required/],
    [`${curve}.migrationMarketCap`, 32_000, /more than initialMarketCap/],
    [`${curve}.migrationMarketCap`, 31_999, /more than initialMarketCap/],
    [`${curve}.migrationMarketCap`, null, /a number/],
    [`${curve}.tokenQuoteDecimal`, undefined, /required/],
    [`${curve}.tokenQuoteDecimal`, 8, /6, 9/],
    [`${curve}.tokenQuoteDecimal`, 9, /expected 6, the decimals of USDC/],
    [vesting, undefined, /required/],
    [vesting, [], /an object/],
    [`${vesting}.totalLockedVestingAmount`, undefined, /required/],
    [`${vesting}.totalLockedVestingAmount`, 800_000_001, /at most 800000000/],
    [`${vesting}.totalLockedVestingAmount`, -1, /at least 0/],
    [`${vesting}.totalLockedVestingAmount`, 1.5, /integer/],
    [`${vesting}.totalLockedVestingAmount`, 364, /whole token for each period/],
    [`${vesting}.cliffUnlockAmount`, undefined, /required/],
    [`${vesting}.cliffUnlockAmount`, 100_000_001, /at most totalLockedVestingAmount/],
    [`${vesting}.numberOfVestingPeriod`, undefined, /required/],
    [`${vesting}.numberOfVestingPeriod`, 7, /0, 6, 12, 183, 365/],
    [`${vesting}.numberOfVestingPeriod`, 0, /more than 0/],
    [`${vesting}.totalVestingDuration`, undefined, /required/],
    [`${vesting}.totalVestingDuration`, 86_400, /15552000/],
    [`${vesting}.totalVestingDuration`, 0, /more than 0/],
    [`${vesting}.cliffDurationFromMigrationTime`, undefined, /required/],
    [`${vesting}.cliffDurationFromMigrationTime`, 1, /15552000/],
    ['antiSniping', undefined, /required/],
    ['antiSniping', 'yes', /true or false/],
    ['fee', undefined, /required/],
    ['fee', null, /an object/],
    ['fee.feeBps', 150, /100, 200/],
    ['fee.feeBps', '100', /100, 200/],
    ['fee.totalDuration', 61, /60, 120/],
    ['fee.baseFeeMode', 'steep', /linear, exponential/],
    ['isLpLocked', 1, /true or false/],
    ['tokenName', undefined, /required/],
    ['tokenName', '', /not to be empty/],
    ['tokenName', '   ', /text/],
    ['tokenName', 'a\nb', /U\+000A, which is a control character/],
    ['tokenName', 'US\u202eCD', /U\+202E, which changes the direction of text/],
    ['tokenName', 'é'.repeat(17), /at most 32 bytes of UTF-8, and this has 34/],
    ['tokenSymbol', undefined, /required/],
    ['tokenSymbol', '', /not to be empty/],
    ['tokenSymbol', 'US\u200bDC', /U\+200B, which is invisible/],
    ['tokenSymbol', 'ABCDEFGHIJK', /at most 10 bytes of UTF-8, and this has 11/],
    ['tokenImageContentType', undefined, /required/],
    ['tokenImageContentType', 'image/svg+xml', /image\/jpeg, image\/png, image\/gif, image\/webp/],
    ['creator', undefined, /required/],
    ['creator', 'nobody', /public key/],
    ['creator', '3689w2jvV8jNiotumNZWaP7gmDnrNw8yPeXdfSy9wYx6x', /public key/],
  ];
  for (const [path, value, expected] of cases) {
    it(`is refused: ${path} ${JSON.stringify(value)}`, async () => {
      assertRefused(await createPool<Refused>(service, changed(body, path, value)), path, expected);
    });
  }

  it('is refused when vesting does not add up', async () => {
    const none = {
      totalLockedVestingAmount: 0,
      cliffUnlockAmount: 0,
      numberOfVestingPeriod: 0,
      totalVestingDuration: 0,
    };
    const zero = { ...none, cliffDurationFromMigrationTime: 0 };
    await created(changed(body, vesting, zero));
    const atOnce = { ...zero, totalLockedVestingAmount: 10, cliffUnlockAmount: 10 };
    await created(changed(body, vesting, { ...atOnce, cliffDurationFromMigrationTime: 15_552_000 }));
    for (const [name, param] of [
      ['numberOfVestingPeriod', { ...zero, numberOfVestingPeriod: 6 }],
      ['totalVestingDuration', { ...zero, totalVestingDuration: 15_552_000 }],
      ['cliffDurationFromMigrationTime', { ...zero, cliffDurationFromMigrationTime: 15_552_000 }],
      ['numberOfVestingPeriod', { ...atOnce, numberOfVestingPeriod: 6, totalVestingDuration: 15_552_000 }],
      ['totalVestingDuration', { ...atOnce, totalVestingDuration: 15_552_000 }],
    ] as const) {
      assertRefused(
        await createPool<Refused>(service, changed(body, vesting, param)),
        `${vesting}.${name}`,
        /expected 0/,
      );
    }
  });

  it('is refused for a creator that cannot sign', async () => {
    const pool = bondingCurvePool(generateKeypair().address, generateKeypair().address, WRAPPED_SOL_MINT).pool;
    assertRefused(await createPool<Refused>(service, indie(pool)), 'creator', /wallet/);
  });

  it('is refused for a creator that is the account of a program, or has data', async () => {
    const rich = { lamports: 10_000_000_000, executable: false };
    for (const [owner, data] of [
      [TOKEN_PROGRAM, ''],
      [SYSTEM_PROGRAM, 'AAAA'],
    ]) {
      const { address } = generateKeypair();
      await rpc(service, 'localnet_setAccount', address, { ...rich, owner, data });
      assertRefused(await createPool<Refused>(service, indie(address)), 'creator', /a wallet/);
    }
  });

  it('is told of a wrong content type and a body that is too large', async () => {
    const url = `${service.url}/studio/v1/dbc-pool/create-tx`;
    const text = await request<Refused>(url, { raw: 'x', headers: { 'content-type': 'text/plain' } });
    assert.equal(text.status, 415);
    assert.match(text.body.error, /application\/json/);
    const large = await request<Refused>(url, { raw: JSON.stringify({ ...body, x: 'x'.repeat(2 ** 20) }) });
    assert.equal(large.status, 413);
  });
});

describe('a pool on the chain', () => {
  it('is found by its mint, also where it was not launched here, and tells its fees', async () => {
    const pool = await putPool(service, creator.address);
    const { status, body: found } = await addressesOf(service, pool.baseMint);
    assert.equal(status, 200);
    const data = { dbcPoolAddress: pool.pool, dammv2PoolAddress: null, configKey: pool.config };
    assert.deepEqual(found, { success: true, data });
    assert.deepEqual((await feesOf(service, pool.pool)).body, { unclaimed: '700', total: '1000' });
  });

  it('is paid out to its creator only', async () => {
    const claim = (ownerWallet: string, poolAddress: string) =>
      claimTransaction<Refused>(service, { ownerWallet, poolAddress, maxQuoteAmount: 1 });
    const pool = await putPool(service, creator.address);
    const other = await claim(generateKeypair().address, pool.pool);
    assert.deepEqual([other.status, other.body], [403, { error: 'You are not the owner of this pool' }]);
    const held = await putPool(service, pool.pool);
    const proxy = await claim(creator.address, held.pool);
    assert.deepEqual([proxy.status, proxy.body], [404, { error: 'Proxy account not found for the creator' }]);
  });
});

describe('fees of no pool', () => {
  it('are refused by name', async () => {
    const nowhere = generateKeypair().address;
    assertRefused(await feesOf<Refused>(service, 'abc'), 'poolAddress', /public key/);
    assertRefused(await feesOf<Refused>(service, undefined), 'poolAddress', /required/);
    assertRefused(await feesOf<Refused>(service, nowhere), 'poolAddress', /bonding curve pool/);
    assertRefused(await feesOf<Refused>(service, JUP), 'poolAddress', /bonding curve pool/);
    const claim = { ownerWallet: creator.address as string, poolAddress: nowhere as string, maxQuoteAmount: 1 };
    assertRefused(await claimTransaction<Refused>(service, claim), 'poolAddress', /bonding curve pool/);
    const refused = (changes: object) => claimTransaction<Refused>(service, { ...claim, ...changes });
    assertRefused(await refused({ ownerWallet: 'x' }), 'ownerWallet', /public key/);
    assertRefused(await refused({ ownerWallet: undefined }), 'ownerWallet', /required/);
    assertRefused(await refused({ poolAddress: 7 }), 'poolAddress', /a string/);
    assertRefused(await refused({ maxQuoteAmount: undefined }), 'maxQuoteAmount', /required/);
    assertRefused(await refused({ maxQuoteAmount: -1 }), 'maxQuoteAmount', /at least 0/);
    assertRefused(await refused({ maxQuoteAmount: 1.5 }), 'maxQuoteAmount', /integer/);
    assertRefused(await refused({ maxQuoteAmount: '5' }), 'maxQuoteAmount', /integer/);
  });

  it('and addresses of no token are not found', async () => {
    assert.deepEqual((await addressesOf<Refused>(service, JUP)).body, { error: 'Pool addresses not found' });
    assertRefused(await addressesOf<Refused>(service, 'abc'), 'mint', /public key/);
  });
});
