-- What has happened to limit orders, from the chain: it can be made again from there at any time.
-- Counts the changes, because several can happen in one second.
create sequence limit_order_changes;

create table limit_orders (
  order_key text not null,
  -- The address of a closed order can be used again; empty where the transaction is not known any more.
  open_tx text not null,
  program text not null,
  maker text not null,
  input_mint text not null,
  output_mint text not null,
  making_amount numeric(20, 0) not null,
  taking_amount numeric(20, 0) not null,
  remaining_making_amount numeric(20, 0) not null,
  remaining_taking_amount numeric(20, 0) not null,
  fee_bps integer not null,
  slippage_bps integer not null,
  expired_at bigint,
  state text not null check (state in ('open', 'completed', 'cancelled', 'expired', 'failed')),
  close_tx text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  change bigint not null default nextval('limit_order_changes'),
  primary key (order_key, open_tx)
);
create unique index limit_orders_open on limit_orders (order_key) where state = 'open';
create index limit_orders_of_maker on limit_orders (maker, program, updated_at desc, change desc);

create table limit_order_trades (
  tx_id text not null,
  -- The place among the trades of the transaction.
  number integer not null,
  order_key text not null,
  open_tx text not null,
  keeper text not null,
  making_amount numeric(20, 0) not null,
  taking_amount numeric(20, 0) not null,
  fee_amount numeric(20, 0) not null,
  confirmed_at timestamptz not null,
  change bigint not null default nextval('limit_order_changes'),
  primary key (tx_id, number)
);
create index limit_order_trades_of_order on limit_order_trades (order_key, open_tx);

create table limit_order_cursors (
  program text primary key,
  -- Everything up to this transaction has been read; empty before the first.
  signature text not null
);
