-- Trigger orders. Keyed by wallet; amounts are in the smallest unit, prices in USD.
create table orders (
  wallet text not null,
  id text not null,
  -- The deposit that pays for it: one deposit makes one order.
  deposit_request_id text not null,
  -- SHA-256 of what was asked for, to tell a repetition from another order for the same deposit.
  body_hash bytea not null,
  vault text not null,
  type text not null check (type in ('single', 'oco', 'otoco')),
  input_mint text not null,
  output_mint text not null,
  trigger_mint text not null,
  -- Token accounts of this order, whose owner is the vault.
  input_account text not null,
  output_account text,

  state text not null check (state in ('pending_deposit', 'depositing', 'open', 'ready_execute', 'ready_expire',
    'executing', 'execute_success', 'execute_failed', 'ready_withdraw_output', 'withdrawing', 'partial_fill_success',
    'fill_success', 'ready_to_cancel', 'cancelled', 'oco_cancelled', 'expired', 'deposit_failed', 'withdraw_failed',
    'fill_failed')),
  stage text not null check (stage in ('entry', 'exit')),
  fired text check (fired in ('entry', 'take_profit', 'stop_loss')),
  entry_initial numeric(20, 0) not null,
  entry_remaining numeric(20, 0) not null check (entry_remaining between 0 and entry_initial),
  entry_received numeric(20, 0) not null,
  exit_initial numeric(20, 0),
  exit_remaining numeric(20, 0) check (exit_remaining between 0 and exit_initial),
  exit_received numeric(20, 0),
  held numeric(20, 0) not null check (held >= 0),
  cancel_asked boolean not null,
  failures int not null,
  -- Whether anything of it lies in the vault.
  funded boolean not null,

  trigger_condition text check (trigger_condition in ('above', 'below')),
  trigger_price_usd double precision,
  trailing_bps int,
  high_watermark double precision,
  low_watermark double precision,
  tp_price_usd double precision,
  sl_price_usd double precision,
  slippage_bps int,
  tp_slippage_bps int,
  sl_slippage_bps int,

  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  triggered_at timestamptz,
  -- Until then some keeper works on it.
  lease_until timestamptz,
  -- After a failure: not before then.
  retry_at timestamptz,
  primary key (wallet, id)
);

create index orders_ids on orders (id);
create unique index orders_deposits on orders (wallet, deposit_request_id);
-- What a keeper loads into its trigger book.
create index orders_open on orders (id) where state = 'open';
-- What has happened to an order, as its owner sees it.
create table order_events (
  wallet text not null,
  order_id text not null,
  id text not null,
  type text not null check (type in ('deposit', 'fill', 'withdrawal', 'cancelled', 'expired')),
  state text not null check (state in ('success', 'failed', 'pending')),
  at timestamptz not null,
  signature text,
  mint text,
  amount numeric(20, 0),
  output_mint text,
  output_amount numeric(20, 0),
  context text check (context in ('take_profit', 'stop_loss', 'buy_above', 'buy_below')),
  primary key (wallet, order_id, id)
);
