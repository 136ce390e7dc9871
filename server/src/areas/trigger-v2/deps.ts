import type { Address } from '@slipway/wire';
import { type Static, Type } from 'typebox';
import type { Chain } from '../../chain/index.js';
import { addressText, digits, type Landing, payloadReader } from '../../landing/index.js';
import type { Clock } from '../../lib/clock.js';
import type { Prices } from '../../prices/index.js';
import type { LoginTokens, ServiceWords, Signer } from '../../signer/index.js';
import type { LedgerRow, NewRequest } from '../../store/ledger.js';
import type { Store } from '../../store/sql.js';
import type { Ignored, Tick } from '../../trigger-orders/price-guard.js';
import { triggerV2Error } from './error-shape.js';

export interface TriggerV2Deps extends ServiceWords {
  store: Store;
  clock: Clock;
  signer: Signer;
  logins: LoginTokens;
  chain: Chain;
  prices: Prices;
  landing: Landing;
  /** Resolves when the crafted request is in the store. */
  remember: (request: NewRequest) => Promise<void>;
  findRequest: (id: string) => Promise<LedgerRow | undefined>;
  /** Mints that stand for a US dollar. */
  stables: ReadonlySet<Address>;
  /** The price of a mint that orders may fire at now, or why there is none. */
  tick: (mint: Address) => Tick | Ignored;
  /** Why no order at all is filled now, as its owner may know it; undefined: nothing is in the way. */
  whyNothingFills: () => Promise<string | undefined>;
}

/** Who asks: a wallet, and the token of its login. */
export interface Login {
  wallet: Address;
  token: string;
}

/** The area's names in the ledger. */
export const DEPOSIT_AREA = 'trigger-deposit';
export const WITHDRAWAL_AREA = 'trigger-withdrawal';

/** What a deposit was crafted for; stored with its request id. */
const DepositPayload = Type.Object({
  type: Type.Union([Type.Literal('single'), Type.Literal('oco'), Type.Literal('otoco')]),
  vault: addressText,
  inputMint: addressText,
  outputMint: addressText,
  /** In the smallest unit. */
  amount: digits,
  inputAccount: addressText,
  outputAccount: Type.Union([addressText, Type.Null()]),
  /** Where the key stands in pages: who has asked, by its address. Its orders have a turn of their own. */
  caller: Type.Optional(Type.String()),
});
export type DepositPayload = Static<typeof DepositPayload>;

/** What a withdrawal was crafted for. Amounts are in the smallest unit. */
const WithdrawalPayload = Type.Object({
  orderId: Type.String(),
  withdrawn: Type.Array(Type.Object({ mint: addressText, amount: digits })),
  /** An account of the order is left out, because its issuer lets nothing leave it now, or stays open. */
  isPart: Type.Optional(Type.Boolean()),
});
export type WithdrawalPayload = Static<typeof WithdrawalPayload>;

/** @throws PayloadMismatch */
export const readDeposit = payloadReader(DepositPayload);
/** @throws PayloadMismatch */
export const readWithdrawal = payloadReader(WithdrawalPayload);

/** Config of the routes that log a wallet in. */
export const loginRoute = { errorShape: triggerV2Error, auth: 'key' } as const;
/** Config of the routes that need a logged-in wallet. */
export const walletRoute = { errorShape: triggerV2Error, auth: 'wallet' } as const;
export const tags = ['Trigger v2'];
