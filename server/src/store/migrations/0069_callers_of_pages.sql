-- From which address they were added by the key of a page, which everybody can read; otherwise the key. Each has a part of what the
-- key may have.
alter table webhooks add column caller text;
create index webhooks_of_caller on webhooks (caller);
alter table event_followers add column caller text;
create index event_followers_of_caller on event_followers (caller, kind);
