-- Where the newest transaction that was read stands; 0 where that was not kept.
alter table limit_order_cursors add column newest_slot bigint not null default 0;

-- Closed: its account is gone, and what has become of it is not known.
alter table limit_orders drop constraint limit_orders_state_check;
alter table limit_orders add constraint limit_orders_state_check
  check (state in ('open', 'completed', 'cancelled', 'expired', 'failed', 'closed'));
