-- What one of our wallets has signed for and a market maker was handed: by wallet, and what of it has not landed.
create index ledger_handed_over_signed on ledger (wallet, settled_at) where cosigners <> '{}' and handed_over;
create index ledger_handed_over_lost on ledger (settled_at)
  where cosigners <> '{}' and handed_over and state in ('failed', 'expired');
