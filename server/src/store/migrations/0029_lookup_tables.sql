-- Address lookup tables that the keeper has made, or is about to make: recorded before the transaction is sent.
create table lookup_tables (
  address text primary key,
  -- The wallet that made it, pays for it, and alone may change it.
  authority text not null,
  addresses text[] not null,
  -- making: not known to exist; ready: to be used; retiring: to be deactivated and closed.
  state text not null,
  -- When a transaction was last built with it, to the hour.
  used_at timestamptz not null
);

-- The one change of a table that is under way: its request in the ledger, what it adds and costs, and on which day (UTC, since 1970).
create table lookup_table_changes (
  id integer primary key default 1 check (id = 1),
  request text not null,
  address text not null,
  addresses text[] not null,
  lamports bigint not null,
  fee bigint not null,
  day integer not null
);

-- What the tables have cost on each day (UTC, counted since 1970): rent and fees of everything sent.
create table lookup_table_spending (
  day integer primary key,
  lamports bigint not null
);

-- Accounts that a table should hold, because routes that are asked for would be better with it.
create table lookup_table_wishes (
  pair text primary key,
  addresses text[] not null,
  asks bigint not null,
  asked_at timestamptz not null
);
create index lookup_table_wishes_asked_at on lookup_table_wishes (asked_at);
