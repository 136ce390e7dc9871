import { isDeepStrictEqual } from 'node:util';
import {
  type BondingCurveConfig,
  type BondingCurvePool,
  createCurveConfig,
  initializeCurvePool,
  parseCreateCurveConfig,
  parseInitializeCurvePool,
} from '@slipway/programs';
import { type Address, parseComputeUnitPrice } from '@slipway/wire';
import { CraftCheckFailed, type Crafted, craftTransaction } from './transaction.js';

/** A new token with its pool; one transaction creates the configuration and the pool. */
export interface Launch {
  /** Signs, pays for everything, and owns what a pool's creator earns. */
  creator: Address;
  /** Gets the operator's part of the fees, and the tokens that are left over. */
  operator: Address;
  pool: BondingCurvePool;
  terms: BondingCurveConfig;
  name: string;
  symbol: string;
  /** Where the token's metadata can be read. */
  uri: string;
}

/** The most bytes of UTF-8 that the metadata program takes. */
export const MAX_NAME_BYTES = 32;
export const MAX_SYMBOL_BYTES = 10;

/**
 * Crafts the transaction of a launch and checks what its bytes say. Creator, mint and configuration must sign it. Same
 * input, same bytes.
 * @throws TransactionTooLarge, CraftCheckFailed
 */
export function craftLaunch(launch: Launch, blockhash: string, computeUnitPrice: bigint): Crafted {
  const { creator, operator, pool, terms, name, symbol, uri } = launch;
  const { config, quoteMint } = pool;
  const people = { feeClaimer: operator, leftoverReceiver: operator, payer: creator };
  const crafted = craftTransaction({
    feePayer: creator,
    instructions: [
      createCurveConfig({ config, quoteMint, terms, ...people }),
      initializeCurvePool({ pool, creator, name, symbol, uri }),
    ],
    blockhash,
    // The chain's default limit is more than twice what two instructions of programs use.
    budget: { computeUnitPrice },
  });
  checkLaunch(crafted, launch, computeUnitPrice);
  return crafted;
}

/** @throws CraftCheckFailed */
function checkLaunch({ signers, instructions }: Crafted, launch: Launch, computeUnitPrice: bigint): void {
  const { creator, operator, pool, terms, name, symbol, uri } = launch;
  const wanted = [creator, pool.config, pool.baseMint];
  expect(signers.length === 3 && wanted.every((signer) => signers.includes(signer)), 'signers');
  expect(instructions.length === 3, 'number of instructions');
  const [price, configured, opened] = instructions;
  expect(parseComputeUnitPrice(price!) === computeUnitPrice, 'compute unit price');
  const { config, quoteMint } = pool;
  const wantedConfig = { config, feeClaimer: operator, leftoverReceiver: operator, quoteMint, payer: creator, terms };
  expect(isDeepStrictEqual(parseCreateCurveConfig(configured!), wantedConfig), 'configuration');
  expect(isDeepStrictEqual(parseInitializeCurvePool(opened!), { pool, creator, name, symbol, uri }), 'pool');
}

function expect(truth: boolean, what: string): void {
  if (!truth) throw new CraftCheckFailed(`crafted launch: wrong ${what}`);
}
