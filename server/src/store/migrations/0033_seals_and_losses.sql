-- What a key of the signer says of a request when it is crafted. With write access to the database alone, nobody can
-- make a row that the service signs for.
alter table ledger add column seal bytea;

-- What our wallets pay for: transactions of a wallet that are under way or have failed, and what was lost.
drop index ledger_gas_paid;
drop index ledger_gas_lost;
create index ledger_paid_by_us on ledger (wallet, settled_at)
  where cosigners <> '{}' and not handed_over and state in ('sending', 'failed');
create index ledger_lost_by_us on ledger (settled_at)
  where cosigners <> '{}' and not handed_over and state = 'failed' and slot is not null;

-- The keeper signs a claim of an invite only when it comes back signed, so that none waits outside.
drop table invite_claims;
