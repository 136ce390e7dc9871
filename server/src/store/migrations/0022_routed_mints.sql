-- What swaps are asked for, so that an instance that starts can quote it at once: a mint, or two with a space between,
-- and the pools that were found for it.
create table routed_mints (
  mints text primary key,
  pools text[] not null,
  asked_at timestamptz not null
);
create index routed_mints_asked_at on routed_mints (asked_at);
