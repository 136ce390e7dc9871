-- What concerns everybody, such as a score, is about no wallet.
alter table events alter column wallet drop not null;

-- Which accounts hear of what concerns everybody: those that have read events of that kind of late.
create table event_followers (
  account text not null,
  kind text not null,
  until timestamptz not null,
  primary key (account, kind)
);
create index event_followers_of_kind on event_followers (kind, until);
