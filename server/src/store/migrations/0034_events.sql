-- The key that had a request crafted: its holder hears what becomes of the request. Null for a call without a key.
alter table ledger add column api_key text;

-- What has happened, written with the change that it tells of. It waits here for its numbers, usually for milliseconds.
create table event_outbox (
  id bigint generated always as identity primary key,
  kind text not null,
  at timestamptz not null,
  -- The wallets that hear of it; the first one is the wallet that it is about.
  wallets text[] not null,
  -- The request in the ledger that began it; null if there is none.
  request_id text,
  -- The transaction that began it, where the request is not known; null otherwise.
  begun_by text,
  -- Names what is read from the chain, where it may be read again: it is told once.
  once text,
  data jsonb not null
);

-- Each account (a key or a wallet) has its own copy of an event, and its own numbers: 1, 2, 3, without gaps.
create table events (
  account text not null,
  number bigint not null,
  -- The order in which events got their numbers, over all accounts.
  position bigint generated always as identity,
  kind text not null,
  at timestamptz not null,
  wallet text not null,
  once text,
  data jsonb not null,
  primary key (account, number)
);
create index events_once on events (account, once) where once is not null;
-- Events are deleted in this order.
create unique index events_in_order on events (position);

-- The last number of each account. A row stays when its events are deleted, so that no number is given twice.
create table event_accounts (
  account text primary key,
  last bigint not null
);

-- What has happened to an invite is looked up when it is told.
create index invites_of_account on invites (invite_pda);
