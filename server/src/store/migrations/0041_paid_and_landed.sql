-- The wallets whose transactions we have paid for and that landed: for them a part of what may be lost is kept.
create index ledger_paid_and_landed on ledger (wallet, settled_at)
  where cosigners <> '{}' and not handed_over and state = 'landed';
