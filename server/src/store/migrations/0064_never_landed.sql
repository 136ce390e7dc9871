-- Requests that were sent and never landed leave after some days, as submissions do.
create index ledger_never_landed on ledger (settled_at)
  where area <> 'submit' and state in ('expired', 'failed') and slot is null and sent_at is not null;
