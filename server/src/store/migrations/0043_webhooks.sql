-- Where an account has its events sent.
create table webhooks (
  id text primary key,
  account text not null,
  -- Encrypted for this row, as the secrets are: a URL may hold a password.
  url_sealed bytea not null,
  -- JSON: the secrets that it signs with now, each with its end; null for the newest.
  secrets_sealed bytea not null,
  -- The filter, as in the query of a stream; null: all.
  kinds text,
  wallet text,
  created_at timestamptz not null,
  -- The number of the last event that was tried, or was not wanted.
  last bigint not null,
  -- How often in a row it has failed, and until when it rests.
  failures integer not null default 0,
  rest_until timestamptz,
  -- The copy that sends to it now.
  lease_holder text,
  lease_until timestamptz
);
create index webhooks_of_account on webhooks (account, created_at);

-- Events that were tried and did not arrive. Those without `due_at` are given up: they wait for their owner.
create table webhook_deliveries (
  webhook_id text not null references webhooks on delete cascade,
  number bigint not null,
  kind text not null,
  at timestamptz not null,
  body text not null,
  tries integer not null,
  due_at timestamptz,
  primary key (webhook_id, number)
);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at) where due_at is not null;

-- What became of the latest attempts.
create table webhook_attempts (
  id bigint generated always as identity primary key,
  webhook_id text not null references webhooks on delete cascade,
  number bigint not null,
  at timestamptz not null,
  -- The HTTP status; null where there was no answer.
  status integer,
  error text,
  milliseconds integer not null
);
create index webhook_attempts_of_webhook on webhook_attempts (webhook_id, id);
