import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { programFile } from '@slipway/programs';
import {
  ADDRESS_LOOKUP_TABLE_PROGRAM,
  type Address,
  associatedTokenAddress,
  encodeLookupTable,
  generateKeypair,
  type Instruction,
  systemTransfer,
  tokenTransferChecked,
} from '@slipway/wire';
import { createClock } from '../../lib/clock.js';
import { PATIENCE_MS } from '../../lib/testing.js';
import { isRefused, type QuoteRequest } from '../../routing/router.js';
import { createDflow, createOkx, createServiceRouter, DFLOW_PROGRAM } from '../../routing/services/index.js';
import { OKX_PROGRAM } from '../../routing/services/okx.js';
import { KEYS, openServicePool, type ServiceDouble, startServices } from '../../routing/services/testing.js';
import {
  balances,
  JUP,
  newWallet,
  openFeeAccount,
  openSwapWorld,
  richWallet,
  SOL,
  type SwapWorld,
  signed,
  swap,
  USDC,
} from './testing.js';

const SOL_1 = 1_000_000_000n;
const ALONE = { dflow: 'metis,jupiterz,okx', okx: 'metis,jupiterz,dflow' };
const IDS = ['dflow', 'okx'] as const;

let world: SwapWorld;
let services: ServiceDouble;
let folder: string;

/** Their programs are our pool programs, at their addresses. */
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-services-'));
  for (const program of [DFLOW_PROGRAM, OKX_PROGRAM])
    await copyFile(programFile('pool'), join(folder, `${program}.so`));
  const pools: Parameters<typeof startServices>[0] = { dflow: [], okx: [] };
  services = await startServices(pools);
  const { url } = services;
  const around = { usd: () => undefined, steadyNow: () => performance.now() };
  world = await openSwapWorld({
    programsDir: folder,
    moreRouters: (chain) => [
      createServiceRouter(createDflow({ url: `${url}/dflow`, apiKey: KEYS.apiKey }), { chain, ...around }),
      createServiceRouter(createOkx({ url, ...KEYS }, createClock()), { chain, ...around }),
    ],
  });
  const open = async (program: Address) => [
    await openServicePool(world.rpc, program, [SOL, USDC], [10_000n * SOL_1, 1_500_000_000_000n]),
    await openServicePool(world.rpc, program, [USDC, JUP], [1_000_000_000_000n, 2_000_000_000_000n]),
  ];
  pools.dflow = await open(DFLOW_PROGRAM);
  pools.okx = await open(OKX_PROGRAM);
});

beforeEach(() => {
  delete services.instead.answer;
  delete services.tamper.instructions;
});

after(async () => {
  await services?.close();
  await world?.close();
  await rm(folder, { recursive: true, force: true });
});

