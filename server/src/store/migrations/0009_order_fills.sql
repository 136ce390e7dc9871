-- What keepers are at: few orders at any time.
create index orders_under_way on orders (id) where state in ('ready_execute', 'executing');
