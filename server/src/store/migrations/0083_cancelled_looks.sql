-- The accounts of cancelled orders are looked at, too: a node may have called a withdrawal landed that had not. Of those that have ended
-- before, the owners' own cancellations still look.
update orders set lost_looks = 3 where state = 'cancelled';
create index orders_cancelled_looks on orders (lost_looks, updated_at) where state = 'cancelled' and lost_looks < 3;
