import type { Address } from '@slipway/wire';
import { type Static, Type } from 'typebox';
import type { Chain } from '../../chain/index.js';
import { addressText, digits, type Landing, payloadReader } from '../../landing/index.js';
import type { Clock } from '../../lib/clock.js';
import type { Prices } from '../../prices/index.js';
import type { LoginTokens, Signer } from '../../signer/index.js';
import type { LedgerRow, NewRequest } from '../../store/ledger.js';
import type { Store } from '../../store/sql.js';
import { triggerV2Error } from './error-shape.js';

export interface TriggerV2Deps {
  store: Store;
  clock: Clock;
  signer: Signer;
  logins: LoginTokens;
  /** The start of a login message, up to the wallet that it names. */
  challengePrefix: () => string;
  /** The name of this service, as the texts that wallets sign have it. */
  host: () => string;
  /** The most slippage, in basis points, that a login alone may have an order accept. */
  maxUnsignedSlippageBps: number;
  chain: Chain;
  prices: Prices;
  landing: Landing;
  /** Resolves when the crafted request is in the store. */
  remember: (request: NewRequest) => Promise<void>;
  findRequest: (id: string) => Promise<LedgerRow | undefined>;
  /** Mints that stand for a US dollar. */
  stables: ReadonlySet<Address>;
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
});
export type DepositPayload = Static<typeof DepositPayload>;

/** What a withdrawal was crafted for. Amounts are in the smallest unit. */
const WithdrawalPayload = Type.Object({
  orderId: Type.String(),
  withdrawn: Type.Array(Type.Object({ mint: addressText, amount: digits })),
  /** An account of the order is left out, because its issuer lets nothing leave it now. */
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
