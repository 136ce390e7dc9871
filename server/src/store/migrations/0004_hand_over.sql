-- Of a transaction that a market maker signs last and sends by itself, the signature is not known when it is claimed.
alter table ledger add column handed_over boolean not null default false;

-- Until then the message stands in for it.
create index ledger_handed_over on ledger (message_hash) where handed_over;
