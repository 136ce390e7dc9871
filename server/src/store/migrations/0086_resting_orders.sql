-- Every five minutes these are compared with what the chain shows: where a backup was restored, they may be older than that.
create index orders_resting on orders (id)
  where state = 'ready_to_cancel' or (state in ('open', 'partial_fill_success') and type = 'otoco' and stage = 'entry');
