-- What may expire: nothing of it is under way.
create index orders_expiry on orders (expires_at) where state in ('open', 'partial_fill_success', 'execute_failed');
