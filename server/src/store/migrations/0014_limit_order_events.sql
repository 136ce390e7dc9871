-- What is known of limit orders is kept event by event, in whatever order it is found, and an order's row follows from
-- its events. It is read from the chain again, so what was there before is dropped.
drop table limit_order_trades;
drop table limit_orders;
drop table limit_order_cursors;
drop sequence limit_order_changes;

create table limit_order_events (
  -- The transaction; empty for what the order's account itself has said.
  tx_id text not null,
  -- The place among the events of the transaction.
  number integer not null,
  order_key text not null,
  slot bigint not null,
  -- Orders the transactions of a slot.
  position bigint not null,
  at timestamptz not null,
  fact jsonb not null,
  primary key (order_key, tx_id, number)
);

create table limit_orders (
  order_key text not null,
  -- The address of a closed order can be used again, even in the same transaction.
  number integer not null,
  -- Empty while it is not known.
  open_tx text not null,
  program text not null,
  maker text not null,
  input_mint text not null,
  output_mint text not null,
  making_amount numeric(20, 0) not null,
  taking_amount numeric(20, 0) not null,
  remaining_making_amount numeric(20, 0) not null,
  remaining_taking_amount numeric(20, 0) not null,
  slippage_bps integer not null,
  expired_at bigint,
  state text not null check (state in ('open', 'completed', 'cancelled', 'expired', 'failed')),
  close_tx text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  trades jsonb not null,
  -- Of the last event: several can happen in one second.
  slot bigint not null,
  position bigint not null,
  primary key (order_key, number)
);
create index limit_orders_of_maker on limit_orders (maker, program, updated_at desc, slot desc, position desc);

create table limit_order_cursors (
  program text primary key,
  -- Everything between these two transactions has been read. Empty: nothing.
  newest text not null,
  oldest text not null,
  newest_position bigint not null,
  oldest_position bigint not null,
  -- There is nothing older.
  complete boolean not null
);

-- Transactions between newest and oldest whose content the node could not give.
create table limit_order_unread (
  program text not null,
  tx_id text not null,
  slot bigint not null,
  position bigint not null,
  at timestamptz not null,
  tries bigint not null default 0,
  primary key (program, tx_id)
);
