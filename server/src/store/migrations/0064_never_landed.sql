-- Requests that were sent and never landed leave after some days, as submissions do, and so do orders whose deposits were lost.
create index ledger_never_landed on ledger (settled_at)
  where area <> 'submit' and state in ('expired', 'failed') and slot is null and sent_at is not null;
create index orders_never_paid on orders (updated_at) where state = 'deposit_failed';
