create table verifications (
  id text primary key,
  token_id text not null,
  kind text not null check (kind in ('verification', 'metadata')),
  state text not null check (state in ('reserved', 'pending', 'approved', 'rejected')),
  request_id text not null,
  payer text not null,
  twitter_handle text,
  sender_twitter_handle text,
  description text,
  metadata jsonb,
  payment_currency text not null,
  payment_amount numeric(20, 0) not null,
  signature text,
  created_at timestamptz not null,
  paid_at timestamptz,
  decided_at timestamptz,
  note text
);

-- A token has one request of a kind under way, and is verified once; its metadata may change again later.
create unique index verifications_taken on verifications (token_id, kind)
  where state in ('reserved', 'pending') or (state = 'approved' and kind = 'verification');
create index verifications_request on verifications (request_id);

create table prices (
  mint text primary key,
  usd double precision not null,
  updated_at timestamptz not null
);

create table settings (
  key text primary key,
  value jsonb not null
);

create table scores (
  event_id text primary key,
  score jsonb not null,
  updated_at timestamptz not null
);

create table makers (
  id text primary key,
  name text not null,
  url text not null unique,
  created_at timestamptz not null
);
