-- Invites, from the chain: all of it can be made again from there at any time.

-- Whoever writes to the tables below locks the one row of this one.
create table invite_index (
  single boolean primary key default true check (single),
  -- What the tables below tell of.
  program text not null
);

-- The program's transactions, as far as they have been listed.
create table invite_transactions (
  signature text primary key,
  slot bigint not null,
  -- Orders the transactions of a slot.
  position bigint generated always as identity,
  at timestamptz not null,
  is_read boolean not null default false,
  -- How often its content has been asked for in vain.
  tries integer not null default 0
);
create index invite_transactions_in_order on invite_transactions (slot, position);
create index invite_transactions_unread on invite_transactions (tries, slot, position) where not is_read;

-- What they did; the tables below follow from it, in the order of the chain.
create table invite_events (
  slot bigint not null,
  position bigint not null,
  -- The place in the transaction.
  number integer not null,
  signature text not null,
  at timestamptz not null,
  fact jsonb not null,
  primary key (slot, position, number)
);

create table invites (
  id bigint primary key,
  -- The account of an invite that has ended can be used again, for another one.
  invite_pda text not null,
  invite_signer text not null,
  sender text not null,
  -- Null for SOL, as the token program.
  mint text,
  token_program text,
  amount numeric(20, 0) not null,
  -- Unix seconds.
  expiry bigint not null,
  creation_tx text not null,
  creation_time timestamptz not null,
  -- Which one it is of those that the sender has made.
  sent bigint not null,
  is_open boolean not null,
  -- Null where it has ended in a transaction that could not be read.
  action text check (action in ('created', 'claimed', 'clawed_back', 'expired')),
  receiver text,
  deletion_tx text,
  deletion_time timestamptz
);
create unique index invites_open on invites (invite_pda) where is_open;
create index invites_pending on invites (sender, sent) where is_open;
create index invites_due on invites (expiry, id) where is_open;

-- The invites that have ended, of those who sent or got them. Numbers have no gaps, so that a page is a range of them.
create table invite_history (
  address text not null,
  number bigint not null,
  invite bigint not null,
  primary key (address, number)
);

create table invite_addresses (
  address text primary key,
  -- The last number given in `invites` and in `invite_history`.
  sent bigint not null,
  ended bigint not null
);

-- Open ones leave from the middle. How many are left of each so many numbers tells where a page begins.
create table invite_blocks (
  sender text not null,
  block bigint not null,
  open integer not null,
  primary key (sender, block)
);
