-- How often the account of a deposit that was called lost has been looked at since: a node may have denied one that had landed.
alter table orders add column lost_looks int not null default 0;
create index orders_lost_looks on orders (lost_looks, updated_at) where state = 'deposit_failed';
drop index orders_never_paid;
