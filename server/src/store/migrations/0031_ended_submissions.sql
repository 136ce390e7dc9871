-- Submissions that have come to their end leave after some days.
create index ledger_ended_submissions on ledger (settled_at) where area = 'submit' and settled_at is not null;
