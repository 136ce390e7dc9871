-- A token that was crafted, and, once its request has landed, launched. It goes when its request goes.
create table launches (
  mint text primary key,
  request_id text not null unique references ledger (id) on delete cascade,
  creator text not null,
  config text not null,
  pool text not null,
  quote_mint text not null,
  name text not null,
  symbol text not null,
  -- Over how many slots the fee against snipers falls; null without one.
  sniper_slots integer,
  -- What was handed in with the submitted transaction, for the token's page.
  content text,
  header_key text,
  created_at timestamptz not null,
  -- When its files were published, or, of one that has not landed, removed.
  finished_at timestamptz
);
create index launches_unfinished on launches (created_at) where finished_at is null;

-- Numbers of mint keys whose addresses end in a wanted suffix, until a launch takes them.
create table mint_numbers (
  number bigint primary key,
  suffix text not null
);
create index mint_numbers_suffix on mint_numbers (suffix);
