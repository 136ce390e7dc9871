-- Rents that a signer has counted are bounded whatever became of what it signed: landed, or refused after that.
drop index ledger_rents_lost;
create index ledger_rents_settled on ledger (area, settled_at) where rents > 0 and state in ('landed', 'failed', 'expired');
create index ledger_rents_refused on ledger (area, created_at) where rents > 0 and state = 'crafted';
