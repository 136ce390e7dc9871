-- What our wallets have lost on a wallet, and what of it is under way. What was never sent, because it would have failed, costs
-- nothing, so that a wallet makes any number of it: it is in neither of them.
drop index ledger_paid_by_us;
create index ledger_lost_of_wallet on ledger (wallet, settled_at)
  where cosigners <> '{}' and not handed_over and state = 'failed' and slot is not null;
create index ledger_signed_under_way on ledger (wallet) where cosigners <> '{}' and state = 'sending';
