-- What a transaction tells of waits as one row, and is kept as pages: what one account hears of one change is a row, and not
-- each event of it. That is what most of the cost of telling was.

-- A page is a JSON array of events, in text. Who hears of each: an account, or 'kind:...' for those who follow that kind.
alter table event_outbox
  add column accounts text[],
  add column counts integer[],
  add column times timestamptz[],
  add column pages text[],
  alter column kind drop not null,
  alter column at drop not null,
  alter column wallets drop not null,
  alter column data drop not null,
  -- As short-lived as it is, compressing it costs more than it saves.
  alter column pages set storage external;

-- A row from before is a page of one event, in kind, wallet and data.
alter table events rename column number to last;
alter table events
  add column count integer not null default 1,
  add column page text,
  alter column kind drop not null,
  alter column data drop not null,
  alter column page set storage external;

-- What was read from the chain and told: it may be read again, and is not told again.
create table told_once (
  name text primary key,
  at timestamptz not null
);
create index told_once_by_time on told_once (at);
insert into told_once (name, at)
  select wallet || ' ' || once, at from events where once is not null and account = 'wallet:' || wallet
  on conflict do nothing;

-- What an older copy of the service still tells, while copies are replaced one by one, and what waits now.
create function event_outbox_from_older() returns trigger language plpgsql as $$
declare
  told text := json_build_array(
    json_build_object('kind', new.kind, 'at', new.at, 'wallet', new.wallets[1], 'data', new.data))::text;
begin
  if new.once is not null then
    insert into told_once (name, at) values (new.wallets[1] || ' ' || new.once, new.at) on conflict do nothing;
    if not found then return null; end if;
  end if;
  select array_agg(account), array_agg(1), array_agg(new.at), array_agg(told)
  into new.accounts, new.counts, new.times, new.pages
  from (
    select 'wallet:' || wallet as account from unnest(new.wallets) as wallet
    union select 'kind:' || new.kind where cardinality(new.wallets) = 0
    union select 'key:' || api_key from ledger where ledger.id = new.request_id and api_key is not null
    union select 'key:' || api_key from ledger where ledger.signature = new.begun_by and api_key is not null
    union select 'key:' || api_key from opened_by_keys o where o.signature = new.begun_by
  ) as heard;
  return new;
end $$;
create trigger event_outbox_from_older before insert or update on event_outbox
  for each row when (new.pages is null) execute function event_outbox_from_older();
update event_outbox set kind = kind;
