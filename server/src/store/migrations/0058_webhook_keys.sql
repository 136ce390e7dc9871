-- By which API key they were added: a key can log in any number of wallets, and must not take the turns of others.
alter table webhooks add column api_key text;
create index webhooks_of_key on webhooks (api_key);
alter table event_followers add column api_key text;
create index event_followers_of_key on event_followers (api_key, kind);