for (const id of IDS) {
  describe(`the router ${id}`, () => {
    it('sells SOL for exactly its quote, and leaves the wallet its own wrapped SOL', async () => {
      const taker = await richWallet(world);
      const old = await balances(world, taker.address);
      const query = { inputMint: SOL.mint, outputMint: USDC.mint, amount: `${SOL_1}`, taker: taker.address };
      const { order, done } = await swap(world, { ...query, excludeRouters: ALONE[id] }, taker);
      const now = await balances(world, taker.address);
      assert.equal(order.router, id);
      assert.equal(order.swapType, 'aggregator');
      assert.equal(now.usdc - old.usdc, BigInt(order.outAmount));
      // A few units are left over when the pool rounds, and come back.
      const given = BigInt(done.totalInputAmount!);
      assert.ok(given <= SOL_1 && given > SOL_1 - 10n);
      assert.equal(old.sol - now.sol, given + BigInt(order.signatureFeeLamports + order.prioritizationFeeLamports));
      assert.equal(now.wrapped, old.wrapped);
      assert.equal(done.totalOutputAmount, order.outAmount);
      const [event] = done.swapEvents!;
      assert.deepEqual([event?.inputAmount, event?.outputAmount], [done.totalInputAmount, order.outAmount]);
    });

    it('buys SOL, with the fee of an integrator', async () => {
      const taker = await richWallet(world);
      const referral = generateKeypair().address;
      await openFeeAccount(world, referral, USDC);
      await openFeeAccount(world, referral, SOL);
      const old = await balances(world, taker.address);
      const query = { inputMint: USDC.mint, outputMint: SOL.mint, amount: '150000000', taker: taker.address };
      const fee = { referralAccount: referral, referralFee: 100 };
      const { order } = await swap(world, { ...query, ...fee, excludeRouters: ALONE[id] }, taker);
      const now = await balances(world, taker.address);
      const taken = old.usdc - now.usdc;
      assert.ok(taken <= 150_000_000n && taken > 150_000_000n - 10n);
      const network = BigInt(order.signatureFeeLamports + order.prioritizationFeeLamports);
      assert.equal(now.sol - old.sol, BigInt(order.outAmount) - network);
      assert.equal(now.wrapped, old.wrapped);
      const paid = await balances(world, referral);
      const fees = order.feeMint === USDC.mint ? paid.usdc : paid.wrapped;
      assert.equal(fees! - 1n, BigInt(order.platformFee!.amount!));
      assert.ok(fees! > 1n);
    });

    it('pays another receiver, whose account is made', async () => {
      const [taker, receiver] = [await richWallet(world), generateKeypair().address];
      const query = { inputMint: USDC.mint, outputMint: JUP.mint, amount: '10000000', taker: taker.address };
      const { order } = await swap(world, { ...query, receiver, excludeRouters: ALONE[id] }, taker);
      assert.equal((await balances(world, receiver)).jup, BigInt(order.outAmount));
    });

    it('says 6001 when the pool moves past the slippage, also where its program would take it', async () => {
      const whale = await newWallet(world, 6_000n * SOL_1);
      const query = { inputMint: SOL.mint, outputMint: USDC.mint, amount: `${SOL_1}`, excludeRouters: ALONE[id] };
      for (const isLoose of [false, true]) {
        const taker = await richWallet(world);
        if (isLoose) {
          services.tamper.instructions = (usual, { pool, from, ...trade }) => [
            ...usual.slice(0, -1),
            pool.swap(from, { ...trade, minimumAmountOut: 0n }),
          ];
        }
        const { body: late } = await world.order({ ...query, taker: taker.address, slippageBps: 10 });
        assert.ok(late.transaction, JSON.stringify(late));
        delete services.tamper.instructions;
        await swap(world, { ...query, taker: whale.address, amount: `${1_000n * SOL_1}`, slippageBps: 5_000 }, whale);
        const old = await balances(world, taker.address);
        const signedTransaction = signed(late.transaction!, taker);
        const { body } = await world.execute({ requestId: late.requestId, signedTransaction });
        assert.equal(body.status, 'Failed');
        if (isLoose) assert.deepEqual([body.code, body.error], [6001, 'Slippage tolerance exceeded']);
        assert.equal((await balances(world, taker.address)).usdc, old.usdc);
      }
    });

    it('promises no more than its service does when the price moves between the questions', async () => {
      const taker = await richWallet(world);
      const query = { inputMint: USDC.mint, outputMint: JUP.mint, amount: '10000000', taker: taker.address };
      let questions = 0;
      // Each answer is 0.4 % better for the taker than the truth, but for the last one.
      services.instead.answer = (path, usual) => {
        if (!path.endsWith('/quote') || ++questions > 1) return { body: usual };
        const text = JSON.stringify(usual).replace(/"(outAmount|toTokenAmount)":"(\d+)"/g, (_, name, out) => {
          return `"${name}":"${(BigInt(out) * 1_004n) / 1_000n}"`;
        });
        return { body: text };
      };
      const { body: order } = await world.order({ ...query, excludeRouters: ALONE[id], slippageBps: 50 });
      assert.ok(order.transaction, JSON.stringify(order));
      const old = await balances(world, taker.address);
      const signedTransaction = signed(order.transaction!, taker);
      const { body: done } = await world.execute({ requestId: order.requestId, signedTransaction });
      assert.equal(done.status, 'Success');
      const got = (await balances(world, taker.address)).jup - old.jup;
      assert.ok(got >= BigInt(order.otherAmountThreshold));
    });

    it('attack: a router says that its trade moves the market, to have what an automatic slippage leaves: 1 % of the swap at most', async () => {
      const taker = await richWallet(world);
      const query = { inputMint: USDC.mint, outputMint: JUP.mint, amount: '10000000', taker: taker.address };
      services.instead.answer = (_, usual) => {
        const text = JSON.stringify(usual)
          .replace(/"priceImpactPct":"[^"]*"/, '"priceImpactPct":"0.2"')
          .replace(/"priceImpactPercent":"[^"]*"/, '"priceImpactPercent":"-20"');
        return { body: text };
      };
      const { body: order } = await world.order({ ...query, excludeRouters: ALONE[id] });
      assert.ok(order.transaction, JSON.stringify(order));
      assert.equal(order.slippageBps, 100);
      assert.ok(BigInt(order.otherAmountThreshold) >= (BigInt(order.outAmount) * 99n) / 100n);
    });

    it('attack: a router promises more than all others, and trades by what no transaction can hold: another one is used', async () => {
      const taker = await richWallet(world);
      const query = { inputMint: USDC.mint, outputMint: JUP.mint, amount: '10000000', taker: taker.address };
      const excludeRouters = IDS.filter((each) => each !== id).join();
      services.instead.answer = (_, usual) => {
        const text = JSON.stringify(usual).replace(/"(\w*[aA]mount\w*)":"(\d+)"/g, (said, name, out) =>
          /out|toToken|other/i.test(name) ? `"${name}":"${(BigInt(out) * 12n) / 10n}"` : said,
        );
        return { body: text };
      };
      const inflated: ((trade: Instruction) => Instruction)[] = [
        (trade) => ({ ...trade, data: new Uint8Array(70_000) }),
        ({ accounts, ...trade }) => {
          const others = Array.from({ length: 256 - accounts.length }, () => generateKeypair().address);
          return {
            ...trade,
            accounts: [...accounts, ...others.map((address) => ({ address, signer: false, writable: false }))],
          };
        },
      ];
      for (const inflate of inflated) {
        let trades = 0;
        services.tamper.instructions = (usual) => {
          trades += 1;
          return [...usual.slice(0, -1), inflate(usual.at(-1)!)];
        };
        const { status, body } = await world.order({ ...query, excludeRouters });
        delete services.tamper.instructions;
        assert.equal(status, 200, JSON.stringify(body));
        assert.ok(body.transaction && body.router !== id && trades > 0, `${body.router} ${trades}`);
      }
    });

    it('attack: a router promises more than all others, and names a lookup table that nodes refuse: another one is used', async () => {
      const taker = await richWallet(world);
      const query = { inputMint: USDC.mint, outputMint: JUP.mint, amount: '10000000', taker: taker.address };
      const excludeRouters = IDS.filter((each) => each !== id).join();
      const table = generateKeypair().address;
      services.instead.answer = (_, usual) => {
        const text = JSON.stringify(usual)
          .replace(/"(\w*[aA]mount\w*)":"(\d+)"/g, (said, name, out) =>
            /out|toToken|other/i.test(name) ? `"${name}":"${(BigInt(out) * 12n) / 10n}"` : said,
          )
          .replace(/"(addressLookupTable\w*)":\[\]/, `"$1":["${table}"]`);
        return { body: text };
      };
      const never = { deactivationSlot: 2n ** 64n - 1n, lastExtendedSlot: 0n, lastExtendedFrom: 0 };
      for (const state of [
        { ...never, deactivationSlot: 1n },
        { ...never, lastExtendedSlot: 10n ** 9n },
      ]) {
        let addresses: Address[] = [];
        services.tamper.instructions = (usual) => {
          addresses = usual.at(-1)!.accounts.flatMap(({ address, signer }) => (signer ? [] : [address]));
          return usual;
        };
        await world.order({ ...query, excludeRouters: ALONE[id] });
        const data = Buffer.from(encodeLookupTable({ ...state, authority: taker.address, addresses })).toString(
          'base64',
        );
        const account = { lamports: 10n ** 9n, owner: ADDRESS_LOOKUP_TABLE_PROGRAM, executable: false, data };
        await world.rpc.call('localnet_setAccount', [table, account]);
        const { status, body } = await world.order({ ...query, excludeRouters });
        delete services.tamper.instructions;
        assert.equal(status, 200, JSON.stringify(body));
        assert.ok(body.transaction, JSON.stringify(body));
        if (state.deactivationSlot === 1n) assert.notEqual(body.router, id);
      }
    });

    describe('answers of its service that are none', () => {
      const request: QuoteRequest = {
        mode: 'exact-in',
        input: SOL,
        output: USDC,
        amount: SOL_1,
        excludeVenues: new Set(),
      };
      const quote = async (changed: Partial<QuoteRequest> = {}, signal = AbortSignal.timeout(PATIENCE_MS)) => {
        const router = world.deps.routing.routers.find((each) => each.id === id)!;
        const answer = await router.quote({ ...request, ...changed }, signal);
        return isRefused(answer) ? answer : undefined;
      };
      const cases: [what: string, answer: { status?: number; body: unknown } | 'nothing', kind: string, why: RegExp][] =
        [
          ['401', { status: 401, body: {} }, 'unavailable', /refuses its credentials \(401\)/],
          ['403', { status: 403, body: {} }, 'unavailable', /refuses its credentials \(403\)/],
          ['429', { status: 429, body: {} }, 'unavailable', /too many requests/],
          ['503', { status: 503, body: 'busy' }, 'unavailable', /has a fault \(503\)/],
          ['silence', 'nothing', 'timeout', /did not answer/],
          ['HTML', { body: '<html>' }, 'unavailable', /cannot be used/],
          ['null', { body: 'null' }, 'unavailable', /cannot be used/],
          ['an empty object', { body: {} }, 'unavailable', /cannot be used/],
          ['an unknown code', { status: 400, body: { code: 'x' } }, 'unavailable', /cannot be used/],
        ];
      for (const [what, answer, kind, why] of cases) {
        it(`${what}: ${kind}, never "no route"`, async () => {
          services.instead.answer = () => answer;
          const patience = answer === 'nothing' ? 400 : PATIENCE_MS;
          const refused = await quote({}, AbortSignal.timeout(patience));
          assert.equal(refused?.refused, kind);
          assert.match(refused!.reason, why);
          assert.doesNotMatch(refused!.reason, /sesame|\?|127\.0\.0\.1|\/dflow/);
        });
      }

      it('amounts and mints of another question', async () => {
        const swapAll = (text: string, from: string, to: string) => JSON.parse(text.replaceAll(from, to));
        for (const [from, to] of [
          [`"${SOL_1}"`, '"5"'],
          [SOL.mint, JUP.mint],
          [USDC.mint, JUP.mint],
          [`"${SOL_1}"`, `${SOL_1}`],
        ] as const) {
          services.instead.answer = (_, usual) => ({ body: swapAll(JSON.stringify(usual), from, to) });
          const refused = await quote();
          assert.equal(refused?.refused, 'unavailable', `${from} ${to}`);
        }
      });

      it('a name that is too long is cut', async () => {
        services.instead.answer = () => ({ status: 400, body: { code: 'x'.repeat(500_000) } });
        assert.ok((await quote())!.reason.length < 200);
      });

      it('is really without a route, or asked what it cannot do', async () => {
        assert.equal((await quote({ output: JUP }))?.refused, 'no-route');
        assert.equal((await quote({ mode: 'exact-out' }))?.refused, 'unsupported-request');
      });
    });

    describe('attack: a router takes more than the input, another token or another signature, or gives less or elsewhere: no transaction', () => {
      const attacks: [string, Parameters<typeof attack>[0]][] = [
        [
          'asks for a transfer beside the trade',
          (usual, { owner, pool: _ }) => [
            systemTransfer({ from: owner, to: generateKeypair().address, lamports: 1n }),
            ...usual,
          ],
        ],
        [
          'takes tokens beside the trade',
          (usual, { owner, source }) => [
            tokenTransferChecked({
              source,
              mint: USDC.mint,
              destination: generateKeypair().address,
              authority: owner,
              amount: 1n,
              decimals: 6,
              tokenProgram: USDC.tokenProgram,
            }),
            ...usual,
          ],
        ],
        ['trades twice', (usual) => [...usual, usual.at(-1)!]],
        [
          'takes more than the input',
          (usual, { pool, from, ...trade }) => [
            ...usual.slice(0, -1),
            pool.swap(from, { ...trade, amountIn: trade.amountIn * 3n }),
          ],
        ],
        [
          'gives less than the least',
          (usual, { pool, from, ...trade }) => [
            ...usual.slice(0, -1),
            pool.swap(from, { ...trade, amountIn: trade.amountIn / 2n, minimumAmountOut: 0n }),
          ],
        ],
        [
          'sends the output elsewhere',
          (usual, { pool, from, ...trade }) => [
            ...usual.slice(0, -1),
            pool.swap(from, { ...trade, destination: generateKeypair().address }),
          ],
        ],
        [
          'names another account of the wallet, and leaves it alone',
          (usual, { owner }) => {
            const address = associatedTokenAddress(owner, SOL.mint, SOL.tokenProgram);
            const trade = usual.at(-1)!;
            const accounts = [...trade.accounts, { address, signer: false, writable: true }];
            return [...usual.slice(0, -1), { ...trade, accounts }];
          },
        ],
        ['wants another signature', (usual) => [...usual.slice(0, -1), withSigner(usual.at(-1)!)]],
        [
          'takes another token of the wallet',
          (usual, { pool, from, owner, ...trade }) => {
            const source = associatedTokenAddress(owner, SOL.mint, SOL.tokenProgram);
            const other = pool.swap(from, { ...trade, owner, source });
            // The asked source is named too, as an account that is merely read.
            const named = {
              ...other,
              accounts: [...other.accounts, { address: trade.source, signer: false, writable: true }],
            };
            return [...usual.slice(0, -1), named];
          },
        ],
      ];
      for (const [what, tampering] of attacks) {
        it(`and ${what} gets no transaction`, async () => attack(tampering));
      }

      async function attack(tampering: NonNullable<ServiceDouble['tamper']['instructions']>) {
        const taker = await richWallet(world);
        services.tamper.instructions = tampering;
        const query = { inputMint: USDC.mint, outputMint: JUP.mint, amount: '10000000', taker: taker.address };
        const { body } = await world.order({ ...query, excludeRouters: ALONE[id] });
        assert.ok(!body.transaction, JSON.stringify(body));
        delete services.tamper.instructions;
        assert.ok((await world.order({ ...query, excludeRouters: ALONE[id] })).body.transaction);
      }
    });
  });
}

function withSigner(instruction: Instruction): Instruction {
  const stranger = { address: generateKeypair().address, signer: true, writable: false };
  return { ...instruction, accounts: [...instruction.accounts, stranger] };
}
