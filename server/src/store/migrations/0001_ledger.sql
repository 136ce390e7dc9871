-- Every transaction that the service crafted, or was given to land, is one row.
create table ledger (
  id text primary key,
  area text not null,
  wallet text not null,
  state text not null check (state in ('crafted', 'sending', 'landed', 'failed', 'expired')),
  message_hash bytea not null,
  cosigners text[] not null,
  last_valid_block_height bigint not null,
  payload jsonb not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  signature text,
  wire bytea,
  sent_at timestamptz,
  settled_at timestamptz,
  slot bigint,
  error jsonb,
  lease_until timestamptz
);

-- A signature may stand twice: submitted by its owner, and then posted for the request that it was crafted for.
create index ledger_signatures on ledger (signature) where signature is not null;

-- What a keeper must take over when the copy that was landing it is gone.
create index ledger_leases on ledger (lease_until) where state = 'sending';

-- What was crafted and never came back.
create index ledger_unsent on ledger (expires_at) where sent_at is null;
