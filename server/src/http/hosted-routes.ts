// The operations that the hosted API documents (its OpenAPI documents of August 2026), and what to do without those that
// are not served here. docs/guides/from-the-hosted-api.md is made of it; which of them are served, the API document says.

interface HostedArea {
  prefix: string;
  /** What to do instead of those that are not served. */
  instead: string;
  /** `<METHOD> <path below the prefix>`. */
  operations: readonly string[];
}

const lines = (text: string): string[] => text.trim().split(/\s*\n\s*/);

export const HOSTED_AREAS: readonly HostedArea[] = [
  {
    prefix: '/swap/v2',
    instead: 'Slipway serves swaps as GET /ultra/v1/order and POST /ultra/v1/execute',
    operations: lines(`
      GET /order
      GET /build
      POST /execute`),
  },
  {
    prefix: '/swap/v1',
    instead: 'Slipway serves swaps as GET /ultra/v1/order and POST /ultra/v1/execute',
    operations: lines(`
      GET /quote
      POST /swap
      POST /swap-instructions
      GET /program-id-to-label`),
  },
  {
    prefix: '/ultra/v1',
    instead: 'Slipway serves GET /ultra/v1/holdings/{address} in its place',
    operations: lines(`
      GET /order
      POST /execute
      GET /balances/{address}
      GET /holdings/{address}
      GET /holdings/{address}/native
      GET /shield
      GET /order/routers
      GET /search`),
  },
  {
    prefix: '/trigger/v1',
    instead: 'Slipway serves limit orders under /trigger/v1',
    operations: lines(`
      POST /createOrder
      POST /cancelOrder
      POST /cancelOrders
      POST /execute
      GET /getTriggerOrders`),
  },
  {
    prefix: '/trigger/v2',
    instead: 'Slipway does not serve recurring orders',
    operations: lines(`
      POST /auth/challenge
      POST /auth/verify
      GET /vault
      GET /vault/register
      POST /deposit/craft
      POST /orders/price
      PATCH /orders/price/{orderId}
      POST /orders/price/cancel/{orderId}
      POST /orders/price/confirm-cancel/{orderId}
      GET /orders/history
      POST /orders/dca
      POST /orders/dca/cancel/{id}
      POST /orders/dca/confirm-cancel/{id}
      GET /orders/history/dca
      GET /orders/history/dca/{id}`),
  },
  {
    prefix: '/recurring/v1',
    instead: 'Slipway does not serve recurring orders',
    operations: lines(`
      POST /createOrder
      POST /cancelOrder
      POST /execute
      GET /getRecurringOrders
      POST /priceDeposit
      POST /priceWithdraw`),
  },
  {
    prefix: '/tx/v1',
    instead: 'Slipway serves POST /tx/v1/submit',
    operations: ['POST /submit'],
  },
  {
    prefix: '/tokens/v2',
    instead: 'Slipway lists tokens by GET /tokens/v2/search',
    operations: lines(`
      GET /search
      GET /tag
      GET /recent
      GET /{category}/{interval}
      GET /content
      GET /content/feed
      GET /content/cooking
      GET /v1/content/summaries
      GET /verify/express/check-eligibility
      GET /verify/express/craft-txn
      POST /verify/express/execute`),
  },
  {
    prefix: '/tokens/v1',
    instead: 'Slipway lists tokens by GET /tokens/v2/search',
    operations: lines(`
      GET /token/{mint_address}
      GET /market/{market_address}/mints
      GET /mints/tradable
      GET /tagged/{tag}
      GET /new
      GET /all`),
  },
  {
    prefix: '/price/v3',
    instead: 'Slipway serves no prices; GET /tokens/v2/search has the usdPrice of a token',
    operations: ['GET'],
  },
  {
    prefix: '/price/v2',
    instead: 'Slipway serves no prices; GET /tokens/v2/search has the usdPrice of a token',
    operations: ['GET'],
  },
  {
    prefix: '/studio/v1',
    instead: 'Slipway serves launches under /studio/v1',
    operations: lines(`
      POST /dbc-pool/create-tx
      POST /dbc-pool/submit
      GET /dbc-pool/addresses/{mint}
      POST /dbc/fee
      POST /dbc/fee/create-tx`),
  },
  {
    prefix: '/send/v1',
    instead: 'Slipway serves invites under /send/v1',
    operations: lines(`
      POST /craft-send
      POST /craft-clawback
      GET /pending-invites
      GET /invite-history`),
  },
  {
    prefix: '/prediction/v1',
    instead: 'Slipway serves scores of events only, no markets',
    operations: lines(`
      GET /events
      GET /events/search
      GET /events/scores
      GET /events/suggested/{pubkey}
      GET /events/{eventId}
      GET /events/{eventId}/score
      GET /events/{eventId}/markets
      GET /events/{eventId}/markets/{marketId}
      GET /markets/{marketId}
      GET /orders
      POST /orders
      GET /orders/{orderPubkey}
      GET /orders/status/{orderPubkey}
      POST /execute
      GET /positions
      DELETE /positions
      GET /positions/{positionPubkey}
      DELETE /positions/{positionPubkey}
      POST /positions/{positionPubkey}/claim
      GET /history
      GET /forecast
      GET /trading-status
      GET /orderbook/{marketId}
      GET /profiles/{ownerPubkey}
      GET /profiles/{ownerPubkey}/pnl-history
      GET /trades
      GET /leaderboards
      GET /vault-info`),
  },
  {
    prefix: '/lend/v1',
    instead: 'Slipway does not serve lending',
    operations: lines(`
      POST /earn/deposit
      POST /earn/deposit-instructions
      POST /earn/withdraw
      POST /earn/withdraw-instructions
      POST /earn/mint
      POST /earn/mint-instructions
      POST /earn/redeem
      POST /earn/redeem-instructions
      GET /earn/tokens
      GET /earn/positions
      GET /earn/earnings
      GET /borrow/vaults
      GET /borrow/positions
      POST /borrow/operate
      POST /borrow/operate-instructions`),
  },
  {
    prefix: '/portfolio/v1',
    instead: 'Slipway does not serve portfolios; GET /ultra/v1/holdings/{address} has the tokens of a wallet',
    operations: lines(`
      GET /positions/{address}
      GET /platforms
      GET /staked-jup/{address}`),
  },
];

export interface HostedOperation {
  method: string;
  /** As an API document writes it, with `{name}` for a parameter. */
  path: string;
  instead: string;
}

export const hostedOperations: readonly HostedOperation[] = HOSTED_AREAS.flatMap(({ prefix, instead, operations }) =>
  operations.map((operation) => {
    const [method = '', below = ''] = operation.split(' ');
    return { method, path: `${prefix}${below}`, instead };
  }),
);
