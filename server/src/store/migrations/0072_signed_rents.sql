-- What a signer counts beyond the fee for a transaction that one of our wallets pays for, in lamports, landed or not: the rents of
-- the accounts that it makes. Null where nothing bounds it, and where a copy of the version before has sent it.
alter table ledger add column rents bigint;
create index ledger_rents_lost on ledger (area, settled_at) where rents > 0 and state in ('failed', 'expired');
create index ledger_rents_under_way on ledger (area) where rents > 0 and state = 'sending';
