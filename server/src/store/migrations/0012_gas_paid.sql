-- Orders whose network fee the gas wallet pays: those of a wallet that are under way or have failed, and what was lost.
create index ledger_gas_paid on ledger (wallet, settled_at)
  where area = 'swap' and cosigners <> '{}' and not handed_over and state in ('sending', 'failed');
create index ledger_gas_lost on ledger (settled_at)
  where area = 'swap' and cosigners <> '{}' and not handed_over and state = 'failed' and slot is not null;
